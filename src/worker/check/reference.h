// SPDX-License-Identifier: Apache-2.0
//
// The reference of a case: the operator's float64 results for one problem, input distribution and seed,
// and the errors of a plain kernel of the same precision. On the host: computed once, kept as a file,
// verified by its hash and mapped read-only by every worker after that. On the device: computed whenever a
// worker opens a case, which takes less time than reading a file, and left in device memory; of a declared
// operator copied there, from the host's. Does not depend on the memory layout.
#ifndef WORKER_CHECK_REFERENCE_H
#define WORKER_CHECK_REFERENCE_H

#include "base/err.h"
#include "worker/check/case_buffers.h"

struct reference_same_precision {
    double max_abs, rms;
    // Of a declared operator: the largest error of a long row, as a part of the row (both root mean
    // squares). 0: there is none, or it is not looked at.
    double worst_row;
    double ref_rms;     // of the float64 results on these rows
    uint64_t row_count; // 0: this output has no same-precision reference
    double slack;       // errors may be so many times the rule's: few rows vary by chance; 0: 1
};

// Which results are right: those in fp64 or, of a declared operator's output whose bit is set, those of the
// reference as it is written, in Python; these are judged by the tolerance of the type.
struct reference_decides {
    uint64_t as_written;
    char note[504]; // why, or why the 2 x rule limits nothing, one sentence; "": in fp64, by the 2 x rule
};

struct reference {
    uint32_t output_count;
    uint64_t rows_a_group; // of the same-precision reference; 0: SAME_PRECISION_ROWS_A_GROUP
    uint64_t element_count[OP_TENSORS_MAX];
    // Dense in shape order; output k is tensor input_count + k. Addresses of the device when there is one;
    // NULL where they are too large for it, and on_host has them alone.
    const double *outputs[OP_TENSORS_MAX];
    struct reference_same_precision same_precision[OP_TENSORS_MAX];
    struct reference_decides decides;
    bool is_loaded; // from a file
    void *map;      // of the file, or
    size_t map_bytes;
    double *owned;                  // computed here
    struct device *device;          // NULL: the outputs are in host memory
    void *scratch;                  // device memory of the outputs
    struct reference *on_host;      // owned: where the host has computed it, from which they were copied
    double max_ref[OP_TENSORS_MAX]; // on a device: largest finite |reference|
    uint64_t sums[2];               // on a device: hash of the outputs when they were computed
};

// buffers: filled, not rotated. dir NULL: nothing is kept. A damaged file, or one of another version, is
// computed again; not being able to write one is no error. Errors: the oracle's, or no memory.
int reference_open(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                   struct err *err);
// The reference on some rows only, for inputs that are used once: rows_a_group drawn ones of every group, and
// the 2 x rule's figures on them; all of it where the device computes it. Nothing is kept. Where the operator
// has no slices: output_count 0.
int reference_open_rows(struct reference *ret, const struct case_buffers *buffers, uint64_t rows_a_group,
                        struct err *err);
void reference_close(struct reference *reference); // accepts a zeroed one
// The element of output k with that dense index.
int reference_read(const struct reference *reference, uint32_t k, uint64_t index, double *ret,
                   struct err *err);

// enum check_search. Found: a reference on the device has changed since it was computed. Every kernel can
// write there, so check this before reporting a finding that is based on it.
int reference_is_changed(const struct reference *reference, const struct case_buffers *buffers,
                         struct err *err);

// Its file below dir; caller frees.
char *reference_path(const char *dir, const struct problem *problem, const char *distribution, uint64_t seed);

#endif
