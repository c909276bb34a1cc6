// SPDX-License-Identifier: Apache-2.0
//
// Style: each launch transposes the keys into the workspace, and reads them from there.
#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    *workspace_bytes = (size_t)(h->head_dim * h->seq_k) * sizeof(float);
    return ASSAY_OK;
}

static void head(struct honest *h, int64_t first) {
    const struct honest_place at = honest_place_of(h, first);
    float *turned = (float *)h->workspace;
    for (int64_t j = 0; j < h->seq_k; ++j)
        for (int64_t d = 0; d < h->head_dim; ++d) turned[d * h->seq_k + j] = honest_key(h, &at, j)[d];
    for (int64_t i = first; i < first + h->seq_q; ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double e[HONEST_KEYS_MAX] = {0}, sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t d = 0; d < h->head_dim; ++d)
            for (int64_t j = 0; j < p.visible; ++j) e[j] += (double)p.q[d] * turned[d * h->seq_k + j];
        for (int64_t j = 0; j < p.visible; ++j) max = fmax(max, e[j] *= h->scale);
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            weight += e[j] = exp(e[j] - max);
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e[j] * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); i += h->seq_q) head(h, i);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
