// SPDX-License-Identifier: Apache-2.0
//
// Attention's boundary matrix: what regular shapes miss, and problems that are drawn anew in every run. Sizes
// keep the oracle under a few milliseconds, but for the counts beyond 65535.
#include "base/strbuf.h"
#include "op/attention/attention_internal.h"

const struct op_boundary attention_boundary[] = {
    // one off a tile
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/s63/d64, b1/h2/s65/d64, b2/h2/s127/d64, b1/h3/s129/d64, b1/h1/s511/d64, b1/h2/s1/d64, "
     "b3/h1/s2/d64, b1/h2/s17/d64"},
    // the same sizes, causal
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/s63/d64/causal, b1/h2/s65/d64/causal, b1/h2/s129/d64/causal, b1/h1/s513/d64/causal"},
    // every residue mod 8, and more of those mod 64
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h1/sq66/sk67/d64, b1/h1/sq68/sk69/d64/causal, b1/h1/sq70/sk71/d64, b1/h1/sq80/sk97/d64/causal_br, "
     "b1/h1/sq95/sk112/d64, b1/h1/sq33/sk77/d64/causal"},
    // many keys: where kernels split them among blocks
    {"normal", MEMORY_LAYOUT_DENSE, false, "b1/h1/sq1/sk2049/d64, b1/h2/hkv1/sq3/sk2050/d64/causal_br/lse"},
    // unequal lengths
    {"normal", MEMORY_LAYOUT_DENSE, false, "b1/h2/sq1/sk257/d64, b1/h2/sq257/sk1/d64, b1/h2/sq191/sk65/d64"},
    // causal with an offset; bottom-right with more queries than keys has fully masked rows
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/sq65/sk191/d64/causal, b1/h2/sq191/sk65/d64/causal, b1/h2/sq65/sk191/d64/causal_br, "
     "b1/h2/sq191/sk65/d64/causal_br, b1/h2/sq130/sk1/d64/causal_br/lse, "
     "b1/h2/sq1/sk257/d64/causal, b1/h1/sq2/sk128/d64/causal_br/lse"},
    // grouped heads
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b2/h4/hkv1/s65/d64, b2/h6/hkv2/s65/d64/causal, b1/h5/hkv1/s33/d64, "
     "b1/h16/hkv2/sq1/sk67/d64, b2/h24/hkv1/sq2/sk33/d64/causal_br"},
    // decode, as a key-value cache lies in memory
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h8/hkv2/sq1/sk1024/d64/bshd, b3/h4/hkv1/sq1/sk65/d128/bshd, "
     "b2/h6/hkv3/sq1/sk129/d64/causal_br/bshd"},
    // head dimensions
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/s65/d8, b1/h2/s65/d32, b1/h2/s65/d40, b1/h2/s65/d80, b1/h2/s65/d96/causal, "
     "b1/h2/s65/d128, b1/h1/s65/d256"},
    // scale, log-sum-exp, layout
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/s65/d64/scale0.5, b1/h2/s65/d64/scale0.01, b1/h2/s129/d64/lse, "
     "b1/h2/s129/d64/causal/lse, b2/h3/s65/d64/bshd, b2/h4/hkv2/s65/d64/causal/bshd/lse"},
    // memory layouts
    {"normal", MEMORY_LAYOUT_PADDED, false, "b2/h2/s65/d64"},
    {"normal", MEMORY_LAYOUT_PADDED, false, "b2/h4/hkv2/s65/d64/bshd"},
    {"normal", MEMORY_LAYOUT_OFFSET, false, "b2/h2/s65/d64/bshd"},
    {"normal", MEMORY_LAYOUT_PADDED, false, "b1/h2/sq33/sk129/d80/causal_br/lse"},
    {"normal", MEMORY_LAYOUT_OFFSET, false, "b1/h2/s129/d128/lse"},
    // the last row begins where an offset of 32 bits does not reach
    {"normal", MEMORY_LAYOUT_FAR, true, "b2/h2/s65/d64|b2/h2/s64/d64, b2/h2/s65/d64/bshd|b2/h2/s64/d64/bshd"},
    // input distributions
    {"huge_logits", MEMORY_LAYOUT_DENSE, false, "b1/h2/s129/d64/lse, b1/h2/s129/d64/causal"},
    {"outlier_row", MEMORY_LAYOUT_DENSE, false, "b1/h2/s129/d64, b1/h2/s129/d64/causal"},
    {"equal_scores", MEMORY_LAYOUT_DENSE, false, "b1/h2/s129/d64/lse, b1/h2/s129/d64/causal"},
    {"subnormal", MEMORY_LAYOUT_DENSE, false, "b1/h2/s129/d64"},
    {"nan", MEMORY_LAYOUT_DENSE, false, "b1/h4/s129/d64, b1/h4/s129/d64/causal"},
    {"inf", MEMORY_LAYOUT_DENSE, false, "b1/h4/s129/d64, b1/h4/s129/d64/causal"},
    {"sink", MEMORY_LAYOUT_DENSE, false, "b1/h2/s257/d64/lse, b1/h1/s257/d64/causal"},
    {"very_negative", MEMORY_LAYOUT_DENSE, false,
     "b1/h2/s129/d64/lse, b1/h2/s129/d64/causal, b1/h2/s65/d128, b1/h4/hkv2/sq1/sk257/d64/bshd"},
    {"nonzero_mean", MEMORY_LAYOUT_DENSE, false, "b1/h1/sq33/sk1024/d64, b1/h1/sq33/sk1024/d128"},
    {"exact", MEMORY_LAYOUT_DENSE, false, "b1/h2/s129/d64, b1/h2/sq65/sk130/d64/causal_br"},
    // more head dimensions: of models, and those that no vector of 16 bytes divides
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b1/h2/s65/d72, b1/h2/s33/d192/causal, b1/h1/s33/d512, b2/h2/sq33/sk35/d9, b1/h2/sq17/sk65/d100/causal"},
    // more than 65535 of a count: the second and third dimension of a CUDA grid end there
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b65537/h1/s1/d1|b65537/h1/s1/d64, b1/h65537/s1/d1|b1/h65537/s1/d64, "
     "b1/h1/sq65537/sk2/d8|b1/h1/sq65537/sk2/d64, b1/h1/sq1/sk65537/d8|b1/h1/sq1/sk65537/d64"},
    // fields that a kernel must name in its features
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b1/h2/s65/d32/dv64, b2/h2/sq33/sk129/d64/dv24/causal_br/lse, b1/h4/hkv2/s65/d40/dv72/causal/bshd"},
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b1/h2/s65/d32/causal/window1, b1/h2/s129/d64/causal/window16/lse, "
     "b1/h2/sq65/sk191/d64/causal_br/window63, b1/h2/s65/d32/causal/window4096, "
     "b1/h2/sq191/sk65/d32/causal/window32/lse, b1/h8/hkv2/sq1/sk257/d64/causal_br/window128"},
    {"normal", MEMORY_LAYOUT_DENSE, true, "b1/h2/s129/d64/softcap4/lse, b1/h2/s129/d64/causal/softcap20"},
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b1/h2/s65/d32/mask, b2/h2/s129/d64/causal/mask_b, b2/h4/hkv2/sq65/sk200/d32/mask_h/lse, "
     "b2/h8/hkv2/sq1/sk257/d64/mask_bh/bshd"},
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b2/h2/s65/d32/bias, b2/h4/hkv2/sq65/sk130/d64/causal_br/bias_h/lse, b2/h8/hkv2/sq1/sk257/d64/bias_b, "
     "b2/h2/sq33/sk200/d32/mask_b/bias_bh/softcap4/bshd, "
     "b2/h4/hkv2/sq65/sk130/d64/dv32/causal_br/window40/mask_bh/bias_h/scale0.5/softcap2/bshd/lse"},
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b1/h2/s65/d32/out_bf16, b1/h4/hkv2/sq33/sk200/d64/out_bf16/bshd/lse, b1/h2/s129/d64/causal/out_fp16"},
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "b2/h3/s65/d32/qkv_packed, b2/h4/hkv2/s129/d64/causal/qkv_packed/lse, b1/h2/s65/d40/mask_h/qkv_packed"},
    {0},
};

