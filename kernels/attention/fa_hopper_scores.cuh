// SPDX-License-Identifier: Apache-2.0
//
// Scores and weights of the attention kernels for Hopper: what one thread does with the scores of a block of keys that it holds in
// wgmma's layout, and the products that bring them and take the weights. Of a thread of warp w: element 4 i + e is row
// 16 w + lane / 4 + 8 (e / 2) of the warpgroup's 64, key 8 i + 2 (lane % 4) + e % 2.
#ifndef ATTENTION_FA_HOPPER_SCORES_CUH
#define ATTENTION_FA_HOPPER_SCORES_CUH

#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"

#include <math.h>
#include <stdint.h>

// Of a thread's two rows, 8 apart. reference: what is taken from the exponents; the row's maximum or, by up to 15, less.
struct fa_rows {
    float reference[2], sum[2]; // sum: of this thread's columns
};

// What a weight taken with the reference `from` counts where the reference is `to`, which is not below it.
__device__ __forceinline__ float fa_factor(float from, float to) {
    return to == -INFINITY ? 1.0f : mma_exp2(from - to);
}

#define FA_LN2 0.69314718055994531f

// A thread's upper row of the two, whose head (of all batches) has the log-sum-exp; one thread of four writes that.
struct fa_row_place {
    int head, row;
    bool writes;
};

// Of rows that are done: what their O has to be multiplied by; the log-sum-exp is written. A row that sees no key has O 0.
__device__ __forceinline__ void fa_finish_rows(const fa_problem &problem, const float (&reference)[2],
                                               const float (&sum)[2], float value_factor,
                                               const fa_row_place &at, float (&ret_inverse)[2]) {
    bool sees[2] = {true, true};
    if (fa_has_mask(problem))
#pragma unroll
        for (int r = 0; r < 2; ++r) sees[r] = fa_visible(problem, at.row + 8 * r) > 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) ret_inverse[r] = sees[r] ? hopper_reciprocal(sum[r]) * value_factor : 0.0f;
    float *lse = problem.attention.data.lse;
    if (!lse || !at.writes) return;
    lse += (int64_t)at.head * problem.attention.args.seq_q + at.row;
#pragma unroll
    for (int r = 0; r < 2; ++r)
        if (at.row + 8 * r < (int)problem.attention.args.seq_q)
            lse[8 * r] = sees[r] ? (reference[r] == -INFINITY ? 0.0f : reference[r]) * FA_LN2 + __logf(sum[r])
                                 : -INFINITY;
}

__device__ __forceinline__ float fa_quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float fa_quad_sum(float x) {
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

// Keys that a row does not see get `none`, an infinity. first_key: of the block's keys for this thread, whose columns are 8 i, 8 i + 1 from there.
// Bits of a word become predicates eight at a time: cheaper than a comparison a score.
template <int count>
__device__ __forceinline__ void fa_mask(float (&s)[count], const int (&visible)[2], int first_key,
                                        float none) {
    static_assert(count / 2 <= 32, "a row's scores in a thread are bits of a word");
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int left = max(0, visible[r] - first_key), seen = left / 8 * 2 + min(left % 8, 2);
        const uint32_t bits = seen >= 32 ? ~0u : (1u << seen) - 1;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            float &score = s[i / 2 * 4 + 2 * r + i % 2];
            score = bits & 1u << i ? score : none;
        }
    }
}

// The largest score times `sign` of each row among every `stride`-th group of eight keys.
template <int stride, int count>
__device__ __forceinline__ void fa_largest(const float (&s)[count], float sign, float (&ret)[2]) {
    ret[0] = sign * s[0], ret[1] = sign * s[2];
#pragma unroll
    for (int i = 0; i < count; ++i)
        if (i / 4 % stride == 0) ret[i / 2 % 2] = fmaxf(ret[i / 2 % 2], sign * s[i]);
    ret[0] = fa_quad_max(ret[0]);
    ret[1] = fa_quad_max(ret[1]);
}

// Scores [first, last) become weights; sum: of this thread's columns, added to.
template <int first, int last, int count>
__device__ __forceinline__ void fa_weights(float (&s)[count], float scale_log2, const float (&reference)[2],
                                           float (&sum)[2]) {
#pragma unroll
    for (int i = first; i < last; ++i) {
        s[i] = mma_exp2(fmaf(s[i], scale_log2, -reference[i / 2 % 2]));
        sum[i / 2 % 2] += s[i];
    }
}

template <typename T, int first, int last, int count>
__device__ __forceinline__ void fa_round(const float (&s)[count], uint32_t (&p)[count / 2]) {
#pragma unroll
    for (int i = first / 2; i < last / 2; ++i) p[i] = mma_pack(s[2 * i], s[2 * i + 1], T());
}

// What follows is not taken up before this weight is known.
__device__ __forceinline__ void fa_pin(float weight) {
    if (__any_sync(~0u, weight > 3e38f)) hopper_pause();
}

// q, k, v: where they lie, in units.
template <typename T, int D, int N>
__device__ __forceinline__ void fa_issue_scores(float (&s)[N / 2], uint32_t q, uint32_t k, int column_bytes) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
        const int column = step / 4, within = step % 4 * HOPPER_STEP_K_MAJOR;
        hopper_scores(s, hopper_operand(q + column * FA_ROWS * 128 / HOPPER_UNIT + within),
                      hopper_operand(k + column * column_bytes / HOPPER_UNIT + within), step > 0, T());
    }
    hopper_commit();
}

template <typename T, int D, int N>
__device__ __forceinline__ void fa_issue_output(float (&o)[D / 2], const uint32_t (&p)[N / 4], uint32_t v,
                                                int column_bytes, bool is_first) {
    hopper_fence();
#pragma unroll
    for (int step = 0; step < N / 16; ++step)
        hopper_weighted(o, p + 4 * step,
                        hopper_operand(v + step * HOPPER_STEP_M_MAJOR, D > 64 ? column_bytes : HOPPER_UNIT),
                        step > 0 || !is_first, T());
    hopper_commit();
}

// The same scores by this warp alone, from the tiles that are still there (addresses); in the same places of a thread.
template <typename T, int D, int N>
__device__ __forceinline__ void fa_scores_again(float (&s)[N / 2], uint32_t q, uint32_t k, int column_bytes,
                                                int lane) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) s[i] = 0.0f;
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
        uint32_t a[4];
        mma_tile_a<mma_swizzled<8>>(a, q + step / 4 * FA_ROWS * 128, 0, step % 4, lane);
#pragma unroll
        for (int n = 0; n < N / 16; ++n) {
            uint32_t b[4];
            mma_tile_b_columns<mma_swizzled<8>>(b, k + step / 4 * column_bytes, 16 * n, step % 4, lane);
            mma_multiply(*reinterpret_cast<float(*)[4]>(s + 8 * n), a, b[0], b[1], T());
            mma_multiply(*reinterpret_cast<float(*)[4]>(s + 8 * n + 4), a, b[2], b[3], T());
        }
    }
}

#endif
