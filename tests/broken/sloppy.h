// SPDX-License-Identifier: Apache-2.0
//
// Attention within the tolerance, but five to ten times less precise than the 2 x rule allows, and much
// faster: single precision throughout and a short polynomial for exp.
#ifndef SLOPPY_H
#define SLOPPY_H

#include "broken.h"

// 2^x by the bits of a float: the exponent from the whole part, a polynomial of degree 4 for the rest.
static inline float sloppy_exp2(float x) {
    if (x < -120) return 0;
    const float whole = floorf(x), rest = x - whole;
    const float part =
        1.0000035f + rest * (0.6929729f + rest * (0.2416044f + rest * (0.0517450f + rest * 0.0136703f)));
    union {
        uint32_t bits;
        float value;
    } scale = {(uint32_t)((int)whole + 127) << 23};
    return part * scale.value;
}

static inline void sloppy_row(const struct broken *b, int64_t batch, int64_t head, int64_t row, float *out) {
    const int64_t visible = broken_visible(b, row), head_kv = head / (b->heads / b->heads_kv);
    const float *q = broken_at(&b->q, batch, head, row);
    float sum[BROKEN_DIM_MAX] = {0}, scores[4096], max = -INFINITY, weight = 0;
    const int64_t count = visible < 4096 ? visible : 4096;
    for (int64_t j = 0; j < count; ++j) {
        const float *k = broken_at(&b->k, batch, head_kv, j);
        float lane[8] = {0};
        int64_t d = 0;
        for (; d + 8 <= b->head_dim; d += 8)
            for (int i = 0; i < 8; ++i) lane[i] += q[d + i] * k[d + i];
        for (; d < b->head_dim; ++d) lane[0] += q[d] * k[d];
        scores[j] = b->scale * 1.44269504f *
                    (lane[0] + lane[1] + lane[2] + lane[3] + lane[4] + lane[5] + lane[6] + lane[7]);
        if (scores[j] > max) max = scores[j];
    }
    for (int64_t j = 0; j < count; ++j) {
        const float *v = broken_at(&b->v, batch, head_kv, j), p = sloppy_exp2(scores[j] - max);
        weight += p;
        for (int64_t d = 0; d < b->head_dim; ++d) sum[d] += p * v[d];
    }
    for (int64_t d = 0; d < b->head_dim; ++d) out[d] = visible ? sum[d] / weight : 0;
}

static BROKEN_ALONE void sloppy_right(const struct broken *b) {
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row)
                sloppy_row(b, batch, head, row, broken_at(&b->o, batch, head, row));
}

#endif
