// SPDX-License-Identifier: Apache-2.0
//
// What attention_args.h answers on the host, for device code: which keys a query row sees, and where a row of a tensor lies.
#ifndef COMMON_ATTENTION_DEVICE_CUH
#define COMMON_ATTENTION_DEVICE_CUH

#include "common/attention_args.h"

__device__ __forceinline__ int64_t attention_device_visible(const struct attention_args &args, int64_t row) {
    if (args.mask == ATTENTION_MASK_NONE) return args.seq_k;
    const int64_t offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? args.seq_k - args.seq_q : 0;
    const int64_t visible = row + 1 + offset;
    return visible < 0 ? 0 : visible < args.seq_k ? visible : args.seq_k;
}

__device__ __forceinline__ int64_t attention_device_head(const struct attention_view &view, int64_t batch,
                                                         int64_t head) {
    return (batch * view.stride_batch + head * view.stride_head) * view.element_bytes;
}

#endif
