// SPDX-License-Identifier: Apache-2.0
//
// The device code in a library: its hash for "same machine code", and the matrix instructions in it.
#ifndef CONTROL_COMPILE_CUDA_DEVICE_CODE_H
#define CONTROL_COMPILE_CUDA_DEVICE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

// Whether the section is a sound sequence of containers from its first byte to its last.
bool device_code_is_readable(const void *bytes, size_t length);
// Adds the code of every target to the hash: instructions, constants, shared memory, attributes of kernels,
// relocations; not symbols, notes, debug information. PTX and compressed entries are added byte for byte.
// Returns the bytes of machine code.
int64_t device_code_add(struct hash_state *hash, const void *bytes, size_t length);

// Instructions in PTX that move or multiply matrix tiles.
struct matrix_count {
    int64_t multiplications; // of the target with the most
    const char *text;        // "sm_80: 96 mma.sync, 24 ldmatrix; sm_90a: 64 wgmma.mma_async"; NULL: none
};

// Adds up the counts of one PTX text, in the order of device_matrix_name.
enum { DEVICE_MATRIX_NAMES = 11 };
const char *device_matrix_name(size_t index);
void device_matrix_count(const char *ptx, size_t length, int64_t ret_counts[DEVICE_MATRIX_NAMES]);

// Counts those of a library. multiplications is -1 without readable PTX in it.
struct matrix_count device_matrix_find(const void *library, size_t length, struct arena *arena);

#endif
