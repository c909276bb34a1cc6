// Settings of the kernel fa by ranges of problems.
// Made by 'assay tune', run 20261126-122526-tune-8538, on cuda:0.
// FORM=0 is 1.91x as fast as the baseline (95 % 1.91x to 1.91x)
//   attention/fp16/b32/h8/s128/d64: FORM=0, 1.141x
//   attention/fp16/b32/h8/s256/d64: FORM=0, 1.677x
//   attention/fp16/b32/h8/s512/d64: FORM=0, 2.052x
//   attention/fp16/b32/h8/s1024/d64: FORM=0, 2.158x
//   attention/fp16/b32/h8/s2048/d64: FORM=0, 2.159x
//   attention/fp16/b1/h8/s512/d64: FORM=0, 1.975x
//   attention/fp16/b2/h8/s512/d64: FORM=0, 1.783x
//   attention/fp16/b2/h8/s2048/d64: FORM=0, 2.069x
//   attention/fp16/b32/h8/s512/d64/causal: FORM=0, 1.964x
//   attention/fp16/b32/h16/s512/d128: FORM=0, 2.480x
#ifndef fa_DISPATCH
#define fa_DISPATCH

static const struct fa_range {
    const char *kind;
    int axis_count;
    long long low[16], high[16];
    const char *config; // NULL: as before
    int is_exact; // the settings do not take every problem: for this one alone
} fa_ranges[] = {
    {"attention/fp16/b*/h*/s*/d*", 4, {1, 8, 128, 64}, {32, 16, 2048, 128},
     "FORM=0", 0}, // 9 measured
    {"attention/fp16/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}, {32, 8, 512, 64},
     "FORM=0", 0}, // 1 measured
};

static const struct fa_point { // measured; a range spans others too
    const char *kind;
    int axis_count;
    long long axes[16];
} fa_points[] = {
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 128, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 256, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 512, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 1024, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 2048, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {1, 8, 512, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {2, 8, 512, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {2, 8, 2048, 64}},
    {"attention/fp16/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}},
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 16, 512, 128}},
};

static inline int fa_is_measured(const char *kind, const long long *axes) {
    for (unsigned i = 0; i < sizeof fa_points / sizeof *fa_points; ++i) {
        const struct fa_point *point = &fa_points[i];
        const char *a = kind, *b = point->kind;
        int same = 0;
        while (*a && *a == *b) ++a, ++b;
        if (*a != *b) continue;
        while (same < point->axis_count && axes[same] == point->axes[same]) ++same;
        if (same == point->axis_count) return 1;
    }
    return 0;
}

// The settings for a problem of that kind: of the range in which it lies, else of the nearest one of its
// kind that is not exact, by the product of ratios; NULL also where there is none. *is_measured: whether
// the problem itself was measured.
static inline const char *fa_choose(const char *kind, const long long *axes, int *is_measured) {
    const char *best = 0;
    double best_ratio = -1;
    *is_measured = fa_is_measured(kind, axes);
    for (unsigned i = 0; i < sizeof fa_ranges / sizeof *fa_ranges; ++i) {
        const struct fa_range *range = &fa_ranges[i];
        const char *a = kind, *b = range->kind;
        double ratio = 1;
        while (*a && *a == *b) ++a, ++b;
        if (*a != *b) continue;
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