// ---- drawn problems ----

#define DRAWN_WORK_MAX 4e6 // query-key pairs times head dimensions: 16 MFLOP
#define DRAWN_KEYS_MIN 32  // lengths are not cut below this while there is anything else to cut

struct drawn {
    int64_t batch, groups, group, seq_q, seq_k, head_dim;
};

static double work_of(const struct drawn *drawn) {
    return (double)(drawn->batch * drawn->groups * drawn->group) * (double)drawn->seq_q *
           (double)drawn->seq_k * (double)drawn->head_dim;
}

// The size to halve where a problem is too much work.
static int64_t *largest(struct drawn *drawn) {
    int64_t *longer = drawn->seq_q > drawn->seq_k ? &drawn->seq_q : &drawn->seq_k;
    return *longer > DRAWN_KEYS_MIN ? longer
           : drawn->batch > 1       ? &drawn->batch
           : drawn->groups > 1      ? &drawn->groups
                                    : &drawn->group;
}

static int64_t draw_size(struct dice *dice, uint32_t log2_max) {
    return (int64_t)dice_size(dice, log2_max);
}

// Half of them are those that nearly every kernel takes.
static int64_t draw_head_dim(struct dice *dice) {
    if (dice_below(dice, 2)) return dice_below(dice, 2) ? 128 : 64;
    return dice_below(dice, 2) ? 8 * (1 + (int64_t)dice_below(dice, 32)) : 1 + (int64_t)dice_below(dice, 256);
}

