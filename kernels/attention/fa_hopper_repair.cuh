// SPDX-License-Identifier: Apache-2.0
//
// A masked key has weight 0, and 0 times NaN or infinity in its V would reach rows that do not see it. The attention kernels for
// Hopper look at what they store: where a warp's O is not finite under a mask, the warp computes the rows of its tiles again when
// everything else is done, each from the keys that it sees and nothing else. Slow, in float32, and only for such inputs.
#ifndef ATTENTION_FA_HOPPER_REPAIR_CUH
#define ATTENTION_FA_HOPPER_REPAIR_CUH

#include "attention/fa_hopper_tiles.cuh"
#include "common/attention_device.cuh"
#include "common/convert_device.cuh"

#include <stdint.h>

// Dimensions that are written.
struct fa_columns {
    int first, end;
};

// One row by one warp: a lane holds D / 32 neighbouring dimensions.
template <int D>
__device__ __forceinline__ void fa_repair_row(const fa_problem &problem, int head, int row, int lane,
                                              const fa_columns &written) {
    constexpr int count = D / 32;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const int64_t batch = head / args.heads, of_batch = head % args.heads, of_kv = of_batch / args.group;
    const char *q = data.q + attention_device_row(args.q, batch, of_batch, row);
    const char *k = data.k + attention_device_row(args.k, batch, of_kv, 0);
    const char *v = data.v + attention_device_row(args.v, batch, of_kv, 0);
    char *o = data.o + attention_device_row(args.o, batch, of_batch, row);
    const int visible = fa_visible(problem, row), first = lane * count;
    const float score_factor = fa_score_factor(problem, batch, of_batch, of_kv);
    const float value_factor = fa_value_factor(problem, batch, of_kv);
    const auto score = [&](int key) {
        float dot = 0.0f;
        for (int d = first; d < first + count; ++d)
            dot += convert_device_load(q, d, args.q.dtype) *
                   convert_device_load(k, key * args.k.stride_row + d, args.k.dtype);
        for (int distance = 16; distance > 0; distance /= 2) dot += __shfl_xor_sync(~0u, dot, distance);
        return dot * score_factor;
    };
    float max = -INFINITY, sum = 0.0f, out[count] = {};
#pragma unroll 1
    for (int key = 0; key < visible; ++key) max = fmaxf(max, score(key));
    if (max == -INFINITY) max = 0.0f;
#pragma unroll 1
    for (int key = 0; key < visible; ++key) {
        const float weight = exp2f(score(key) - max);
        sum += weight;
        for (int d = 0; d < count; ++d)
            out[d] += weight * convert_device_load(v, key * args.v.stride_row + first + d, args.v.dtype);
    }
    for (int d = 0; d < count; ++d)
        if (first + d >= written.first && first + d < written.end)
            convert_device_store(o, first + d, args.o.dtype,
                                 visible > 0 ? out[d] / sum * value_factor : 0.0f);
}

// Is any of a thread's elements of O NaN or infinite?
template <int count> __device__ __forceinline__ bool fa_is_special(const float (&o)[count]) {
    float zero = 0.0f;
#pragma unroll
    for (int i = 0; i < count; ++i) zero = fmaf(o[i], 0.0f, zero);
    return zero != 0.0f;
}

// All rows that this warp has stored; first_of_warp: its first row of a tile.
template <int D, int tile_rows>
__device__ __forceinline__ void fa_repair(const fa_problem &problem, int first_of_warp, int lane) {
#pragma unroll 1
    for (fa_tile tile(problem); tile.number < problem.total; tile.next(problem)) {
        const int first = tile.first_row(problem, tile_rows) + first_of_warp;
        const int end = min(first + FA_WARP_ROWS, (int)problem.attention.args.seq_q);
#pragma unroll 1
        for (int row = first; row < end; ++row)
            fa_repair_row<D>(problem, tile.head(problem), row, lane, {0, D});
    }
}

#endif
