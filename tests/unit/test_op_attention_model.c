// SPDX-License-Identifier: Apache-2.0
//
// Attention's figures: work, bytes, tensors, tolerances, visible keys, boundary matrix. Numbers by hand.
#include <math.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "op/attention/attention_internal.h"
#include "op_buffers.h"

static void test_flops(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double flops;
    } cases[] = {
        {"attention/fp16/b32/h8/s512/d64", 4.0 * 32 * 8 * 512 * 512 * 64},
        {"attention/fp16/b32/h8/s512/d64/causal", 2.0 * 32 * 8 * 512 * 512 * 64},
        {"attention/fp16/b32/h8/s512/d64/causal_br", 2.0 * 32 * 8 * 512 * 512 * 64},
        {"attention/fp16/b1/h32/hkv8/sq1/sk8192/d128", 4.0 * 32 * 8192 * 128},
        {"attention/fp16/b1/h1/s1/d64/causal", 2.0 * 64},
        // unequal: the area under the diagonal
        {"attention/fp16/b1/h1/sq1/sk8192/d1/causal_br", 4 * 8191.5},
        {"attention/fp16/b1/h1/sq1/sk8192/d1/causal", 4 * 0.5},
        {"attention/fp16/b1/h1/sq10/sk4/d1/causal", 4 * (8.0 + 24)},
        {"attention/fp16/b1/h1/sq10/sk4/d1/causal_br", 4 * 8.0},
        {"attention/fp16/b1/h1/sq4/sk10/d1/causal", 4 * 8.0},
        {"attention/fp16/b1/h1/sq4/sk10/d1/causal_br", 4 * (24.0 + 8)},
        // V's own dimension; a window: both diagonals' cells counted half
        {"attention/fp16/b2/h1/s4/d3/dv5", 2.0 * 2 * (3 + 5) * 16},
        {"attention/fp16/b1/h1/s10/d1/dv3/causal/window4", 2.0 * (1 + 3) * 32},
        {"attention/fp16/b1/h1/s10/d1/causal/window100/softcap2", 4 * 50.0},
        {"attention/fp16/b1/h1/sq1/sk100/d1/causal_br/window10", 4 * 10.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        if (problem_flops(&problem) != cases[i].flops)
            fail_msg("%s: %.17g, not %.17g", cases[i].name, problem_flops(&problem), cases[i].flops);
    }
}

// The fuzz matrix is the size that the oracle's speed was chosen for.
static void test_fuzz_matrix_flops(void **state) {
    (void)state;
    const int seqs[] = {448, 512, 640}, batches[] = {16, 32, 48}, heads[] = {4, 8, 16};
    double total = 0;
    for (int i = 0; i < 27; ++i) {
        char name[100];
        snprintf(name, sizeof name, "attention/fp16/b%d/h%d/s%d/d64", batches[i / 3 % 3], heads[i % 3],
                 seqs[i / 9]);
        const struct problem problem = parsed(name);
        total += problem_flops(&problem);
    }
    assert_in_range((uint64_t)(total / 1e9), 595, 605);
}

static void test_bytes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double bytes;
    } cases[] = {
        {"attention/fp16/b32/h8/s512/d64", 4.0 * 2 * 32 * 8 * 512 * 64},
        {"attention/fp16/b32/h8/s512/d64/causal/bshd", 4.0 * 2 * 32 * 8 * 512 * 64},
        {"attention/fp32/b2/h3/sq5/sk7/d40/lse", 4.0 * (2 * 2 * 3 * 5 * 40 + 2 * 2 * 3 * 7 * 40 + 2 * 3 * 5)},
        {"attention/fp16/kv_fp8_e4m3/b1/h32/hkv8/sq1/sk8192/d128",
         2.0 * 2 * 32 * 128 + 2.0 * 8 * 8192 * 128 + 2 * 8 * 4},
        {"attention/fp8_e4m3/b2/h4/hkv2/s16/d64",
         8 * 16 * 64 * (1 + 2.0) + 2.0 * 4 * 16 * 64 + 4 * (8 + 4 + 4)},
        {"attention/fp16/b1/h1/s1/d1", 8}, // gaps between rows are not work
        {"attention/fp16/b2/h3/sq5/sk7/d8/mask", 2.0 * 2 * 2 * 3 * (5 + 7) * 8 + 5 * 7},
        {"attention/fp16/b2/h3/sq5/sk7/d8/mask_bh", 2.0 * 2 * 2 * 3 * (5 + 7) * 8 + 2 * 3 * 5 * 7},
        {"attention/fp16/b2/h4/hkv2/s5/d40/qkv_packed", 2.0 * 2 * (2 * 4 + 2 * 2) * 5 * 40},
        {"attention/fp16/b2/h3/sq5/sk7/d8/bias_h", 2.0 * 2 * 2 * 3 * (5 + 7) * 8 + 2.0 * 3 * 5 * 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        if (problem_bytes(&problem) != cases[i].bytes)
            fail_msg("%s: %.17g, not %.17g", cases[i].name, problem_bytes(&problem), cases[i].bytes);
    }
}

