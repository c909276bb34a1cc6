// SPDX-License-Identifier: Apache-2.0
//
// nvcc puts a hash of the source's absolute path into the names of what is local to a file (anonymous
// namespaces, static variables). Two work trees of one source differ in nothing else, so a hash of code
// leaves these digits out.
#ifndef CONTROL_COMPILE_FOLDER_MARKS_H
#define CONTROL_COMPILE_FOLDER_MARKS_H

#include <stddef.h>

#include "base/hash.h"

// As hash_add, with zeros for those digits.
void folder_marks_hash_add(struct hash_state *hash, const void *bytes, size_t count);
// As hash_add_text.
void folder_marks_hash_add_text(struct hash_state *hash, const char *text);

#endif
