// SPDX-License-Identifier: Apache-2.0
//
// The device code in a library: how much it is, and the matrix instructions in it.
#ifndef CONTROL_COMPILE_CUDA_DEVICE_CODE_H
#define CONTROL_COMPILE_CUDA_DEVICE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

// Bytes of machine code of all targets, in a section of containers: without PTX, and without what is
// compressed.
int64_t device_code_bytes(const void *section, size_t length);

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
