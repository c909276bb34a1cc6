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

#include "common/dispatch_table.h"

static const struct assay_dispatch_range fa_ranges[] = {
    {"attention/fp16/b*/h*/s*/d*", 4, {1, 8, 128, 64}, {32, 16, 2048, 128},
     "FORM=0", 0}, // 9 measured
    {"attention/fp16/b*/h*/s*/d*/causal", 4, {32, 8, 512, 64}, {32, 8, 512, 64},
     "FORM=0", 0}, // 1 measured
};

static const struct assay_dispatch_point fa_points[] = {
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
static inline const char *fa_choose(const char *kind, const long long *axes, int *is_measured) {
    *is_measured = assay_dispatch_is_measured(fa_points, sizeof fa_points / sizeof *fa_points, kind, axes);
    return assay_dispatch_choose(fa_ranges, sizeof fa_ranges / sizeof *fa_ranges, kind, axes);
}

#endif