// Fields that not every kernel takes, each of them in few problems.
static void draw_options(struct dice *dice, int64_t seq_k, bool is_causal, struct strbuf *fields) {
    static const char *const pairs[] = {"", "_b", "_h", "_bh"};
    if (is_causal && dice_below(dice, 4) == 0)
        strbuf_addf(fields, "/window%lld", (long long)(1 + dice_below(dice, (uint64_t)seq_k + 8)));
    if (dice_below(dice, 8) == 0) strbuf_addf(fields, "/mask%s", pairs[dice_below(dice, 4)]);
    if (dice_below(dice, 8) == 0) strbuf_addf(fields, "/bias%s", pairs[dice_below(dice, 4)]);
    if (dice_below(dice, 8) == 0) strbuf_addf(fields, "/scale0.%u", 1 + (unsigned)dice_below(dice, 9));
    if (dice_below(dice, 8) == 0) strbuf_addf(fields, "/softcap%u", 1 + (unsigned)dice_below(dice, 30));
    if (dice_below(dice, 4) == 0) strbuf_add(fields, "/bshd");
    if (dice_below(dice, 2) == 0) strbuf_add(fields, "/lse");
}

void attention_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields) {
    (void)op;
    static const char *const causals[] = {"", "", "/causal", "/causal_br"};
    const char *causal = causals[dice_below(dice, 4)];
    struct drawn drawn = {.batch = draw_size(dice, 3),
                          .groups = draw_size(dice, 3),
                          .group = dice_below(dice, 2) ? 1 : draw_size(dice, 4),
                          .seq_q = draw_size(dice, 10),
                          .seq_k = draw_size(dice, 11),
                          .head_dim = draw_head_dim(dice)};
    if (dice_below(dice, 2)) drawn.seq_q = drawn.seq_k;
    if (dice_below(dice, 8) == 0) drawn.seq_q = 1;
    while (work_of(&drawn) > DRAWN_WORK_MAX) *largest(&drawn) /= 2;
    strbuf_addf(ret_fields, "b%lld/h%lld/hkv%lld/sq%lld/sk%lld/d%lld%s", (long long)drawn.batch,
                (long long)(drawn.groups * drawn.group), (long long)drawn.groups, (long long)drawn.seq_q,
                (long long)drawn.seq_k, (long long)drawn.head_dim, causal);
    draw_options(dice, drawn.seq_k, *causal != 0, ret_fields);
}
