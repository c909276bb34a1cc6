// SPDX-License-Identifier: Apache-2.0
//
// Attention's suites, peers and environment variables. Work of a problem: 4 B H S S D FLOP, half of that when
// causal.
#include "op/attention/attention_internal.h"

// The shapes that gates measure for pull requests on a GPU.
static const struct op_suite_problem ci_problems[] = {
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
static const struct op_suite_problem cpu_problems[] = {
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

static const struct op_suite_problem integrated_problems[] = {
    {"integrated", "b8/h4/s64/d64"},
};

// S x B x H, S outermost: 6.0e11 FLOP in all.
static const struct op_suite_problem fuzz_problems[] = {
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
static const struct op_suite_problem fa3_problems[] = {
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
static const struct op_suite_problem quick_problems[] = {
    {"q64", "b1/h2/s64/d32"},               // 1.0 MFLOP
    {"q128", "b1/h2/s128/d32"},             // 4.2 MFLOP
    {"q96_causal", "b2/h1/s96/d32/causal"}, // 1.2 MFLOP
};

// Fields that a kernel must name in its features: V's own dimension, windows, caps, masks, biases, the
// output's type, packed tensors, and most of them together.
static const struct op_suite_problem field_problems[] = {
    {"dv_wide", "b1/h2/s65/d32/dv64"},
    {"dv_narrow", "b2/h2/sq33/sk129/d64/dv24/causal_br/lse"},
    {"dv_bshd", "b1/h4/hkv2/s65/d40/dv72/causal/bshd"},
    {"window1", "b1/h2/s65/d32/causal/window1"},
    {"window16", "b1/h2/s129/d64/causal/window16/lse"},
    {"window63", "b1/h2/sq65/sk191/d64/causal_br/window63"},
    {"window65", "b1/h2/s257/d32/causal/window65"},
    {"window_long", "b1/h2/s65/d32/causal/window4096"},
    {"window_blind", "b1/h2/sq191/sk65/d32/causal/window32/lse"}, // the last rows see no key
    {"window_decode", "b1/h8/hkv2/sq1/sk257/d64/causal_br/window128"},
    {"softcap", "b1/h2/s129/d64/softcap4/lse"},
    {"softcap_causal", "b1/h2/s129/d64/causal/softcap20"},
    {"mask", "b1/h2/s65/d32/mask"},
    {"mask_causal", "b2/h2/s129/d64/causal/mask_b"},
    {"mask_heads", "b2/h4/hkv2/sq65/sk200/d32/mask_h/lse"},
    {"mask_decode", "b2/h8/hkv2/sq1/sk257/d64/mask_bh/bshd"},
    {"bias", "b2/h2/s65/d32/bias"},
    {"bias_heads", "b2/h4/hkv2/sq65/sk130/d64/causal_br/bias_h/lse"},
    {"bias_mask", "b2/h2/sq33/sk200/d32/mask_b/bias_bh/softcap4/bshd"},
    {"bias_decode", "b2/h8/hkv2/sq1/sk257/d64/bias_b"},
    {"all", "b2/h4/hkv2/sq65/sk130/d64/dv32/causal_br/window40/mask_bh/bias_h/scale0.5/softcap2/bshd/lse"},
    {"out_bf16", "b1/h2/s65/d32/out_bf16"}, // as without the field where Q is bf16
    {"out_bf16_groups", "b1/h4/hkv2/sq33/sk200/d64/out_bf16/bshd/lse"},
    {"packed", "b2/h3/s65/d32/qkv_packed"},
    {"packed_groups", "b2/h4/hkv2/s129/d64/causal/qkv_packed/lse"},
    {"packed_mask", "b1/h2/s65/d40/mask_h/qkv_packed"},
    {"out_fp16", "b1/h2/s129/d64/causal/out_fp16"}, // as without where it is fp16 or fp8
};

const struct op_suite attention_suites[] = {
    {.name = "ci",
     .summary = "ten problems that pull requests are measured on (GPU sizes)",
     .dtype = "fp16",
     OP_SUITE_PROBLEMS(ci_problems)},
    {.name = "cpu",
     .summary = "the same ten names, sized for two processor cores",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(cpu_problems)},
    {.name = "integrated",
     .summary = "one small problem, for the older result form",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(integrated_problems)},
    {.name = "fuzz",
     .summary = "27 problems of the correctness matrix",
     .dtype = "fp16",
     .matrix = OP_MATRIX_LARGE,
     OP_SUITE_PROBLEMS(fuzz_problems)},
    {.name = "boundary",
     .summary = "tails, masks, groups, layouts, extreme inputs: what gates check",
     .dtype = "fp16",
     .matrix = OP_MATRIX_BOUNDARY},
    {.name = "fa3",
     .summary = "16384 tokens, hidden size 2048, S 512 to 16384 (GPU sizes)",
     .dtype = "fp16",
     OP_SUITE_PROBLEMS(fa3_problems)},
    {.name = "quick",
     .summary = "three tiny problems for a first try",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(quick_problems)},
    {.name = "fields",
     .summary = "tiny problems with V's own dimension, windows, capped scores, masks, biases, output types, "
                "QKV packed",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(field_problems)},
    {0},
};

// Of the older profiling scripts; what is not set is that of the problem "mission".
const struct op_variable attention_variables[] = {
    {"B", "b", 1}, {"H", "h", 8}, {"S", "s", 512}, {"D", "d", 64}, {0}};

const struct op_peer attention_peers[] = {
    {"torch", "torch_sdpa:own", "cuda cpu",
     "PyTorch's scaled_dot_product_attention, its own choice of backend", .oracle_rank = 2},
    {"torch:flash", "torch_sdpa:flash", "cuda cpu", "the same, FlashAttention pinned", 0},
    {"torch:cudnn", "torch_sdpa:cudnn", "cuda", "the same, cuDNN pinned", 0},
    {"torch:efficient", "torch_sdpa:efficient", "cuda", "the same, memory-efficient attention pinned", 0},
    {"torch:math", "torch_sdpa:math", "cuda cpu", "the same, plain matrix products pinned", 0},
    {"cudnn", NULL, "cuda", "cuDNN's attention from C, without PyTorch", .oracle_rank = 1},
    {"flash_attn_3", "flash_attn_peer:forward", "cuda", "FlashAttention-3 where it is installed", 0},
    {0},
};
