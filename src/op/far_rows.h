// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of a far tensor are mapped. Row r lies r * row_bytes behind the first in memory, and is
// mapped r * (step_bytes + row_bytes) behind it.
#ifndef OP_FAR_ROWS_H
#define OP_FAR_ROWS_H

#include <stdint.h>

#define FAR_STEP_BYTES  (UINT64_C(2) << 20)   // pages of a GPU's memory; those of the host divide it
#define FAR_GUARD_BYTES (UINT64_C(256) << 10) // more than both guards of a buffer
// Each row is a mapping, of which a process may have 65530, and a step is longer than the tensor.
#define FAR_ROWS_MAX  4096
#define FAR_BYTES_MAX (UINT64_C(64) << 20)

struct far_rows {
    uint64_t count; // 0: the tensor lies where it is mapped
    uint64_t row_bytes;
    uint64_t step_bytes; // a multiple of FAR_STEP_BYTES, and more than the whole tensor with its guards
};

// From the first byte to behind the last, of a tensor that takes `bytes` in memory.
static inline uint64_t far_rows_span(const struct far_rows *far, uint64_t bytes) {
    return far->count ? (far->count - 1) * far->step_bytes + bytes : bytes;
}

#endif
