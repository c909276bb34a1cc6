// Settings of the kernel fa_sm90_fp8 by ranges of problems.
// Made by 'assay tune', run 20261127-030443-tune-b69d.
// Measured on NVIDIA H200 (cuda:0), suite ci: no variant is shown to be faster by 3 % or more.
// The choice for each problem, and its time there against the kernel as before:
//   attention/fp8_e4m3/b32/h8/s128/d64: SPLITS=1,WARPGROUPS=1, 1.148x
//   attention/fp8_e4m3/b32/h8/s256/d64: SPLITS=1,WARPGROUPS=4, 1.324x
//   attention/fp8_e4m3/b32/h8/s512/d64: SPLITS=1,WARPGROUPS=4, 1.116x
//   attention/fp8_e4m3/b32/h8/s1024/d64: SPLITS=1,WARPGROUPS=4, 1.120x
//   attention/fp8_e4m3/b32/h8/s2048/d64: SPLITS=1,WARPGROUPS=4, 1.032x
//   attention/fp8_e4m3/b1/h8/s512/d64: SPLITS=2,WARPGROUPS=2, 1.776x
//   attention/fp8_e4m3/b2/h8/s512/d64: SPLITS=2,WARPGROUPS=2, 1.491x
//   attention/fp8_e4m3/b2/h8/s2048/d64: SPLITS=1,WARPGROUPS=4, 1.416x
//   attention/fp8_e4m3/b32/h8/s512/d64/causal: SPLITS=1,WARPGROUPS=4, 1.161x
//   attention/fp8_e4m3/b32/h16/s512/d128: as before, 1.000x
#ifndef fa_sm90_fp8_DISPATCH
#define fa_sm90_fp8_DISPATCH

static const struct fa_sm90_fp8_range {
    const char *kind;
    int axis_count;
    long long low[16], high[16];
    const char *config; // NULL: as before
    int is_exact; // the settings do not take every problem: for this one alone
} fa_sm90_fp8_ranges[] = {
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 128, 64}, {32, 8, 128, 64},
     "SPLITS=1,WARPGROUPS=1", 0}, // 1 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 256, 64}, {32, 8, 2048, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 4 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {1, 8, 512, 64}, {1, 8, 512, 64},
     "SPLITS=2,WARPGROUPS=2", 1}, // 1 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {2, 8, 512, 64}, {2, 8, 512, 64},
     "SPLITS=2,WARPGROUPS=2", 1}, // 1 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {2, 8, 2048, 64}, {2, 8, 2048, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 1 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}, {32, 8, 512, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 1 measured
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 16, 512, 128}, {32, 16, 512, 128},
     0, 0}, // 1 measured
};

static const struct fa_sm90_fp8_point { // measured; a range spans others too
    const char *kind;
    int axis_count;
    long long axes[16];
} fa_sm90_fp8_points[] = {
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 128, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 256, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 512, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 1024, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 8, 2048, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {1, 8, 512, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {2, 8, 512, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {2, 8, 2048, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}},
    {"attention/fp8_e4m3/b*/h*/s*/d*", 4, {32, 16, 512, 128}},
};

static inline int fa_sm90_fp8_is_measured(const char *kind, const long long *axes) {
    for (unsigned i = 0; i < sizeof fa_sm90_fp8_points / sizeof *fa_sm90_fp8_points; ++i) {
        const struct fa_sm90_fp8_point *point = &fa_sm90_fp8_points[i];
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
static inline const char *fa_sm90_fp8_choose(const char *kind, const long long *axes, int *is_measured) {
    const char *best = 0;
    double best_ratio = -1;
    *is_measured = fa_sm90_fp8_is_measured(kind, axes);
    for (unsigned i = 0; i < sizeof fa_sm90_fp8_ranges / sizeof *fa_sm90_fp8_ranges; ++i) {
        const struct fa_sm90_fp8_range *range = &fa_sm90_fp8_ranges[i];
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
