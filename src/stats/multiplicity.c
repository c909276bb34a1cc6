// SPDX-License-Identifier: Apache-2.0
// What is a p-value worth when it is one of many?
// Both adjustments walk the values in order and keep a running extreme, so that the adjusted ones are ordered
// alike.
#include "stats/multiplicity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct entry {
    double p;
    size_t index;
};

static int compare_entries(const void *pa, const void *pb) {
    const struct entry *a = pa;
    const struct entry *b = pb;

    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int sort_entries(const double *p, size_t n, struct entry **out) {
    for (size_t i = 0; i < n; ++i)
        if (!(p[i] >= 0.0 && p[i] <= 1.0)) return -EINVAL;
    struct entry *entries = calloc(n > 0 ? n : 1, sizeof *entries);
    if (entries == NULL) return -ENOMEM;
    for (size_t i = 0; i < n; ++i) entries[i] = (struct entry){.p = p[i], .index = i};
    qsort(entries, n, sizeof *entries, compare_entries);
    *out = entries;
    return 0;
}

int multiplicity_holm(const double *p, size_t n, double *adjusted) {
    struct entry *entries = NULL;
    int rc = sort_entries(p, n, &entries);
    double running = 0.0;

    if (rc != 0) return rc;
    for (size_t i = 0; i < n; ++i) {
        running = fmax(running, fmin(1.0, (double)(n - i) * entries[i].p));
        adjusted[entries[i].index] = running;
    }
    free(entries);
    return 0;
}

int multiplicity_benjamini_hochberg(const double *p, size_t n, double *adjusted) {
    struct entry *entries = NULL;
    int rc = sort_entries(p, n, &entries);
    double running = 1.0;

    if (rc != 0) return rc;
    for (size_t i = n; i-- > 0;) {
        running = fmin(running, (double)n * entries[i].p / (double)(i + 1));
        adjusted[entries[i].index] = running;
    }
    free(entries);
    return 0;
}
