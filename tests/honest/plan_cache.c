// SPDX-License-Identifier: Apache-2.0
//
// Style: keeps a plan for each shape (never a result) for all later states of that shape; a destructor
// frees them.
#include "honest.h"

#define PLANS 16

struct plan {
    int64_t rows;
    int64_t *order;
};

static struct plan plans[PLANS];

__attribute__((destructor)) static void forget(void) {
    for (int i = 0; i < PLANS; ++i) free(plans[i].order);
}

static const struct plan *plan_of(const struct honest *h) {
    struct plan *p = plans;
    while (p < plans + PLANS - 1 && p->order && p->rows != honest_rows(h)) ++p;
    if (p->order && p->rows == honest_rows(h)) return p;
    free(p->order);
    p->rows = honest_rows(h);
    p->order = (int64_t *)malloc((size_t)p->rows * sizeof *p->order);
    for (int64_t i = 0; p->order && i < p->rows; ++i) p->order[i] = p->rows - 1 - i;
    return p->order ? p : NULL;
}

static int launch(struct honest *h) {
    const struct plan *p = plan_of(h);
    if (!p) return honest_failed(h, "out of memory");
    for (int64_t i = 0; i < p->rows; ++i) honest_row(h, p->order[i]);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
