// SPDX-License-Identifier: Apache-2.0
//
// NaN, Infinity and -Infinity as bare words, which C++ and Python programs write and JSON does not know.
#ifndef FORMAT_BARE_NUMBER_H
#define FORMAT_BARE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

// Copies text, with null, or the text "NaN", for every such word that stands for a value. Strings are not
// changed, and no line moves. Returns the number of words replaced. Linear in length; broken JSON stays
// broken.
size_t bare_number_replace(const char *text, size_t length, bool is_text, struct strbuf *out);

#endif
