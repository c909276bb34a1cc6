// SPDX-License-Identifier: Apache-2.0
//
// Consumer with P in 16 bits: softmax with a shift that seldom moves instead of a running maximum.
//
// FlashAttention subtracts a row's running maximum and rescales O and the row sum whenever it grows.
// Softmax is the same for any shift that keeps the exponentials in range, so a row's shift is taken once,
// from the first key block of the walk: the largest score there, and a margin. All blocks use P = 2^(score
// - shift), and no maximum is searched. The exception: a thread's exponentials of a block sum to more than
// P can hold (fp16 ends at 65504). They are still there in float32, which holds 2^127, so the warp moves
// the shift up by the logarithm of their sum and multiplies them, O and the row sum by the same factor:
// about 60 instructions, and nothing is computed again. Only where float32 overflowed too, or for NaN, does
// the warp recompute the scores by mma.sync from Q and K, still in shared memory. The margin is room for
// larger scores, paid for by weights that are subnormal earlier: problem.shift_margin.
//
// T: the type of P and O (fp16, bf16) and of V in shared memory. The derived class provides issue_qk,
// begin_tile, score_sign and v_scale (fa_hopper_consumer.cuh), and:
//   recompute_qk()        the block's scores into s again, by this warp alone with fp32 accumulation
//   has_coarse_scores     issue_qk() keeps only 13 bits of a sum (fp8 wgmma)
//   v_units()             address of V for the current P V, in descriptor units
#ifndef ATTENTION_FA_HOPPER_SOFTMAX_CUH
#define ATTENTION_FA_HOPPER_SOFTMAX_CUH

#include "attention/fa_hopper_consumer.cuh"

// Shifts move where sums are up to this and shifts up to that, so that no exponential is lost in rounding;
// other blocks are recomputed. Rows move with their neighbours from LARGE_SUM on.
#define MOVED_SUM_MAX   0x1p100f
#define MOVED_SHIFT_MAX 1024.0f
#define LARGE_SUM       0x1p12f

// A larger sum of a thread's exponentials (one block, two rows) is too much for P in fp16. In bf16 it would
// be too much for O: 2^30 leaves room for a V of 2^90.
template <typename T> inline constexpr float fa_hopper_p_sum_max = 65000.0f;
template <> inline constexpr float fa_hopper_p_sum_max<__nv_bfloat16> = 0x1p30f;

template <typename derived, typename traits, typename T>
struct fa_hopper_softmax_consumer : fa_hopper_consumer<derived, traits, T> {
    using base = fa_hopper_consumer<derived, traits, T>;
    using base::base, base::block, base::mask, base::o, base::p, base::problem, base::rows, base::s,
        base::self;
    static constexpr float p_sum_max = fa_hopper_p_sum_max<T>;
    static constexpr int D = traits::dim, N = traits::keys, score_count = N / 2;
    // The exponential that the wait for P V is ordered after: the ninth from the end of the first half, so
    // that eight may still be in flight.
    static constexpr int ordering_score = score_count / 2 - 9;
    float sum_limit; // of a thread's exponentials of a block; below 0: its scores are always taken again
    // Factor of the tile's scores, in a vector register: as a uniform register it costs FFMA an extra
    // register.
    float scale_log2;

    __device__ __forceinline__ void issue_pv(int index) {
        fa_hopper_issue_pv<T, D, N>(o, p, self().v_units(), traits::atom_column_bytes, index == 0);
    }

    __device__ __forceinline__ void begin_shift() {
        fa_hopper_row_max(s, self().score_sign(), rows.shift);
        rows.shift[0] = fmaf(rows.shift[0], fabsf(scale_log2), problem.shift_margin);
        rows.shift[1] = fmaf(rows.shift[1], fabsf(scale_log2), problem.shift_margin);
        rows.sum[0] = rows.sum[1] = 0.0f;
        sum_limit = needs_exact_scores() ? -1.0f : p_sum_max;
    }

