// SPDX-License-Identifier: Apache-2.0
//
// The memory of one case: a guarded buffer a tensor, inputs filled from the seed, outputs poisoned. The same
// buffers serve every side of the case, check and measurement.
#ifndef WORKER_CHECK_CASE_BUFFERS_H
#define WORKER_CHECK_CASE_BUFFERS_H

#include "base/hash.h"
#include "op/operator.h"
#include "worker/backend/backend.h"
#include "worker/check/checker_ops.h"

struct case_buffers {
    struct device *device;
    struct problem problem;
    enum memory_layout memory_layout;
    char distribution[32];
    uint64_t seed;
    struct problem_abi abi; // shapes and strides, data NULL
    uint32_t tensor_count, input_count;
    struct buffer buffers[OP_TENSORS_MAX];
    struct assay_tensor host[OP_TENSORS_MAX]; // data: what the host looks at
    struct assay_tensor own[OP_TENSORS_MAX];  // data: what kernels get
    struct assay_tensors list;                // of own
    char input_hash[OP_TENSORS_MAX][HASH_HEX_BYTES];
    bool is_rotated;
    const struct checker_ops *checker; // where fill, look and compare happen; chosen by case_buffers_fill
    struct device_scratch *scratch;    // scratch memory of the device site; NULL on the host
};

// Points into itself: neither copy nor move it. shift_bytes (a multiple of 256) moves dense tensors about
// from round to round. ERR_UNAVAILABLE when there is no memory.
int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      enum memory_layout memory_layout, size_t shift_bytes, struct err *err);
void case_buffers_fini(struct case_buffers *buffers); // accepts a zeroed one

// Fills the inputs (their gaps with poison), uploads them and keeps their hashes.
int case_buffers_fill(struct case_buffers *buffers, const char *distribution, uint64_t seed, struct err *err);
// Poisons the outputs, gaps included, and uploads them.
int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err);
// After a launch: makes outputs, or everything, visible for what looks at them.
int case_buffers_sync_to_host(struct case_buffers *buffers, bool with_inputs, struct err *err);

// Before the first fill: `buffers` uses the scratch memory of another case of the same problem instead of its
// own. They are worked on one after the other.
void case_buffers_share_scratch(struct case_buffers *buffers, const struct case_buffers *owner);

// Other inputs at the same addresses. Called again it undoes that.
int case_buffers_rotate(struct case_buffers *buffers, struct err *err);

// The first input whose bits are not those that were filled in; -1: none.
int case_buffers_find_changed_input(const struct case_buffers *buffers, const struct tensor_hashes *hashes);
// Coordinate of the first changed element of that input, by filling a copy. Only for unrotated inputs.
int case_buffers_locate_change(struct case_buffers *buffers, uint32_t input,
                               int64_t ret_coord[ASSAY_MAX_DIMS], struct err *err);

static inline uint32_t case_buffers_output_count(const struct case_buffers *buffers) {
    return buffers->tensor_count - buffers->input_count;
}
uint64_t case_buffers_bytes(const struct case_buffers *buffers);

#endif
