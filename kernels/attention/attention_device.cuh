// SPDX-License-Identifier: Apache-2.0
//
// Device code for attention problems (host: attention_args.h): keys that a query row sees, addresses of rows
// and heads.
#ifndef ATTENTION_ATTENTION_DEVICE_CUH
#define ATTENTION_ATTENTION_DEVICE_CUH

#include <stdint.h>

#include "attention/attention_args.h"

// Keys that a query row sees. number: an integer type that holds the sum of rows and keys. Rows past the last
// one are counted as if they existed.
template <typename number>
__device__ __forceinline__ number attention_device_visible(const struct attention_args &args, number row) {
    const number seq_k = (number)args.seq_k;
    if (args.mask == ATTENTION_MASK_NONE) return seq_k;
    const number offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? seq_k - (number)args.seq_q : 0;
    const number visible = row + 1 + offset;
    return visible < 0 ? 0 : visible < seq_k ? visible : seq_k;
}

// Offset of a row, and of a head, in bytes.
__device__ __forceinline__ int64_t attention_device_row(const struct attention_view &view, int64_t batch,
                                                        int64_t head, int64_t row) {
    return (batch * view.stride_batch + head * view.stride_head + row * view.stride_row) * view.element_bytes;
}

__device__ __forceinline__ int64_t attention_device_head(const struct attention_view &view, int64_t batch,
                                                         int64_t head) {
    return (batch * view.stride_batch + head * view.stride_head) * view.element_bytes;
}

#endif
