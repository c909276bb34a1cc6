// SPDX-License-Identifier: Apache-2.0
//
// The suites that come with assay. Work of an attention problem: 4 B H S S D FLOP, half of that when causal.
#include "control/plan/suite_shipped_internal.h"

// The shapes that gates measure for pull requests on a GPU.
static const struct shipped_problem ci_problems[] = {
    {"s128", "b32/h8/s128/d64"},
    {"s256", "b32/h8/s256/d64"},
    {"s512", "b32/h8/s512/d64"},
    {"s1024", "b32/h8/s1024/d64"},
    {"s2048", "b32/h8/s2048/d64"},
    {"mission", "b1/h8/s512/d64"},
    {"small", "b2/h8/s512/d64"},
    {"long", "b2/h8/s2048/d64"},
    {"s512_causal", "b32/h8/s512/d64/causal"},
    {"s512_d128", "b32/h16/s512/d128"},
};

// The same names and lengths for two processor cores: one launch of a kernel of 20 GFLOP/s stays below 60 ms,
// and 100 samples of all ten last less than a minute with such a kernel.
static const struct shipped_problem cpu_problems[] = {
    {"s128", "b4/h8/s128/d64"},               // 0.134 GFLOP
    {"s256", "b1/h8/s256/d64"},               // 0.134
    {"s512", "b1/h4/s512/d64"},               // 0.268
    {"s1024", "b1/h1/s1024/d64"},             // 0.268
    {"s2048", "b1/h1/s2048/d64"},             // 1.074
    {"mission", "b1/h2/s512/d64"},            // 0.134
    {"small", "b2/h2/s512/d64"},              // 0.268
    {"long", "b2/h1/s2048/d32"},              // 1.074; D 32 leaves room for a batch of two
    {"s512_causal", "b1/h4/s512/d64/causal"}, // 0.134
    {"s512_d128", "b1/h2/s512/d128"},         // 0.268
};

static const struct shipped_problem integrated_problems[] = {
    {"integrated", "b8/h4/s64/d64"},
};

// S x B x H, S outermost: 6.0e11 FLOP in all.
static const struct shipped_problem fuzz_problems[] = {
    {NULL, "b16/h4/s448/d64"}, {NULL, "b16/h8/s448/d64"}, {NULL, "b16/h16/s448/d64"},
    {NULL, "b32/h4/s448/d64"}, {NULL, "b32/h8/s448/d64"}, {NULL, "b32/h16/s448/d64"},
    {NULL, "b48/h4/s448/d64"}, {NULL, "b48/h8/s448/d64"}, {NULL, "b48/h16/s448/d64"},
    {NULL, "b16/h4/s512/d64"}, {NULL, "b16/h8/s512/d64"}, {NULL, "b16/h16/s512/d64"},
    {NULL, "b32/h4/s512/d64"}, {NULL, "b32/h8/s512/d64"}, {NULL, "b32/h16/s512/d64"},
    {NULL, "b48/h4/s512/d64"}, {NULL, "b48/h8/s512/d64"}, {NULL, "b48/h16/s512/d64"},
    {NULL, "b16/h4/s640/d64"}, {NULL, "b16/h8/s640/d64"}, {NULL, "b16/h16/s640/d64"},
    {NULL, "b32/h4/s640/d64"}, {NULL, "b32/h8/s640/d64"}, {NULL, "b32/h16/s640/d64"},
    {NULL, "b48/h4/s640/d64"}, {NULL, "b48/h8/s640/d64"}, {NULL, "b48/h16/s640/d64"},
};

