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

#include "common/dispatch_table.h"

static const struct assay_dispatch_range fa_sm90_fp8_ranges[] = {
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

static const struct assay_dispatch_point fa_sm90_fp8_points[] = {
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

// The settings for a problem, or NULL. *is_measured: whether the problem itself was measured.
static inline const char *fa_sm90_fp8_choose(const char *kind, const long long *axes, int *is_measured) {
    *is_measured = assay_dispatch_is_measured(fa_sm90_fp8_points, sizeof fa_sm90_fp8_points / sizeof *fa_sm90_fp8_points, kind, axes);
    return assay_dispatch_choose(fa_sm90_fp8_ranges, sizeof fa_sm90_fp8_ranges / sizeof *fa_sm90_fp8_ranges, kind, axes);
}

#endif
