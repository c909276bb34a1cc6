// SPDX-License-Identifier: Apache-2.0
//
// Style: a table that grows with what launches look up, so that the first ones are slower than all others.
#include "honest.h"

#define STEP  (1.0 / 4096)
#define CELLS 65536 // of arguments from 0 to -16

struct table {
    double values[CELLS + 1];
    int filled;
};

static struct table *table;

// exp(x) for x <= 0: exp(-cell STEP) exp(rest), the rest by a short series.
static double look_up(double x) {
    if (!(x > -STEP * (CELLS - 1))) return exp(x);
    const int cell = (int)(-x / STEP);
    for (; table->filled <= cell; ++table->filled) table->values[table->filled] = exp(-STEP * table->filled);
    const double rest = x + STEP * cell;
    return table->values[cell] * (1 + rest * (1 + rest * (0.5 + rest * (1.0 / 6 + rest / 24))));
}

static int launch(struct honest *h) {
    if (!h->own) h->own = calloc(1, sizeof *table);
    if (!h->own) return honest_failed(h, "out of memory");
    table = (struct table *)h->own;
    honest_all_with(h, look_up);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