static void test_tensors(void **state) {
    (void)state;
    static const struct {
        const char *name, *tensors; // role:dtype in order
    } cases[] = {
        {"attention/fp32/b1/h1/s2/d8", "q:1 k:1 v:1 out:1 "},
        {"attention/bf16/b1/h1/s2/d8/lse", "q:3 k:3 v:3 out:3 lse:1 "},
        {"attention/fp8_e4m3/b1/h1/s2/d8/lse", "q:4 k:4 v:4 q_scale:1 k_scale:1 v_scale:1 out:2 lse:1 "},
        {"attention/fp16/kv_fp8_e4m3/b1/h1/s2/d8", "q:2 k:4 v:4 k_scale:1 v_scale:1 out:2 "},
        {"attention/fp8_e4m3/kv_bf16/b1/h1/s2/d8", "q:4 k:3 v:3 q_scale:1 out:2 "},
        {"attention/fp32/b1/h1/s2/d8/bias/mask", "q:1 k:1 v:1 mask:8 bias:1 out:1 "},
        {"attention/fp8_e4m3/b1/h1/s2/d8/bias/out_bf16",
         "q:4 k:4 v:4 q_scale:1 k_scale:1 v_scale:1 bias:3 out:3 "},
        {"attention/bf16/b1/h1/s2/d8/out_fp32", "q:3 k:3 v:3 out:1 "},
        {"attention/fp8_e4m3/b1/h1/s2/d8/mask/qkv_packed",
         "qkv:4 q_scale:1 k_scale:1 v_scale:1 mask:8 out:2 "},
        {"attention/fp8_e4m3/b1/h1/s2/d8/bias", "q:4 k:4 v:4 q_scale:1 k_scale:1 v_scale:1 bias:2 out:2 "},
        {"attention/fp8_e4m3/kv_bf16/b1/h1/s2/d8/mask/lse", "q:4 k:3 v:3 q_scale:1 mask:8 out:2 lse:1 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        struct problem_abi abi;
        problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
        struct strbuf text = {0};
        for (uint32_t t = 0; t < abi.tensor_count; ++t)
            strbuf_addf(&text, "%s:%d ", abi.tensors[t].name, abi.tensors[t].dtype);
        assert_string_equal(strbuf_text(&text), cases[i].tensors);
        strbuf_fini(&text);
    }
}

// Masks and biases: an axis that is not their own has extent 1 and stride 0; rows begin at multiples of 16
// bytes.
static void test_pairs(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum memory_layout memory_layout;
        int64_t shape[4], stride[4];
    } cases[] = {
        {"attention/fp16/b2/h3/sq5/sk17/d8/mask", MEMORY_LAYOUT_DENSE, {1, 1, 5, 17}, {0, 0, 32, 1}},
        {"attention/fp16/b2/h3/sq5/sk17/d8/mask", MEMORY_LAYOUT_PADDED, {1, 1, 5, 17}, {0, 0, 48, 1}},
        {"attention/fp16/b2/h3/sq5/sk17/d8/mask_b", MEMORY_LAYOUT_OFFSET, {2, 1, 5, 17}, {160, 0, 32, 1}},
        {"attention/fp16/b2/h3/sq5/sk17/d8/bshd/mask_h",
         MEMORY_LAYOUT_PADDED,
         {1, 3, 5, 17},
         {0, 240, 48, 1}},
        {"attention/fp16/b2/h3/sq5/sk17/d8/mask_bh", MEMORY_LAYOUT_DENSE, {2, 3, 5, 17}, {480, 160, 32, 1}},
        {"attention/fp16/b2/h3/sq1/sk16/d8/mask_bh", MEMORY_LAYOUT_DENSE, {2, 3, 1, 16}, {48, 16, 16, 1}},
        {"attention/fp16/b2/h3/sq5/sk17/d8/bias_h", MEMORY_LAYOUT_DENSE, {1, 3, 5, 17}, {0, 120, 24, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        struct problem_abi abi;
        problem_describe(&problem, cases[i].memory_layout, &abi);
        const struct assay_tensor *pairs = &abi.tensors[3];
        assert_int_equal(pairs->role, ASSAY_NAMED);
        assert_memory_equal(pairs->shape, cases[i].shape, sizeof cases[i].shape);
        assert_memory_equal(pairs->stride, cases[i].stride, sizeof cases[i].stride);
    }
}

// Tolerances follow the rounding of scores in float32: scale, D and distribution.
static void test_score_tolerances(void **state) {
    (void)state;
    static const struct {
        const char *name, *distribution;
        double atol_min, atol_max;
        bool is_two_x_gated;
    } cases[] = {
        {"attention/fp32/b1/h2/s257/d64", "normal", 1e-5, 1e-5, true},
        {"attention/fp32/b1/h2/s257/d64", "sink", 1e-5, 1e-5, true},
        {"attention/fp32/b1/h2/s257/d64/scale0.5", "normal", 1e-5, 1e-5, true},      // as normal4
        {"attention/fp32/b1/h2/s257/d64/scale1.25", "normal", 1e-4, 1e-4, true},     // as normal10
        {"attention/fp32/b1/h2/s257/d64/scale0.0125", "normal10", 1e-5, 1e-5, true}, // as normal
        {"attention/fp32/b1/h2/s257/d512", "normal4", 1e-4, 1e-4, true},
        {"attention/fp32/b1/h2/s257/d512", "mixed", 1e-4, 1e-4, true},
        {"attention/fp32/b1/h2/s257/d64/scale100", "normal", 1e-3, 3e-3, false},
        {"attention/fp32/b1/h2/s257/d64/scale100", "huge_logits", 1e-5, 1e-5, true}, // exact
        {"attention/fp16/b1/h2/s257/d64/scale10", "normal", 2e-3, 2e-3, false},
        {"attention/fp16/b1/h2/s257/d64/scale10000", "normal", 0.1, 0.3, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct problem problem = parsed(cases[i].name);
        const struct op_tolerance t = problem.op->tolerance(&problem, cases[i].distribution, 3);
        if (!(t.atol >= cases[i].atol_min && t.atol <= cases[i].atol_max) ||
            t.is_two_x_gated != cases[i].is_two_x_gated)
            fail_msg("%s %s: %g, %d", cases[i].name, cases[i].distribution, t.atol, t.is_two_x_gated);
    }
}

static void test_tolerances(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double atol, rtol, fraction;
    } cases[] = {
        {"attention/fp32/b1/h1/s2/d8", 1e-5, 1e-5, 1},
        {"attention/fp16/b1/h1/s2/d8", 2e-3, 1e-3, 1},
        {"attention/bf16/b1/h1/s2/d8", 1.6e-2, 1.6e-2, 1},
        {"attention/fp8_e4m3/b1/h1/s448/d8", 1e-2, 1e-2, 0.9999},
        {"attention/fp8_e4m3/b1/h1/s447/d8", 0x1p-4, 0x1p-4, 0.9999},
        {"attention/fp8_e4m3/b1/h1/s448/d8/causal", 0x1p-4, 0x1p-4, 0.9999},
        {"attention/fp8_e4m3/b1/h1/s448/d8/mask", 0x1p-4, 0x1p-4, 0.9999},
        {"attention/fp8_e4m3/b1/h1/s448/d8/bias_h", 0x1p-4, 0x1p-4, 0.9999},
        {"attention/fp8_e4m3/b1/h1/s448/d8/out_bf16", 1e-2, 1e-2, 0.9999},
        {"attention/fp8_e4m3/kv_fp16/b1/h1/s2/d8/out_bf16", 1.6e-2, 1.6e-2, 1},
        {"attention/fp32/b1/h1/s2/d8/out_fp16", 2e-3, 1e-3, 1},
        {"attention/bf16/b1/h1/s2/d8/out_fp32", 1.6e-2, 1.6e-2, 1},
        {"attention/fp8_e4m3/kv_fp16/b1/h1/s2/d8", 1e-2, 1e-2, 1},
        {"attention/fp16/kv_fp8_e4m3/b1/h1/s2/d8", 1e-2, 1e-2, 1},
        {"attention/bf16/kv_fp8_e4m3/b1/h1/s2/d8", 1.6e-2, 1.6e-2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        struct problem_abi abi;
        problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
        const struct op_tolerance t = problem.op->tolerance(&problem, "normal", abi.tensor_count - 1);
        assert_true(t.atol == cases[i].atol && t.rtol == cases[i].rtol && t.is_two_x_gated);
        assert_true(t.min_pass_fraction == cases[i].fraction);
        assert_true((t.far_factor > 0) == (cases[i].fraction < 1));
        assert_true(t.rel_l2_max == (cases[i].fraction < 1 ? 5e-2 : INFINITY));
    }
    // Where few keys count, rounded weights do not average out.
    const struct problem many = parsed("attention/fp8_e4m3/b1/h1/s512/d64");
    assert_true(many.op->tolerance(&many, "normal", 6).atol == 1e-2);
    assert_true(many.op->tolerance(&many, "sink", 6).atol == 0x1p-4);
    const struct problem lse = parsed("attention/fp16/b1/h1/s2/d8/lse");
    const struct op_tolerance t = lse.op->tolerance(&lse, "normal", 4);
    assert_true(t.atol == 1e-3 && !t.is_two_x_gated);
    // A log-sum-exp of fp32 inputs has fp32's precision: TF32 is off by 1e-4 and more.
    const struct problem wide = parsed("attention/fp32/b1/h1/s2/d8/lse");
    assert_true(wide.op->tolerance(&wide, "normal", 4).atol == 1e-5);
    const struct problem fp32 = parsed("attention/fp32/b1/h1/s8/d64");
    assert_true(fp32.op->tolerance(&fp32, "normal4", 3).atol == 1e-5);
    assert_true(fp32.op->tolerance(&fp32, "normal10", 3).atol == 1e-4);
    const struct problem mixed = parsed("attention/fp32/kv_fp16/b1/h1/s2/d8/lse");
    assert_true(mixed.op->tolerance(&mixed, "normal", 4).atol == 1e-3);
}

static void test_visible(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t visible[6]; // rows 0 to 5
    } cases[] = {
        {"attention/fp16/b1/h1/sq6/sk4/d8", {4, 4, 4, 4, 4, 4}},
        {"attention/fp16/b1/h1/sq6/sk4/d8/causal", {1, 2, 3, 4, 4, 4}},
        {"attention/fp16/b1/h1/sq6/sk4/d8/causal_br", {0, 0, 1, 2, 3, 4}},
        {"attention/fp16/b1/h1/sq6/sk9/d8/causal_br", {4, 5, 6, 7, 8, 9}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct problem problem = parsed(cases[i].name);
        for (int64_t row = 0; row < 6; ++row)
            assert_int_equal(attention_visible(attention_params_of(&problem), row), cases[i].visible[row]);
    }
}

// The matrix has what the specification lists, for every dtype.
static void test_boundary(void **state) {
    (void)state;
    static const char *const dtypes[] = {"fp16", "fp32", "bf16", "fp8_e4m3"};
    const struct operator_def *op = operator_find(&operators_compiled, "attention");
    for (size_t t = 0; t < 4; ++t) {
        struct strbuf seen = {0};
        struct arena arena = {0};
        const struct op_cases cases = problem_boundary(op, dtypes[t], &arena);
        for (size_t i = 0; i < cases.count; ++i) {
            const struct op_case *c = &cases.items[i];
            assert_string_equal(problem_dtype_name(&c->problem), dtypes[t]);
            assert_true(problem_flops(&c->problem) < 2e8); // tens of milliseconds of oracle at the most
            strbuf_addf(&seen, "%s %s %s\n", c->problem.name, c->distribution,
                        memory_layout_name(c->memory_layout));
        }
        arena_fini(&arena);
        static const char *const wanted[] = {
            "/s1/",   "/s63/",      "/s65/",       "/s127/",  "/s129/",  "/s511/",         "/s513/",
            "/hkv",   "/sq1/",      "causal_br",   " padded", " offset", "huge_logits",    "outlier",
            " equal", " subnormal", " nan",        " sink",   " exact",  " very_negative", "/sk1024/d64/bshd",
            "/lse",   "/bshd",      "/sq191/sk65", "/d40",    "/scale",  " nonzero_mean"};
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
            if (!strstr(strbuf_text(&seen), wanted[i]))
                fail_msg("%s: no case with '%s'", dtypes[t], wanted[i]);
        assert_true((strstr(strbuf_text(&seen), " inf ") != NULL) == (t != 3));
        strbuf_fini(&seen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_fuzz_matrix_flops),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_score_tolerances),
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
