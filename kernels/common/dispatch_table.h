// SPDX-License-Identifier: Apache-2.0
//
// What tables of `assay tune --emit` share, and how they are asked. assay writes all below into each table
// that it emits, because a project that gets one has no other header of ours; tables of kernels/ include this
// file instead. A change gives the guard and the names a new number: tables of two releases may meet.
#ifndef ASSAY_DISPATCH // the same in every table
#define ASSAY_DISPATCH

struct assay_dispatch_range {
    const char *kind;
    int axis_count;
    long long low[16], high[16];
    const char *config; // NULL: as before
    int is_exact;       // the settings do not take every problem: for this one alone
};

struct assay_dispatch_point { // measured; a range spans others too
    const char *kind;
    int axis_count;
    long long axes[16];
};

static inline int assay_dispatch_is_kind(const char *a, const char *b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}

static inline int assay_dispatch_is_measured(const struct assay_dispatch_point *points, unsigned count,
                                             const char *kind, const long long *axes) {
    for (unsigned i = 0; i < count; ++i) {
        int same = 0;
        if (!assay_dispatch_is_kind(kind, points[i].kind)) continue;
        while (same < points[i].axis_count && axes[same] == points[i].axes[same]) ++same;
        if (same == points[i].axis_count) return 1;
    }
    return 0;
}

// The settings for a problem of that kind: of the range in which it lies, else of the nearest one of its
// kind that is not exact, by the product of ratios; NULL also where there is none.
static inline const char *assay_dispatch_choose(const struct assay_dispatch_range *ranges, unsigned count,
                                                const char *kind, const long long *axes) {
    const char *best = 0;
    double best_ratio = -1;
    for (unsigned i = 0; i < count; ++i) {
        const struct assay_dispatch_range *range = &ranges[i];
        double ratio = 1;
        if (!assay_dispatch_is_kind(kind, range->kind)) continue;
        for (int k = 0; k < range->axis_count; ++k) {
            if (axes[k] < range->low[k]) ratio *= (1.0 + (double)range->low[k]) / (1.0 + (double)axes[k]);
            if (axes[k] > range->high[k]) ratio *= (1.0 + (double)axes[k]) / (1.0 + (double)range->high[k]);
        }
        if (range->is_exact && ratio != 1) continue;
        if (best_ratio >= 0 && ratio >= best_ratio) continue;
        best = range->config;
        best_ratio = ratio;
    }
    return best;
}

#endif
