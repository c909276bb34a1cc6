// SPDX-License-Identifier: Apache-2.0
//
// What one thread of a consumer does with its accumulator fragments: mask, row maximum, exponentials,
// conversion to P, row statistics; and the two GEMMs (wgmma) that produce scores and consume P.
//
// Accumulator layout of wgmma: element 4 i + e of a thread of warp w is row 16 w + lane / 4 + 8 (e / 2)
// of the warpgroup's 64 and column (key) 8 i + 2 (lane % 4) + e % 2. So a thread has two rows, 8 apart,
// and four threads share a row.
#ifndef ATTENTION_FA_HOPPER_FRAGMENTS_CUH
#define ATTENTION_FA_HOPPER_FRAGMENTS_CUH

#include <math.h>
#include <stdint.h>

#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"

#define FA_HOPPER_LN2 0.69314718055994531f

// Softmax statistics of a thread's two rows. shift: subtracted from the exponents; near the row's maximum
// (fa_hopper_softmax.cuh). sum: of this thread's exponentials.
struct fa_hopper_row_stats {
    float shift[2], sum[2];
};

// The factor that rescales exponentials from shift `from` to shift `to`, which is not smaller.
__device__ __forceinline__ float fa_hopper_rescale(float from, float to) {
    return to == -INFINITY ? 1.0f : exp2_approx(from - to);
}

// A thread's upper row, and the head (over all batches) for the log-sum-exp, which one thread of four writes.
struct fa_hopper_row_index {
    int head, row;
    bool writes_lse;
};

// Finished rows: the factors that normalise O; writes the log-sum-exp. A row that sees no key has O = 0.
__device__ __forceinline__ void fa_hopper_finalize_rows(const fa_hopper_problem &problem,
                                                        const float (&shift)[2], const float (&sum)[2],
                                                        float v_scale, const fa_hopper_row_index &at,
                                                        float (&ret_inverse)[2]) {
    bool sees_keys[2] = {true, true};
    if (fa_hopper_is_causal(problem))
#pragma unroll
        for (int r = 0; r < 2; ++r) sees_keys[r] = fa_hopper_visible_keys(problem, at.row + 8 * r) > 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) ret_inverse[r] = sees_keys[r] ? rcp_approx(sum[r]) * v_scale : 0.0f;
    float *lse = problem.attention.data.lse;
    if (!lse || !at.writes_lse) return;
    lse += (int64_t)at.head * problem.attention.args.seq_q + at.row;
#pragma unroll
    for (int r = 0; r < 2; ++r)
        if (at.row + 8 * r < (int)problem.attention.args.seq_q)
            lse[8 * r] = sees_keys[r]
                             ? (shift[r] == -INFINITY ? 0.0f : shift[r]) * FA_HOPPER_LN2 + __logf(sum[r])
                             : -INFINITY;
}

// Maximum and sum over the quad: the four threads that share a row.
__device__ __forceinline__ float fa_hopper_quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float fa_hopper_quad_sum(float x) {
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

// Scores of keys that a row does not see become `masked`, an infinity. first_key: the key of this thread's
// first column; its columns are first_key + 8 i and first_key + 8 i + 1. Visibility is computed as the bits
// of a word, eight predicates at a time, which is cheaper than one comparison a score.
template <int count>
__device__ __forceinline__ void fa_hopper_mask(float (&s)[count], const int (&visible)[2], int first_key,
                                               float masked) {
    static_assert(count / 2 <= 32, "a row's scores in a thread are bits of a word");
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int left = max(0, visible[r] - first_key), seen = left / 8 * 2 + min(left % 8, 2);
        const uint32_t bits = seen >= 32 ? ~0u : (1u << seen) - 1;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            float &score = s[i / 2 * 4 + 2 * r + i % 2];
            score = bits & 1u << i ? score : masked;
        }
    }
}

// The maximum of `sign` times the scores of each row.
template <int count>
__device__ __forceinline__ void fa_hopper_row_max(const float (&s)[count], float sign, float (&ret)[2]) {
    ret[0] = sign * s[0], ret[1] = sign * s[2];
#pragma unroll
    for (int i = 0; i < count; ++i) ret[i / 2 % 2] = fmaxf(ret[i / 2 % 2], sign * s[i]);
    ret[0] = fa_hopper_quad_max(ret[0]);
    ret[1] = fa_hopper_quad_max(ret[1]);
}

