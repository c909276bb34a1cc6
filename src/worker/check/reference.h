// SPDX-License-Identifier: Apache-2.0
//
// What is right: the operator's float64 results for one problem, input distribution and seed, and how far a
// plain kernel of the same precision is from them. On the host: computed once, kept as a file, verified by
// its hash and mapped read-only by every worker after that. Where tensors are worked on on the device:
// computed there whenever a worker opens a case, which takes less time than reading a file, and left in its
// memory. Does not depend on how tensors are placed.
#ifndef WORKER_CHECK_REFERENCE_H
#define WORKER_CHECK_REFERENCE_H

#include "base/err.h"
#include "worker/check/case_buffers.h"

struct reference_same_precision {
    double max_abs, rms;
    uint64_t row_count; // 0: this output has no same-precision reference
};

struct reference {
    uint32_t output_count;
    uint64_t element_count[OP_TENSORS_MAX];
    // Dense in shape order; output k is tensor input_count + k. Addresses of the device when there is one.
    const double *outputs[OP_TENSORS_MAX];
    struct reference_same_precision same_precision[OP_TENSORS_MAX];
    bool is_loaded; // from a file
    void *map;      // of the file, or
    size_t map_bytes;
    double *owned;                  // computed here
    struct device *device;          // NULL: outputs are the host's
    void *scratch;                  // the device's memory
    double max_ref[OP_TENSORS_MAX]; // of a device's outputs: largest finite |reference|
    uint64_t sums[2];               // of a device's outputs when they were made
};

// buffers: filled, not rotated. dir NULL: nothing is kept. A file that is damaged or of another version is
// computed anew; not being able to write one is no error. Errors: the oracle's, or no memory.
int reference_open(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                   struct err *err);
void reference_close(struct reference *reference); // accepts a zeroed one
// Of output k, the element with that dense index.
int reference_read(const struct reference *reference, uint32_t k, uint64_t index, double *ret,
                   struct err *err);

// A device's outputs lie within the reach of every kernel: 1 when they are not what they were. Before one is
// accused by them.
int reference_is_changed(const struct reference *reference, const struct case_buffers *buffers,
                         struct err *err);

// The two ways of checker_ops.h.
int reference_open_host(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                        struct err *err);
int reference_open_device(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err);

// Where it is kept below dir; caller frees.
char *reference_path(const char *dir, const struct problem *problem, const char *distribution, uint64_t seed);

#endif
