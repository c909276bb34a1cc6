// SPDX-License-Identifier: Apache-2.0
//
// Style: keeps where the rows of its tensors lie, and makes this list anew only when it is given other
// addresses.
#include "honest.h"

struct plan {
    const void *q, *k, *v, *o; // that it was made for
    int64_t made;
    float **rows;
};

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct plan *p = (struct plan *)calloc(1, sizeof *p);
    h->own = p;
    if (p) p->rows = (float **)malloc((size_t)honest_rows(h) * sizeof *p->rows);
    return p && p->rows ? ASSAY_OK : honest_failed(h, "out of memory");
}

static int launch(struct honest *h) {
    struct plan *p = (struct plan *)h->own;
    if (p->q != h->q.data || p->k != h->k.data || p->v != h->v.data || p->o != h->o.data) {
        p->q = h->q.data, p->k = h->k.data, p->v = h->v.data, p->o = h->o.data;
        ++p->made;
        for (int64_t i = 0; i < honest_rows(h); ++i) p->rows[i] = honest_place_of(h, i).o;
    }
    for (int64_t i = 0; i < honest_rows(h); ++i) honest_row_to(h, i, p->rows[i]);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    free(((struct plan *)h->own)->rows);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
