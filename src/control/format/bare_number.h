// SPDX-License-Identifier: Apache-2.0
//
// NaN, Infinity and -Infinity as bare words, which C++ and Python programs write and JSON does not know.
#ifndef CONTROL_FORMAT_BARE_NUMBER_H
#define CONTROL_FORMAT_BARE_NUMBER_H

#include <stddef.h>

#include "base/strbuf.h"

// Copies text with every such word in the place of a value made null; inside strings nothing changes, and no
// line moves. Returns how many there were. Linear; broken JSON stays broken.
size_t bare_number_to_null(const char *text, size_t length, struct strbuf *out);

#endif
