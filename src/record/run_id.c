// SPDX-License-Identifier: Apache-2.0
//
// See run_id.h.
#include "record/run_id.h"

#include <string.h>

#define LETTERS   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
#define BYTES_MAX 128

bool run_id_is_valid(const char *text) {
    const size_t length = text ? strlen(text) : 0;
    return length > 0 && length <= BYTES_MAX && text[0] != '.' && text[0] != '-' &&
           strspn(text, LETTERS) == length;
}
