// SPDX-License-Identifier: Apache-2.0
//
// The id of a run, which names its folder.
#ifndef RECORD_RUN_ID_H
#define RECORD_RUN_ID_H

#include <stdbool.h>

// Letters, digits, '-', '_' and '.', at most 128, not beginning with '-' or '.'; NULL is none.
bool run_id_is_valid(const char *text);

#endif
