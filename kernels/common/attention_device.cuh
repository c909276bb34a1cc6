// SPDX-License-Identifier: Apache-2.0
//
// What attention_args.h answers on the host, for device code: which keys a query row sees, and where a row of a tensor lies.
#ifndef COMMON_ATTENTION_DEVICE_CUH
#define COMMON_ATTENTION_DEVICE_CUH

#include "common/attention_args.h"

#include <stdint.h>

// number: of rows and keys, wide enough for both together. Rows past the last one count on.
template <typename number>
__device__ __forceinline__ number attention_device_visible(const struct attention_args &args, number row) {
    const number seq_k = (number)args.seq_k;
    if (args.mask == ATTENTION_MASK_NONE) return seq_k;
    const number offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? seq_k - (number)args.seq_q : 0;
    const number visible = row + 1 + offset;
    return visible < 0 ? 0 : visible < seq_k ? visible : seq_k;
}

// Where a row begins, in bytes.
__device__ __forceinline__ int64_t attention_device_row(const struct attention_view &view, int64_t batch,
                                                        int64_t head, int64_t row) {
    return (batch * view.stride_batch + head * view.stride_head + row * view.stride_row) * view.element_bytes;
}

__device__ __forceinline__ int64_t attention_device_head(const struct attention_view &view, int64_t batch,
                                                         int64_t head) {
    return (batch * view.stride_batch + head * view.stride_head) * view.element_bytes;
}

#endif
