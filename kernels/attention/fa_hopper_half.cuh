// SPDX-License-Identifier: Apache-2.0
//
// A computing warpgroup (fa_hopper_stream.cuh) whose weights are fp16 or bf16, T, as are V in shared memory and O. References are
// taken once: the largest of every fourth group of eight scores of a row's first block. Weights are taken for granted, and where a
// thread's add up to more than 2^15 (or to NaN) its warp asks for the block's scores again and takes the maximum. Of the kind:
//   issue_scores(), start_tile(), sign(), value_factor()   as there
//   scores_again()        the block's scores into s once more, by this warp alone and in float32
//   is_coarse             issue_scores() keeps 13 bits of a sum
//   v_units()             where V of the block at work lies
#ifndef ATTENTION_FA_HOPPER_HALF_CUH
#define ATTENTION_FA_HOPPER_HALF_CUH

#include "attention/fa_hopper_stream.cuh"

// A thread's weights of a block and its two rows add up to no more, or references are taken anew: fp16 holds 65504.
#define WEIGHTS_MAX 32768.0f
// Exponents beyond are taken from scores in float32. A coarse score lacks up to 2^-13 of its largest term for each of its terms: where
// one key is all that a row looks at, that is an error of the log-sum-exp, and grows with the score.
#define COARSE_EXPONENT 9.0f

template <typename kind, typename shape, typename T> struct fa_half_stream : fa_stream<kind, shape, T> {
    using base = fa_stream<kind, shape, T>;
    using base::base, base::block, base::mask, base::o, base::p, base::rows, base::s, base::self;
    static constexpr int D = shape::dim, N = shape::keys, scores = N / 2;
    float limit[2]; // of a thread's weights of a block, by row; only if is_coarse
    // Of the tile's scores. Not from a uniform register: that one costs the multiply-add a register more.
    float scale_log2;

    __device__ __forceinline__ void issue_output(int index) {
        fa_issue_output<T, D, N>(o, p, self().v_units(), shape::column_bytes, index == 0);
    }

    __device__ __forceinline__ void find_references() {
        fa_largest<4>(s, self().sign(), rows.reference);
        rows.reference[0] *= fabsf(scale_log2);
        rows.reference[1] *= fabsf(scale_log2);
        rows.sum[0] = rows.sum[1] = 0.0f;
        find_limits();
    }

    // Where a row's largest scores are coarse, above or below 0, their blocks are weighed again.
    __device__ __forceinline__ void find_limits() {
        if constexpr (kind::is_coarse)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                limit[r] = rows.reference[r] < -COARSE_EXPONENT
                               ? -1.0f // nothing fits
                               : fminf(WEIGHTS_MAX, mma_exp2(COARSE_EXPONENT - rows.reference[r]));
    }
    // False where they are not finite, too: NaN does not compare.
    __device__ __forceinline__ bool fits(const float (&sum)[2]) const {
        if constexpr (kind::is_coarse) return sum[0] <= limit[0] && sum[1] <= limit[1];
        return sum[0] + sum[1] <= WEIGHTS_MAX; // neither is below 0
    }

    // The weights did not fit: from the scores again, with the rows' maxima taken anew.
    __device__ __forceinline__ void weigh_again(float (&sum)[2]) {
        self().scores_again();
        if (block.is_masked()) mask();
        float largest[2], reference[2];
        fa_largest<1>(s, self().sign(), largest);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float max = fmaxf(rows.reference[r], largest[r] * fabsf(scale_log2));
            const float factor = fa_factor(rows.reference[r], max);
            rows.reference[r] = max;
            rows.sum[r] *= factor;
            reference[r] = max == -INFINITY ? 0.0f : max;
            if (!block.is_first())
#pragma unroll
                for (int i = 0; i < D / 2; ++i)
                    if (i / 2 % 2 == r) o[i] *= factor;
        }
        find_limits();
        sum[0] = sum[1] = 0.0f;
        fa_weights<0, scores>(s, scale_log2, reference, sum);
        fa_round<T, 0, scores>(s, p);
        __syncwarp(); // one lane will say that the warp has read K
    }

    // Scores become weights and then P. P V of the block before may run until `wait`.
    template <typename F> __device__ __forceinline__ void weigh(F wait) {
        float sum[2] = {0.0f, 0.0f};
        fa_weights<0, scores / 2>(s, scale_log2, rows.reference, sum);
        fa_pin(s[scores / 2 - 9]);
        wait();
        fa_round<T, 0, scores / 2>(s, p);
        fa_weights<scores / 2, scores>(s, scale_log2, rows.reference, sum);
        fa_round<T, scores / 2, scores>(s, p);
        if (__builtin_expect(__any_sync(~0u, !fits(sum)), 0)) weigh_again(sum);
        rows.sum[0] += sum[0];
        rows.sum[1] += sum[1];
    }
};

#endif
