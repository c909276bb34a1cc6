// SPDX-License-Identifier: Apache-2.0
//
// What is right: the operator's float64 results for one problem, input family and seed, and how far a plain kernel of the
// same precision is from them. Computed once, kept as a file, verified by its hash and mapped read-only by every worker
// after that. Does not depend on where tensors lie.
#ifndef CHECK_REFERENCE_H
#define CHECK_REFERENCE_H

#include "base/err.h"
#include "check/case_buffers.h"

struct reference_yardstick {
    double max_abs, rms;
    uint64_t row_count; // 0: this output has no yardstick
};

struct reference {
    uint32_t output_count;
    uint64_t element_count[OP_TENSORS_MAX];
    const double *outputs[OP_TENSORS_MAX]; // dense in shape order; output k is tensor input_count + k
    struct reference_yardstick yardstick[OP_TENSORS_MAX];
    bool is_loaded; // from a file
    void *map;      // of the file, or
    size_t map_bytes;
    double *owned; // computed here
};

// buffers: filled, not rotated. dir NULL: nothing is kept. A file that is damaged or of another version is computed anew;
// not being able to write one is no error. Errors: the oracle's, or no memory.
int reference_open(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                   struct err *err);
void reference_close(struct reference *reference); // accepts a zeroed one

// Where it is kept below dir; caller frees.
char *reference_path(const char *dir, const struct problem *problem, const char *family, uint64_t seed);

#endif