// Scores [first, last) become exponentials, which are added to sum.
template <int first, int last, int count>
__device__ __forceinline__ void fa_hopper_exp2_scores(float (&s)[count], float scale_log2,
                                                      const float (&shift)[2], float (&sum)[2]) {
#pragma unroll
    for (int i = first; i < last; ++i) {
        s[i] = exp2_approx(fmaf(s[i], scale_log2, -shift[i / 2 % 2]));
        sum[i / 2 % 2] += s[i];
    }
}

// Exponentials [first, last) to P in 16 bits: accumulators of one wgmma are in the layout of the next one's A
// operand.
template <typename T, int first, int last, int count>
__device__ __forceinline__ void fa_hopper_convert_p(const float (&s)[count], uint32_t (&p)[count / 2]) {
#pragma unroll
    for (int i = first / 2; i < last / 2; ++i) p[i] = mma_pack(s[2 * i], s[2 * i + 1], T());
}

// Keeps the compiler from moving the next instructions (a wait for wgmma) ahead of this exponential. The
// compiler moves waits ahead of independent arithmetic; only a branch that depends on the arithmetic stops
// it. The branch is never taken.
__device__ __forceinline__ void fa_hopper_order_after(float exponential) {
    if (__any_sync(~0u, exponential > 3e38f)) nanosleep_0();
}

// Starts s = Q K^T. q, k: addresses of the tiles in descriptor units; q_group_bytes: from 8 rows of Q to the
// next.
template <typename T, int D, int N>
__device__ __forceinline__ void fa_hopper_issue_qk(float (&s)[N / 2], uint32_t q, uint32_t k,
                                                   int atom_column_bytes, int q_group_bytes = 8 * 128) {
    warpgroup_arrive();
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
        const int atom = step / 4, within = step % 4 * DESCRIPTOR_STEP_K_MAJOR;
        wgmma_ss(s,
                 wgmma_descriptor(q + atom * FA_HOPPER_WARPGROUP_ROWS * 128 / DESCRIPTOR_UNIT + within,
                                  DESCRIPTOR_UNIT, q_group_bytes),
                 wgmma_descriptor(k + atom * atom_column_bytes / DESCRIPTOR_UNIT + within), step > 0, T());
    }
    warpgroup_commit_batch();
}

// Starts o += P V, or o = P V for a tile's first block.
template <typename T, int D, int N>
__device__ __forceinline__ void fa_hopper_issue_pv(float (&o)[D / 2], const uint32_t (&p)[N / 4], uint32_t v,
                                                   int atom_column_bytes, bool is_first) {
    warpgroup_arrive();
#pragma unroll
    for (int step = 0; step < N / 16; ++step)
        wgmma_rs(o, p + 4 * step,
                 wgmma_descriptor(v + step * DESCRIPTOR_STEP_MN_MAJOR,
                                  D > 64 ? atom_column_bytes : DESCRIPTOR_UNIT),
                 step > 0 || !is_first, T());
    warpgroup_commit_batch();
}

// Q K^T of one warp by mma.sync, from the tiles still in shared memory (q, k: addresses), in the same layout
// as wgmma's.
template <typename T, int D, int N>
__device__ __forceinline__ void fa_hopper_recompute_qk(float (&s)[N / 2], uint32_t q, uint32_t k,
                                                       int atom_column_bytes, int lane) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) s[i] = 0.0f;
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
        uint32_t a[4];
        mma_fragment_a<mma_swizzled<8>>(a, q + step / 4 * FA_HOPPER_WARPGROUP_ROWS * 128, 0, step % 4, lane);
#pragma unroll
        for (int n = 0; n < N / 16; ++n) {
            uint32_t b[4];
            mma_fragment_b<mma_swizzled<8>>(b, k + step / 4 * atom_column_bytes, 16 * n, step % 4, lane);
            mma_sync(*reinterpret_cast<float(*)[4]>(s + 8 * n), a, b[0], b[1], T());
            mma_sync(*reinterpret_cast<float(*)[4]>(s + 8 * n + 4), a, b[2], b[3], T());
        }
    }
}

#endif
