// SPDX-License-Identifier: Apache-2.0
//
// NaN/Inf fix-up. A masked key has P = 0, and 0 times NaN or infinity in its V would reach rows that do
// not see the key. The Hopper kernels therefore test what they store: where a warp's O is not finite
// under a mask, the warp recomputes the rows of its tiles after all other work, each from the keys that
// it sees and nothing else. Slow, in fp32, and only for such inputs.
#ifndef ATTENTION_FA_HOPPER_NAN_FIXUP_CUH
#define ATTENTION_FA_HOPPER_NAN_FIXUP_CUH

#include <stdint.h>

#include "attention/attention_device.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/convert_device.cuh"

// The dimensions of O to write.
struct fa_hopper_dim_range {
    int first, end;
};

// One row by one warp, in two passes (maximum, then sums): a lane holds D / 32 neighbouring dimensions.
template <int D>
__device__ __forceinline__ void fa_hopper_fixup_row(const fa_hopper_problem &problem, int head, int row,
                                                    int lane, const fa_hopper_dim_range &written) {
    constexpr int count = D / 32;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const int64_t batch = head / args.heads, head_in_batch = head % args.heads,
                  kv_head = head_in_batch / args.group;
    const char *q = data.q + attention_device_row(args.q, batch, head_in_batch, row);
    const char *k = data.k + attention_device_row(args.k, batch, kv_head, 0);
    const char *v = data.v + attention_device_row(args.v, batch, kv_head, 0);
    char *o = data.o + attention_device_row(args.o, batch, head_in_batch, row);
    const int visible = fa_hopper_visible_keys(problem, row), first = lane * count;
    const fa_hopper_scales scales =
        fa_hopper_load_scales(problem, fa_hopper_scale_index(problem, batch, head_in_batch, kv_head));
    const float score_scale = fa_hopper_score_scale(problem, scales);
    const auto score = [&](int key) {
        float dot = 0.0f;
        for (int d = first; d < first + count; ++d)
            dot += convert_device_load(q, d, args.q.dtype) *
                   convert_device_load(k, key * args.k.stride_row + d, args.k.dtype);
        for (int distance = 16; distance > 0; distance /= 2) dot += __shfl_xor_sync(~0u, dot, distance);
        return dot * score_scale;
    };
    float max = -INFINITY, sum = 0.0f, out[count] = {};
#pragma unroll 1
    for (int key = 0; key < visible; ++key) max = fmaxf(max, score(key));
    if (max == -INFINITY) max = 0.0f;
#pragma unroll 1
    for (int key = 0; key < visible; ++key) {
        const float p = exp2f(score(key) - max);
        sum += p;
        for (int d = 0; d < count; ++d)
            out[d] += p * convert_device_load(v, key * args.v.stride_row + first + d, args.v.dtype);
    }
    for (int d = 0; d < count; ++d)
        if (first + d >= written.first && first + d < written.end)
            convert_device_store(o, first + d, args.o.dtype, visible > 0 ? out[d] / sum * scales.v : 0.0f);
}

// Whether any of a thread's elements of O is NaN or infinite.
template <int count> __device__ __forceinline__ bool fa_hopper_has_nonfinite(const float (&o)[count]) {
    float zero[4] = {}; // four chains: one alone would wait for each of its additions
#pragma unroll
    for (int i = 0; i < count; ++i) zero[i % 4] = fmaf(o[i], 0.0f, zero[i % 4]);
    return (zero[0] + zero[1]) + (zero[2] + zero[3]) != 0.0f;
}

// All rows that this warp has stored; warp_first_row: its first row in a tile.
template <int D, int tile_rows>
__device__ __forceinline__ void fa_hopper_fixup_tiles(const fa_hopper_problem &problem, int warp_first_row,
                                                      int lane) {
#pragma unroll 1
    for (fa_hopper_work_tile tile(problem); tile.number < problem.tiles_total; tile.next(problem)) {
        const int first = tile.first_row(problem, tile_rows) + warp_first_row;
        const int end = min(first + FA_HOPPER_WARP_ROWS, (int)problem.attention.args.seq_q);
#pragma unroll 1
        for (int row = first; row < end; ++row)
            fa_hopper_fixup_row<D>(problem, tile.head(problem), row, lane, {0, D});
    }
}

#endif
