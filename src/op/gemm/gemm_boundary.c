// SPDX-License-Identifier: Apache-2.0
//
// Gemm's boundary matrix: what regular shapes miss, and products that are drawn anew in every run.
#include "base/strbuf.h"
#include "op/gemm/gemm_internal.h"

const struct op_boundary gemm_boundary[] = {
    // one off a tile, in each extent and in all; a single row, column, term
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m1/n1/k1, m127/n128/k64, m129/n128/k64, m128/n127/k64, m128/n129/k64, m128/n128/k63, m128/n128/k65, "
     "m129/n129/k129, m63/n65/k33, m1/n257/k129, m257/n1/k129, m129/n257/k1, m2/n3/k5, m17/n7/k512"},
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m129/n127/k65/bt, m127/n129/k63/bt, m128/n128/k64/bt, m63/n65/k33/bt, m1/n257/k129/bt, "
     "m257/n1/k129/bt, m129/n257/k1/bt, m2/n3/k5/bt, m17/n7/k512/bt"},
    // every residue of k mod 8
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m66/n67/k34, m68/n69/k35/bt, m70/n71/k36, m33/n34/k37/bt, m35/n36/k38, m37/n38/k39/bt"},
    // a long sum, split among blocks, with every epilogue; and many tiles
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m3/n5/k2049/bias, m3/n5/k2049/relu, m3/n5/k2049/bt/gelu, m5/n3/k2049/acc, "
     "m5/n3/k2050/bt/bias/acc/gelu"},
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m17/n24/k4097, m17/n24/k4097/bt, m515/n260/k32, m260/n515/k40/bt"},
    // epilogue
    {"normal", MEMORY_LAYOUT_DENSE, false,
     "m65/n129/k96/bias, m65/n129/k96/bias/relu, m65/n129/k96/bt/bias/gelu, m130/n70/k64/out_fp32, "
     "m130/n70/k64/bt/bias/out_fp32, m65/n129/k96/acc, m65/n129/k96/bt/bias/acc/relu, "
     "m1/n33/k96/bt/bias/acc"},
    // memory layouts
    {"normal", MEMORY_LAYOUT_PADDED, false,
     "m65/n129/k96, m65/n129/k96/bt/bias, m128/n128/k64, m65/n129/k96/acc"},
    {"normal", MEMORY_LAYOUT_OFFSET, false, "m65/n129/k96, m65/n129/k96/bt/bias, m128/n128/k64/bt"},
    // the last row begins where an offset of 32 bits does not reach
    {"normal", MEMORY_LAYOUT_FAR, true, "m65/n129/k96|m64/n128/k96, m65/n129/k96/bt|m64/n128/k96/bt"},
    // input distributions
    {"exact", MEMORY_LAYOUT_DENSE, false, "m129/n65/k200, m129/n65/k200/bt/bias"},
    {"cancel", MEMORY_LAYOUT_DENSE, false, "m65/n65/k515/bias, m65/n65/k514/bt/bias"},
    {"subnormal", MEMORY_LAYOUT_DENSE, false, "m65/n65/k96/bt"},
    {"nan", MEMORY_LAYOUT_DENSE, false, "m130/n130/k70, m130/n130/k70/bt/bias/relu, m130/n130/k70/bias/gelu"},
    {"inf", MEMORY_LAYOUT_DENSE, false, "m130/n130/k70, m130/n130/k70/bt/bias/relu"},
    // more than 65535 of a count: the second and third dimension of a CUDA grid end there
    {"normal", MEMORY_LAYOUT_DENSE, true,
     "m65537/n1/k1|m65537/n8/k8, m1/n65537/k1|m1/n65544/k8, m1/n1/k65537|m8/n8/k65536"},
    {0},
};

// ---- drawn problems ----

#define DRAWN_WORK_MAX (1 << 22) // terms: 8 MFLOP

// is_round: a multiple of 8, which nearly every kernel takes.
static int64_t draw_extent(struct dice *dice, uint32_t log2_max, bool is_round) {
    const uint64_t size = dice_size(dice, log2_max);
    return (int64_t)(is_round ? (size + 7) / 8 * 8 : size);
}

void gemm_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields) {
    (void)op;
    static const char *const activations[] = {"", "", "/relu", "/gelu"};
    const bool is_round = dice_below(dice, 2) == 0;
    const int64_t n = draw_extent(dice, 10, is_round), k = draw_extent(dice, 12, is_round);
    int64_t m = draw_extent(dice, 10, false);
    while (m * n * k > DRAWN_WORK_MAX) m /= 2; // 1 is always little enough
    strbuf_addf(ret_fields, "m%lld/n%lld/k%lld", (long long)m, (long long)n, (long long)k);
    if (dice_below(dice, 2)) strbuf_add(ret_fields, "/bt");
    if (dice_below(dice, 2)) strbuf_add(ret_fields, "/bias");
    if (dice_below(dice, 4) == 0) strbuf_add(ret_fields, "/acc");
    strbuf_add(ret_fields, activations[dice_below(dice, 4)]);
}
