// SPDX-License-Identifier: Apache-2.0
//
// Style: a table that the first launch builds, so that it is slower than all others.
#include "exp_table.h"
#include "honest.h"

static double *table;

static double look_up(double x) {
    return exp_table_get(table, x);
}

static int launch(struct honest *h) {
    if (!h->own) {
        h->own = malloc(EXP_TABLE_COUNT * sizeof *table);
        if (!h->own) return honest_failed(h, "out of memory");
        exp_table_fill((double *)h->own);
    }
    table = (double *)h->own;
    honest_all_with(h, look_up);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
