// SPDX-License-Identifier: Apache-2.0
//
// Attention with capped scores, right or without the cap.
#ifndef CAPPED_H
#define CAPPED_H

#define BROKEN_FEATURES "softcap"
#define BROKEN_PREPARE  capped_prepare
#include "broken.h"

static double cap; // of the problem that was prepared last; 0: none

static int capped_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                          size_t *workspace_bytes, struct assay_message *message) {
    cap = assay_scalar_get(problem->scalars, problem->scalar_count, "softcap", 0);
    return broken_prepare(problem, env, state, workspace_bytes, message);
}

static inline void capped_row(const struct broken *b, int64_t batch, int64_t head, int64_t row, double limit,
                              float *out) {
    const int64_t visible = broken_visible(b, row), head_kv = head / (b->heads / b->heads_kv);
    const float *q = broken_at(&b->q, batch, head, row);
    double sum[BROKEN_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
    for (int pass = 0; pass < 2; ++pass)
        for (int64_t j = 0; j < visible; ++j) {
            const float *k = broken_at(&b->k, batch, head_kv, j), *v = broken_at(&b->v, batch, head_kv, j);
            double score = 0;
            for (int64_t d = 0; d < b->head_dim; ++d) score += (double)q[d] * k[d];
            score *= b->scale;
            if (limit > 0) score = limit * tanh(score / limit);
            if (pass == 0) {
                max = fmax(max, score);
                continue;
            }
            const double p = exp(score - max);
            weight += p;
            for (int64_t d = 0; d < b->head_dim; ++d) sum[d] += p * v[d];
        }
    for (int64_t d = 0; d < b->head_dim; ++d) out[d] = visible ? (float)(sum[d] / weight) : 0;
}

// limit: 0: scores are not capped
static BROKEN_ALONE void capped_all(const struct broken *b, double limit) {
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row)
                capped_row(b, batch, head, row, limit, broken_at(&b->o, batch, head, row));
}

#endif
