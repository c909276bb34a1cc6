// SPDX-License-Identifier: Apache-2.0
//
// The memory of one case: a guarded buffer a tensor, inputs filled from the seed, outputs poisoned. The same buffers
// serve every side of the case, check and measurement.
#ifndef CHECK_CASE_BUFFERS_H
#define CHECK_CASE_BUFFERS_H

#include "backend/backend.h"
#include "base/hash.h"
#include "check/tensor_rows.h"
#include "op/operator.h"

struct case_buffers {
    struct device *device;
    struct problem problem;
    enum placement placement;
    char family[32];
    uint64_t seed;
    struct problem_abi abi; // shapes and strides, data NULL
    uint32_t tensor_count, input_count;
    struct buffer buffers[OP_TENSORS_MAX];
    struct assay_tensor host[OP_TENSORS_MAX]; // data: what the host looks at
    struct assay_tensor own[OP_TENSORS_MAX];  // data: what kernels get
    struct assay_tensors list;                // of own
    char input_hash[OP_TENSORS_MAX][HASH_HEX_BYTES];
    bool is_rotated;
};

// Points into itself: neither copy nor move it. shift_bytes (a multiple of 256) moves dense tensors about from round to
// round. ERR_UNAVAILABLE when there is no memory.
int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      enum placement placement, size_t shift_bytes, struct err *err);
void case_buffers_fini(struct case_buffers *buffers); // accepts a zeroed one

// Fills the inputs (their gaps with poison), uploads them and keeps their hashes.
int case_buffers_fill(struct case_buffers *buffers, const char *family, uint64_t seed, struct err *err);
// Poisons the outputs, gaps included, and uploads them.
int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err);
// Brings outputs, or everything, to where the host sees it.
int case_buffers_download(struct case_buffers *buffers, bool with_inputs, struct err *err);

// Other inputs at the same addresses: rows of every input move by different distances, so that no symmetry of an
// operator (attention does not care about the order of keys) maps the result onto itself. Called again it undoes that.
int case_buffers_rotate(struct case_buffers *buffers, struct err *err);

// The first input that differs from what was filled in (after a download); -1: none.
int case_buffers_find_changed_input(const struct case_buffers *buffers);
// Coordinate of the first changed element of that input, by filling a copy. Only for unrotated inputs.
int case_buffers_locate_change(struct case_buffers *buffers, uint32_t input,
                               int64_t ret_coord[ASSAY_MAX_DIMS], struct err *err);

static inline uint32_t case_buffers_output_count(const struct case_buffers *buffers) {
    return buffers->tensor_count - buffers->input_count;
}
uint64_t case_buffers_bytes(const struct case_buffers *buffers);

#endif