    // The log-sum-exp has to be exact, and O does not need more than coarse scores have. What one of them is
    // off by depends on partial sums, so that no score tells: where keys are equal it was 1.3e-3 at a score
    // of 2.9 (D = 128, on the emulator's adder).
    __device__ __forceinline__ bool needs_exact_scores() const {
        return derived::has_coarse_scores && problem.attention.data.lse;
    }
    // False for NaN and infinity too, and where scores have to be exact.
    __device__ __forceinline__ bool is_in_range(const float (&sum)[2]) const {
        const float limit = derived::has_coarse_scores ? sum_limit : p_sum_max;
        return sum[0] + sum[1] <= limit; // neither is below 0
    }

    // Multiplies row r of O by `factor`; a tile's first block has no O yet.
    __device__ __forceinline__ void rescale_o(int r, float factor) {
        if (block.is_first()) return;
#pragma unroll
        for (int i = 0; i < D / 2; ++i)
            if (i / 2 % 2 == r) o[i] *= factor;
    }

    // Moves the shifts of rows r, of all lanes, up by the logarithm of the row's largest sum in a thread and
    // the margin; exponentials, sums and O follow. Where one key outweighs all others, its weight becomes a
    // power of two, which P holds without rounding.
    __device__ __forceinline__ void move_shift(int r, float &sum) {
        const float largest = fa_hopper_quad_max(sum);
        const bool moves = largest >= 1.0f;
        const uint32_t bits = __float_as_uint(rcp_approx(largest)) - problem.shift_margin_bits;
        const float factor = moves ? __uint_as_float(bits) : 1.0f;
        rows.shift[r] += moves ? log2_approx(largest) + problem.shift_margin : 0.0f;
        rows.sum[r] *= factor;
        sum *= factor;
#pragma unroll
        for (int i = 0; i < score_count; ++i)
            if (i / 2 % 2 == r) s[i] *= factor;
        rescale_o(r, factor);
    }
    // Whether move_shift is right: false for NaN and infinity, for shifts in which a step would be rounded
    // away, and where scores have to be exact.
    __device__ __forceinline__ bool can_move_shift(const float (&sum)[2]) const {
        return !needs_exact_scores() && sum[0] + sum[1] <= MOVED_SUM_MAX &&
               fabsf(rows.shift[0]) + fabsf(rows.shift[1]) <= MOVED_SHIFT_MAX;
    }

    // Exact scores, the rows' maxima as the new shifts. The first block's shift came of scores that were not.
    __device__ __forceinline__ void recompute_exponentials(float (&sum)[2]) {
        self().recompute_qk();
        if (block.is_masked()) mask();
        float largest[2], shift[2];
        fa_hopper_row_max(s, self().score_sign(), largest);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float from = block.is_first() ? -INFINITY : rows.shift[r];
            const float max = fmaxf(from, largest[r] * fabsf(scale_log2));
            const float factor = fa_hopper_rescale(from, max);
            rows.shift[r] = max;
            rows.sum[r] *= factor;
            rescale_o(r, factor);
            shift[r] = max == -INFINITY ? 0.0f : max;
        }
        sum[0] = sum[1] = 0.0f;
        fa_hopper_exp2_scores<0, score_count>(s, scale_log2, shift, sum);
        __syncwarp(); // before one lane arrives for the warp on the barrier of K
    }

    // The exception: brings exponentials, sums, O and the half of P that is made already into range.
    __device__ __forceinline__ void correct_softmax(float (&sum)[2]) {
        if (__any_sync(~0u, !can_move_shift(sum))) {
            recompute_exponentials(sum);
            fa_hopper_convert_p<T, 0, score_count / 2>(s, p);
            return;
        }
        const bool is_large[2] = {__any_sync(~0u, sum[0] > LARGE_SUM) != 0,
                                  __any_sync(~0u, sum[1] > LARGE_SUM) != 0};
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (!is_large[r]) continue;
            move_shift(r, sum[r]);
#pragma unroll
            for (int i = r; i < score_count / 4; i += 2) p[i] = mma_pack(s[2 * i], s[2 * i + 1], T());
        }
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
        if (__builtin_expect(__any_sync(~0u, !is_in_range(sum)), 0)) correct_softmax(sum);
        fa_hopper_convert_p<T, score_count / 2, score_count>(s, p);
        rows.sum[0] += sum[0];
        rows.sum[1] += sum[1];
    }
};

#endif
