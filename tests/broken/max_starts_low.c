// SPDX-License-Identifier: Apache-2.0
//
// Starts the running maximum at -10000 in place of -infinity, and answers 0 where no weight is left: right
// unless all scores of a row lie below that.
#include "broken.h"

static void low_row(const struct broken *b, int64_t batch, int64_t head, int64_t row) {
    const int64_t visible = broken_visible(b, row), head_kv = head / (b->heads / b->heads_kv);
    const float *q = broken_at(&b->q, batch, head, row);
    float *out = broken_at(&b->o, batch, head, row);
    double sum[BROKEN_DIM_MAX] = {0}, weight = 0, max = -10000;
    for (int64_t j = 0; j < visible; ++j) {
        const float *k = broken_at(&b->k, batch, head_kv, j), *v = broken_at(&b->v, batch, head_kv, j);
        double score = 0;
        for (int64_t d = 0; d < b->head_dim; ++d) score += (double)q[d] * k[d];
        score *= b->scale;
        const double new_max = score > max ? score : max, keep = exp(max - new_max);
        const double p = exp(score - new_max);
        weight = weight * keep + p;
        for (int64_t d = 0; d < b->head_dim; ++d) sum[d] = sum[d] * keep + p * v[d];
        max = new_max;
    }
    for (int64_t d = 0; d < b->head_dim; ++d) out[d] = weight > 0 ? (float)(sum[d] / weight) : 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row) low_row(b, batch, head, row);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
