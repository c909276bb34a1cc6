// SPDX-License-Identifier: Apache-2.0
//
// One step of an online softmax over a row of scores in memory. A template like common/row_math.h, which is
// to be included first: row_softmax_step_<isa>().
#ifndef BENCH_ROW_SOFTMAX_H
#define BENCH_ROW_SOFTMAX_H
// Online softmax state of a row, in base 2: base is the running maximum of the scaled scores times log2(e),
// sum is over 2^(score - base). decay is the last step's rescaling factor, which the caller applies to its
// accumulators.
struct row_softmax {
    float base, sum, decay;
};
#endif

// One online softmax step over count scores that lie in memory: scores become 2^(factor * score - base) in
// place; base never falls; sum and decay are updated. factor > 0. The row is written up to the next multiple
// of the vector length.
VEC_TARGET static inline void ROW_NAME(row_softmax_step)(float *scores, int64_t count, float factor,
                                                         struct row_softmax *softmax) {
    const int64_t padded = (count + VEC_LANES - 1) / VEC_LANES * VEC_LANES;
    for (int64_t i = count; i < padded; ++i) scores[i] = -INFINITY;
    float base = ROW_CALL(row_max, scores, padded) * factor;
    if (!(base > softmax->base)) base = softmax->base;

    // Only -inf so far: 2^-inf = 0, where -inf - -inf would be NaN.
    const vec_t shift = VEC_SET1(base == -INFINITY ? 0.0f : -base), factors = VEC_SET1(factor);
    vec_t sum = VEC_ZERO();
    for (int64_t i = 0; i < padded; i += VEC_LANES) {
        const vec_t p = ROW_CALL(row_exp2, VEC_LOAD(scores + i), factors, shift);
        VEC_STORE(scores + i, p);
        sum = VEC_ADD(sum, p);
    }
    float lanes[VEC_LANES];
    VEC_STORE(lanes, ROW_CALL(row_exp2, VEC_SET1(softmax->base), VEC_SET1(1.0f), shift));
    softmax->decay = base == softmax->base ? 1.0f : lanes[0];
    softmax->sum = softmax->sum * softmax->decay + VEC_REDUCE_ADD(sum);
    softmax->base = base;
}
