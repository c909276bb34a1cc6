// SPDX-License-Identifier: Apache-2.0
//
// Style: copies all inputs to memory of its own first, and computes from the copies.
#include "honest.h"

static float *copy_of(struct assay_tensor *t) {
    const int64_t rows = t->shape[0] * t->shape[1] * t->shape[2], dim = t->shape[3];
    float *copy = (float *)malloc((size_t)(rows * dim) * sizeof *copy);
    if (!copy) return NULL;
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t row = r % t->shape[2], head = r / t->shape[2] % t->shape[1];
        memcpy(copy + r * dim, honest_at(t, r / t->shape[2] / t->shape[1], head, row),
               (size_t)dim * sizeof *copy);
    }
    t->data = copy;
    t->stride[2] = dim;
    t->stride[1] = dim * t->shape[2];
    t->stride[0] = t->stride[1] * t->shape[1];
    return copy;
}

static int launch(struct honest *h) {
    float *q = copy_of(&h->q), *k = copy_of(&h->k), *v = copy_of(&h->v);
    if (q && k && v) honest_all(h);
    free(q);
    free(k);
    free(v);
    return q && k && v ? ASSAY_OK : honest_failed(h, "out of memory");
}

HONEST_KERNEL(launch)
