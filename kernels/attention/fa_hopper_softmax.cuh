// SPDX-License-Identifier: Apache-2.0
//
// Consumer with P in 16 bits: softmax with a fixed shift instead of a running maximum.
//
// FlashAttention subtracts a row's running maximum and rescales O and the row sum whenever it grows.
// Softmax is the same for any shift that keeps the exponentials in range, so a row's shift is sampled
// once, from its first key block: the largest score in every fourth group of eight keys, which is never
// above the row's maximum. All blocks use P = 2^(score - shift); no maximum is searched and nothing is
// rescaled. The exception: if the exponentials of a thread's two rows in a block sum to more than 2^15
// (fp16 ends at 65504) or to NaN, its warp recomputes that block's scores by mma.sync from Q and K, still
// in shared memory, takes the exact maximum as the new shift, and rescales O and the row sum. No
// precision is lost: P is floating point, which holds 2^15 with the same relative precision as 1.
//
// T: the type of P and O (fp16, bf16) and of V in shared memory. The derived class provides issue_qk,
// begin_tile, score_sign and v_scale (fa_hopper_consumer.cuh), and:
//   recompute_qk()        the block's scores into s again, by this warp alone with fp32 accumulation
//   has_coarse_scores     issue_qk() keeps only 13 bits of a sum (fp8 wgmma)
//   v_units()             address of V for the current P V, in descriptor units
#ifndef ATTENTION_FA_HOPPER_SOFTMAX_CUH
#define ATTENTION_FA_HOPPER_SOFTMAX_CUH

#include "attention/fa_hopper_consumer.cuh"

// A larger sum of a thread's exponentials (one block, two rows) makes the warp recompute with a new shift.
#define P_SUM_MAX 32768.0f
// Coarse scores only: blocks with a larger exponent, above or below 0, are recomputed in fp32. Each term of a
// coarse score adds an error of up to 2^-13 of the score's largest term. Where one key dominates a row, this
// error reaches the log-sum-exp, and it grows with the score.
#define COARSE_EXPONENT_MAX 9.0f

template <typename derived, typename traits, typename T>
struct fa_hopper_softmax_consumer : fa_hopper_consumer<derived, traits, T> {
    using base = fa_hopper_consumer<derived, traits, T>;
    using base::base, base::block, base::mask, base::o, base::p, base::rows, base::s, base::self;
    static constexpr int D = traits::dim, N = traits::keys, score_count = N / 2;
    // The exponential that the wait for P V is ordered after: the ninth from the end of the first half, so
    // that eight may still be in flight.
    static constexpr int ordering_score = score_count / 2 - 9;
    float sum_limit[2]; // coarse scores only: of a thread's exponentials of a block, by row
    // Factor of the tile's scores, in a vector register: as a uniform register it costs FFMA an extra
    // register.
    float scale_log2;

    __device__ __forceinline__ void issue_pv(int index) {
        fa_hopper_issue_pv<T, D, N>(o, p, self().v_units(), traits::atom_column_bytes, index == 0);
    }

    __device__ __forceinline__ void sample_shift() {
        fa_hopper_row_max<4>(s, self().score_sign(), rows.shift);
        rows.shift[0] *= fabsf(scale_log2);
        rows.shift[1] *= fabsf(scale_log2);
        rows.sum[0] = rows.sum[1] = 0.0f;
        update_sum_limits();
    }

    // Coarse scores: sums within these limits prove that no exponent is beyond COARSE_EXPONENT_MAX; a limit
    // of -1 always recomputes.
    __device__ __forceinline__ void update_sum_limits() {
        if constexpr (derived::has_coarse_scores)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                sum_limit[r] = rows.shift[r] < -COARSE_EXPONENT_MAX
                                   ? -1.0f
                                   : fminf(P_SUM_MAX, exp2_approx(COARSE_EXPONENT_MAX - rows.shift[r]));
    }
    // False for NaN and infinity too.
    __device__ __forceinline__ bool is_in_range(const float (&sum)[2]) const {
        if constexpr (derived::has_coarse_scores) return sum[0] <= sum_limit[0] && sum[1] <= sum_limit[1];
        return sum[0] + sum[1] <= P_SUM_MAX; // neither is below 0
    }

    // The exception: exact scores, the rows' maxima as the new shifts, O and row sums rescaled to them.
    __device__ __forceinline__ void recompute_softmax(float (&sum)[2]) {
        self().recompute_qk();
        if (block.is_masked()) mask();
        float largest[2], shift[2];
        fa_hopper_row_max<1>(s, self().score_sign(), largest);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float max = fmaxf(rows.shift[r], largest[r] * fabsf(scale_log2));
            const float factor = fa_hopper_rescale(rows.shift[r], max);
            rows.shift[r] = max;
            rows.sum[r] *= factor;
            shift[r] = max == -INFINITY ? 0.0f : max;
            if (!block.is_first())
#pragma unroll
                for (int i = 0; i < D / 2; ++i)
                    if (i / 2 % 2 == r) o[i] *= factor;
        }
        update_sum_limits();
        sum[0] = sum[1] = 0.0f;
        fa_hopper_exp2_scores<0, score_count>(s, scale_log2, shift, sum);
        fa_hopper_convert_p<T, 0, score_count>(s, p);
        __syncwarp(); // before one lane arrives for the warp on the barrier of K
    }

    // Scores to P. P V of the block before may run until `wait`: the first half of the exponentials overlaps
    // with it.
    template <typename F> __device__ __forceinline__ void softmax(F wait) {
        float sum[2] = {0.0f, 0.0f};
        fa_hopper_exp2_scores<0, score_count / 2>(s, scale_log2, rows.shift, sum);
        fa_hopper_order_after(s[ordering_score]);
        wait();
        fa_hopper_convert_p<T, 0, score_count / 2>(s, p);
        fa_hopper_exp2_scores<score_count / 2, score_count>(s, scale_log2, rows.shift, sum);
        fa_hopper_convert_p<T, score_count / 2, score_count>(s, p);
        if (__builtin_expect(__any_sync(~0u, !is_in_range(sum)), 0)) recompute_softmax(sum);
        rows.sum[0] += sum[0];
        rows.sum[1] += sum[1];
    }
};

#endif
