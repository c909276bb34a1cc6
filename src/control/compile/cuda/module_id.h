// SPDX-License-Identifier: Apache-2.0
//
// nvcc's module ids: eight digits, a hash of the absolute path of a source, in the names of symbols local to
// a file (anonymous namespaces, static variables). They are the only difference between two work trees of one
// source, so a hash of code masks them.
#ifndef CONTROL_COMPILE_CUDA_MODULE_ID_H
#define CONTROL_COMPILE_CUDA_MODULE_ID_H

#include <stddef.h>

#include "base/hash.h"

// As hash_add, but hashes zeros in place of those digits.
void module_id_masked_add(struct hash_state *hash, const void *bytes, size_t count);
// As hash_add_text.
void module_id_masked_add_text(struct hash_state *hash, const char *text);

#endif
