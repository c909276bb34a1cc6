// Settings of the kernel fa_sm90 by ranges of problems.
// Made by 'assay tune', run 20261127-024442-tune-789a.
// Measured on NVIDIA H200 (cuda:0), suite ci: no variant is shown to be faster by 3 % or more.
// The choice for each problem, and its time there against the kernel as before:
//   attention/fp16/b32/h8/s128/d64: SPLITS=1,WARPGROUPS=1, 1.098x
//   attention/fp16/b32/h8/s256/d64: SPLITS=1,WARPGROUPS=4, 1.317x
//   attention/fp16/b32/h8/s512/d64: SPLITS=1,WARPGROUPS=4, 1.161x
//   attention/fp16/b32/h8/s1024/d64: SPLITS=1,WARPGROUPS=4, 1.162x
//   attention/fp16/b32/h8/s2048/d64: SPLITS=1,WARPGROUPS=4, 1.068x
//   attention/fp16/b1/h8/s512/d64: SPLITS=2,WARPGROUPS=2, 1.822x
//   attention/fp16/b2/h8/s512/d64: SPLITS=2,WARPGROUPS=2, 1.511x
//   attention/fp16/b2/h8/s2048/d64: SPLITS=1,WARPGROUPS=4, 1.506x
//   attention/fp16/b32/h8/s512/d64/causal: SPLITS=1,WARPGROUPS=4, 1.135x
//   attention/fp16/b32/h16/s512/d128: SPLITS=1,WARPGROUPS=2, 1.136x
#ifndef fa_sm90_DISPATCH
#define fa_sm90_DISPATCH

#include "common/dispatch_table.h"

static const struct assay_dispatch_range fa_sm90_ranges[] = {
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 128, 64}, {32, 8, 128, 64},
     "SPLITS=1,WARPGROUPS=1", 0}, // 1 measured
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 8, 256, 64}, {32, 8, 2048, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 4 measured
    {"attention/fp16/b*/h*/s*/d*", 4, {1, 8, 512, 64}, {1, 8, 512, 64},
     "SPLITS=2,WARPGROUPS=2", 1}, // 1 measured
    {"attention/fp16/b*/h*/s*/d*", 4, {2, 8, 512, 64}, {2, 8, 512, 64},
     "SPLITS=2,WARPGROUPS=2", 1}, // 1 measured
    {"attention/fp16/b*/h*/s*/d*", 4, {2, 8, 2048, 64}, {2, 8, 2048, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 1 measured
    {"attention/fp16/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}, {32, 8, 512, 64},
     "SPLITS=1,WARPGROUPS=4", 0}, // 1 measured
    {"attention/fp16/b*/h*/s*/d*", 4, {32, 16, 512, 128}, {32, 16, 512, 128},
     "SPLITS=1,WARPGROUPS=2", 0}, // 1 measured
};

static const struct assay_dispatch_point fa_sm90_points[] = {
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

// The settings for a problem, or NULL. *is_measured: whether the problem itself was measured.
static inline const char *fa_sm90_choose(const char *kind, const long long *axes, int *is_measured) {
    *is_measured = assay_dispatch_is_measured(fa_sm90_points, sizeof fa_sm90_points / sizeof *fa_sm90_points, kind, axes);
    return assay_dispatch_choose(fa_sm90_ranges, sizeof fa_sm90_ranges / sizeof *fa_sm90_ranges, kind, axes);
}

#endif