// The grid of the FlashAttention papers: 16384 tokens (B = 16384 / S), hidden size 2048 (H = 2048 / D).
static const struct shipped_problem fa3_problems[] = {
    {"s512_d64", "b32/h32/s512/d64"},      {"s512_d64_causal", "b32/h32/s512/d64/causal"},
    {"s512_d128", "b32/h16/s512/d128"},    {"s512_d128_causal", "b32/h16/s512/d128/causal"},
    {"s1024_d64", "b16/h32/s1024/d64"},    {"s1024_d64_causal", "b16/h32/s1024/d64/causal"},
    {"s1024_d128", "b16/h16/s1024/d128"},  {"s1024_d128_causal", "b16/h16/s1024/d128/causal"},
    {"s2048_d64", "b8/h32/s2048/d64"},     {"s2048_d64_causal", "b8/h32/s2048/d64/causal"},
    {"s2048_d128", "b8/h16/s2048/d128"},   {"s2048_d128_causal", "b8/h16/s2048/d128/causal"},
    {"s4096_d64", "b4/h32/s4096/d64"},     {"s4096_d64_causal", "b4/h32/s4096/d64/causal"},
    {"s4096_d128", "b4/h16/s4096/d128"},   {"s4096_d128_causal", "b4/h16/s4096/d128/causal"},
    {"s8192_d64", "b2/h32/s8192/d64"},     {"s8192_d64_causal", "b2/h32/s8192/d64/causal"},
    {"s8192_d128", "b2/h16/s8192/d128"},   {"s8192_d128_causal", "b2/h16/s8192/d128/causal"},
    {"s16384_d64", "b1/h32/s16384/d64"},   {"s16384_d64_causal", "b1/h32/s16384/d64/causal"},
    {"s16384_d128", "b1/h16/s16384/d128"}, {"s16384_d128_causal", "b1/h16/s16384/d128/causal"},
};

// A second or two, for first tries and tests.
static const struct shipped_problem quick_problems[] = {
    {"q64", "b1/h2/s64/d32"},               // 1.0 MFLOP
    {"q128", "b1/h2/s128/d32"},             // 4.2 MFLOP
    {"q96_causal", "b2/h1/s96/d32/causal"}, // 1.2 MFLOP
};

// Tiny problems for simulated devices. Kernels there last as long as their script says, so only the number of
// problems matters.
static const struct shipped_problem sim_problems[] = {
    {"p0", "n64"},  {"p1", "n65"},  {"p2", "n66"},  {"p3", "n67"},  {"p4", "n68"},  {"p5", "n69"},
    {"p6", "n70"},  {"p7", "n71"},  {"p8", "n72"},  {"p9", "n73"},  {"p10", "n74"}, {"p11", "n75"},
    {"p12", "n76"}, {"p13", "n77"}, {"p14", "n78"}, {"p15", "n79"}, {"p16", "n80"}, {"p17", "n81"},
    {"p18", "n82"}, {"p19", "n83"}, {"p20", "n84"}, {"p21", "n85"}, {"p22", "n86"}, {"p23", "n87"},
    {"p24", "n88"}, {"p25", "n89"}, {"p26", "n90"},
};

#define PROBLEMS(list) .problem_count = sizeof(list) / sizeof *(list), .problems = (list)

static const struct shipped_suite suites[] = {
    {.name = "ci",
     .summary = "ten problems that pull requests are measured on (GPU sizes)",
     .op = "attention",
     .dtype = "fp16",
     PROBLEMS(ci_problems)},
    {.name = "cpu",
     .summary = "the same ten names, sized for two processor cores",
     .op = "attention",
     .dtype = "fp32",
     PROBLEMS(cpu_problems)},
    {.name = "integrated",
     .summary = "one small problem, for the older result form",
     .op = "attention",
     .dtype = "fp32",
     PROBLEMS(integrated_problems)},
    {.name = "fuzz",
     .summary = "27 problems of the correctness matrix",
     .op = "attention",
     .dtype = "fp16",
     PROBLEMS(fuzz_problems)},
    {.name = "fa3",
     .summary = "16384 tokens, hidden size 2048, S 512 to 16384 (GPU sizes)",
     .op = "attention",
     .dtype = "fp16",
     PROBLEMS(fa3_problems)},
    {.name = "quick",
     .summary = "three tiny problems for a first try",
     .op = "attention",
     .dtype = "fp32",
     PROBLEMS(quick_problems)},
    {.name = "sim",
     .summary = "ten tiny problems for simulated devices",
     .op = "scale",
     .dtype = "fp32",
     .problem_count = 10,
     .problems = sim_problems},
    {.name = "sim27",
     .summary = "27 of them, as many as a large suite has",
     .op = "scale",
     .dtype = "fp32",
     PROBLEMS(sim_problems)},
};

const struct shipped_suite *shipped_suite_at(size_t index) {
    return index < sizeof suites / sizeof *suites ? &suites[index] : NULL;
}
