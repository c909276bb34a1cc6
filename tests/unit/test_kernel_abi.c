// SPDX-License-Identifier: Apache-2.0
//
// What a kernel declares against what problems need, and the helpers of the ABI's header. Problems are real
// ones: parsed and described.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <assay/kernel_supports.h>
#include <cmocka.h>

#include "op/dtype.h"
#include "op/operator.h"

static char said[512];

static int asked(const struct assay_problem *problem, struct assay_message *message) {
    (void)problem;
    return assay_say(message, ASSAY_UNSUPPORTED, "asked");
}

// features: added to the problem's.
static int answer(const struct assay_kernel *kernel, const char *name, enum memory_layout layout,
                  const char *features) {
    static struct problem_abi abi;
    struct problem problem;
    struct err err = {0};
    struct assay_message message = {.capacity = sizeof said, .text = said};
    said[0] = 0;
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    problem_describe(&problem, layout, &abi);
    if (features) abi.problem.features = features;
    return assay_kernel_supports(kernel, &abi.problem, &message);
}

static void expect(const struct assay_kernel *kernel, const char *name, const char *refused) {
    const int status = answer(kernel, name, MEMORY_LAYOUT_DENSE, NULL);
    if (!refused && status != ASSAY_OK) fail_msg("%s: refused: %s", name, said);
    if (refused && (status != ASSAY_UNSUPPORTED || !strstr(said, refused)))
        fail_msg("%s: %d '%s', expected '%s'", name, status, said, refused);
}

static void test_declared(void **state) {
    (void)state;
    struct assay_kernel any = {.op = "attention"};
    expect(&any, "attention/fp8_e4m3/b1/h4/hkv2/sq5/sk7/d3/causal_br/bshd/lse",
           NULL); // nothing said: no limit
    any.supports = asked;
    expect(&any, "attention/fp32/b1/h1/s8/d8", "asked"); // last of all
    const struct assay_kernel types = {.dtypes = ASSAY_BIT(ASSAY_FP32) | ASSAY_BIT(ASSAY_FP16)};
    expect(&types, "attention/fp32/kv_fp16/b1/h1/s8/d8/lse", NULL);
    expect(&types, "attention/fp32/kv_bf16/b1/h1/s8/d8",
           ".dtypes: k is bf16, and the kernel takes fp32 fp16");
    const struct assay_kernel masks = {.causal = ASSAY_MASK_NONE | ASSAY_MASK_BOTTOM_RIGHT};
    expect(&masks, "attention/fp32/b1/h1/s8/d8", NULL);
    expect(&masks, "attention/fp32/b1/h1/s8/d8/causal", NULL); // a square: the two are one
    expect(&masks, "attention/fp32/b1/h1/sq4/sk8/d8/causal_br", NULL);
    expect(&masks, "attention/fp32/b1/h1/sq4/sk8/d8/causal",
           ".causal: the kernel does not take the problem's mask");
    const struct assay_kernel unmasked = {.causal = ASSAY_MASK_NONE};
    expect(&unmasked, "attention/fp32/b1/h1/s8/d8/causal",
           ".causal: the kernel does not take the problem's mask");
    const int64_t dims[] = {64, 128, 0};
    const struct assay_kernel heads = {.head_dims = dims};
    expect(&heads, "attention/fp32/b1/h1/s8/d128", NULL);
    expect(&heads, "attention/fp32/b1/h1/s8/d96", ".head_dims: the kernel does not take");
    const struct assay_kernel gemm = {.dtypes = ASSAY_BIT(ASSAY_BF16), .causal = ASSAY_MASK_TOP_LEFT};
    expect(&gemm, "gemm/bf16/m4/n4/k4", NULL); // of attention only
}

static void test_lacks(void **state) {
    (void)state;
    const struct assay_kernel plain = {.lacks = ASSAY_LACKS_GROUPED_HEADS | ASSAY_LACKS_TWO_LENGTHS |
                                                ASSAY_LACKS_SCALE | ASSAY_LACKS_LSE};
    expect(&plain, "attention/fp32/b2/h3/s8/d24/causal", NULL);
    expect(&plain, "attention/fp32/b2/h4/hkv2/s8/d24", "heads and heads_kv");
    expect(&plain, "attention/fp32/b2/h4/sq8/sk9/d24", "seq_q and seq_k");
    expect(&plain, "attention/fp32/b2/h4/s8/d24/scale1", "only a scale of");
    expect(&plain, "attention/fp32/b2/h4/s8/d24/lse", "no log-sum-exp");
}

static void test_layouts(void **state) {
    (void)state;
    const struct assay_kernel dense = {.layouts = ASSAY_LAYOUT_DENSE}, bshd = {.layouts = ASSAY_LAYOUT_BSHD};
    const struct assay_kernel strided = {.layouts = ASSAY_LAYOUT_STRIDED};
    expect(&dense, "attention/fp32/b2/h3/s8/d8", NULL);
    expect(&dense, "attention/fp32/b2/h3/s8/d8/bshd", "does not take the memory layout of q");
    expect(&dense, "attention/fp32/b2/h1/s8/d8/bshd", NULL); // with one head the two are one
    expect(&dense, "attention/fp16/b2/h3/s8/d7",
           "q, whose rows have gaps"); // rows begin at 16 bytes
    expect(&bshd, "attention/fp32/b2/h3/s8/d8/bshd", NULL);
    expect(&bshd, "attention/fp32/b2/h3/s8/d8", ".layouts: the kernel does not take the memory layout of q");
    expect(&strided, "attention/fp16/b2/h3/s8/d7/bshd", NULL);
    assert_int_equal(answer(&dense, "attention/fp32/b2/h3/s8/d8", MEMORY_LAYOUT_PADDED, NULL),
                     ASSAY_UNSUPPORTED);
    assert_int_equal(answer(&strided, "attention/fp32/b2/h3/s8/d8", MEMORY_LAYOUT_PADDED, NULL), ASSAY_OK);
}

// A problem with features goes to kernels that name all of them; a kernel of an older version names none.
static void test_features(void **state) {
    (void)state;
    const char *name = "attention/fp32/b1/h1/s8/d8";
    const struct assay_kernel old = {0}, one = {.features = "window"}, both = {.features = "softcap  window"},
                              longer = {.features = "windows wind"}, all = {.features = "*"};
    const struct {
        const struct assay_kernel *kernel;
        const char *features;
        int status;
    } trials[] = {{&old, "", ASSAY_OK},
                  {&old, "window", ASSAY_UNSUPPORTED},
                  {&one, "window", ASSAY_OK},
                  {&one, "window softcap", ASSAY_UNSUPPORTED},
                  {&both, "window softcap", ASSAY_OK},
                  {&longer, "window", ASSAY_UNSUPPORTED},
                  {&all, "window softcap", ASSAY_OK}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
        const int status = answer(trials[i].kernel, name, MEMORY_LAYOUT_DENSE, trials[i].features);
        if (status != trials[i].status) fail_msg("trial %zu: %d '%s'", i, status, said);
    }
    assert_int_equal(answer(&one, name, MEMORY_LAYOUT_DENSE, "window softcap"), ASSAY_UNSUPPORTED);
    assert_string_equal(said, ".features: the kernel does not know all of window softcap");
    struct assay_message tiny = {.capacity = 8, .text = said};
    assay_say(&tiny, 0, "abcd");
    assay_say_more(&tiny, "efghijk");
    assert_string_equal(said, "abcdefg");
}

// What problems ask for by themselves.
static void test_problem_features(void **state) {
    (void)state;
    const struct assay_kernel old = {0}, window = {.features = "window"},
                              all = {.features = "head_dim_v window softcap"};
    expect(&old, "attention/fp32/b1/h1/s8/d8/dv8", NULL); // the same as d
    expect(&old, "attention/fp32/b1/h1/s8/d8/dv9", "does not know all of head_dim_v");
    expect(&old, "attention/fp32/b1/h1/s8/d8/causal/window3", "does not know all of window");
    expect(&old, "attention/fp32/b1/h1/s8/d8/softcap3", "does not know all of softcap");
    expect(&old, "attention/fp8_e4m3/b1/h1/s8/d8/out_fp16", NULL); // as it is without
    expect(&old, "attention/fp8_e4m3/b1/h1/s8/d8/out_bf16", "does not know all of out_dtype");
    const struct assay_kernel narrow = {.features = "out_dtype", .dtypes = ASSAY_BIT(ASSAY_FP8_E4M3)};
    expect(&narrow, "attention/fp8_e4m3/b1/h1/s8/d8/out_bf16", "out is bf16, and the kernel takes");
    expect(&window, "attention/fp32/b1/h1/s8/d8/causal/window3", NULL);
    expect(&window, "attention/fp32/b1/h1/s8/d8/causal/window3/softcap3", "window softcap");
    expect(&all, "attention/fp32/b1/h1/s8/d8/dv9/causal/window3/softcap3", NULL);
    expect(&all, "attention/fp32/b1/h1/s8/d8/causal/window3/softcap3/mask", "all of window softcap mask");
}

// A tensor that is a feature is not what .dtypes and .layouts are about.
static void test_feature_tensors(void **state) {
    (void)state;
    const struct assay_kernel dense = {
        .features = "mask bias", .dtypes = ASSAY_BIT(ASSAY_FP32), .layouts = ASSAY_LAYOUT_DENSE};
    expect(&dense, "attention/fp32/b2/h3/s65/d8/mask_h", NULL); // int8, with gaps behind its rows
    expect(&dense, "attention/fp32/b2/h3/s65/d8/mask_h/bias_bh", NULL);
    expect(&dense, "attention/fp32/b2/h3/s65/d8/mask_h/bshd", "does not take the memory layout of q");
    const struct assay_kernel old = {.dtypes = ASSAY_BIT(ASSAY_FP32)};
    expect(&old, "attention/fp32/b2/h3/s65/d8/mask_h", "does not know all of mask");
    expect(&old, "attention/fp32/b2/h3/s65/d8/bias", "does not know all of bias");
    struct problem problem;
    static struct problem_abi abi;
    unsigned char memory[1 << 10];
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp16/b2/h4/sq3/sk5/d8/mask_h", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    struct assay_tensor mask = *assay_tensor_named(&abi.problem.tensors, "mask");
    mask.data = memory;
    assert_ptr_equal(assay_row(&mask, 1, 3, 2), memory + (3 * 3 + 2) * 16); // any batch entry has the same
}

// Q, K and V are found wherever they lie: in one tensor a token is the heads of Q, of K and of V.
static void test_packed(void **state) {
    (void)state;
    static const int32_t roles[] = {ASSAY_Q, ASSAY_K, ASSAY_V};
    static const int64_t first[] = {0, 4, 6}, heads[] = {4, 2, 2}; // of the eight in a token
    struct problem problem;
    static struct problem_abi abi;
    static unsigned char memory[2 * 3 * 8 * 16 * 2];
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp16/b2/h4/hkv2/s3/d16/qkv_packed", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_string_equal(abi.tensors[0].name, "qkv");
    const int64_t shape[] = {2, 3, 8, 16};
    assert_memory_equal(abi.tensors[0].shape, shape, sizeof shape);
    abi.tensors[0].data = memory;
    for (int i = 0; i < 3; ++i) {
        struct assay_tensor part;
        assert_int_equal(assay_qkv(&abi.problem.tensors, roles[i], &part), 1);
        const int64_t expected[] = {2, heads[i], 3, 16};
        assert_memory_equal(part.shape, expected, sizeof expected);
        assert_int_equal(part.role, roles[i]);
        assert_ptr_equal(assay_row(&part, 1, 1, 2), memory + ((1 * 3 + 2) * 8 + first[i] + 1) * 16 * 2);
    }
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp16/b2/h4/hkv2/s3/d16/bshd", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    struct assay_tensor own;
    assert_int_equal(assay_qkv(&abi.problem.tensors, ASSAY_V, &own), 1);
    assert_memory_equal(&own, &abi.tensors[2], sizeof own);
    assert_int_equal(problem_parse(&operators_compiled, "scale/fp32/n8", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(assay_qkv(&abi.problem.tensors, ASSAY_V, &own), 0);
    const struct assay_kernel old = {.name = "old"};
    expect(&old, "attention/fp16/b2/h4/hkv2/s3/d16/qkv_packed", "does not know all of qkv_packed");
}

// A kernel that takes one tensor of Q, K and V, and nothing else, says so and gets its sizes from it.
static void test_packed_only(void **state) {
    (void)state;
    const struct assay_kernel packed = {.layouts = ASSAY_LAYOUT_QKV_PACKED, .features = "qkv_packed"},
                              dense = {.layouts = ASSAY_LAYOUT_DENSE, .features = "qkv_packed"},
                              both = {.layouts = ASSAY_LAYOUT_DENSE | ASSAY_LAYOUT_QKV_PACKED,
                                      .features = "qkv_packed"},
                              any = {.layouts = ASSAY_LAYOUT_STRIDED | ASSAY_LAYOUT_QKV_PACKED,
                                     .features = "qkv_packed"};
    const char *name = "attention/fp32/b2/h4/hkv2/s3/d16/qkv_packed",
               *apart = "attention/fp32/b2/h4/hkv2/s3/d16";
    expect(&packed, name, NULL);
    expect(&packed, apart, "does not take the memory layout of q");
    expect(&packed, "attention/fp32/b2/h4/hkv2/s3/d16/bshd", "does not take the memory layout of q");
    expect(&dense, name, "does not take the memory layout of out");
    expect(&both, name, NULL);
    expect(&both, apart, NULL);
    assert_int_equal(answer(&packed, name, MEMORY_LAYOUT_PADDED, NULL), ASSAY_UNSUPPORTED);
    assert_int_equal(answer(&any, name, MEMORY_LAYOUT_PADDED, NULL), ASSAY_OK);
    struct problem problem;
    static struct problem_abi abi;
    assert_int_equal(problem_parse(&operators_compiled, name, &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    const struct assay_attention a = assay_attention_get(&abi.problem, &abi.problem.tensors);
    assert_ptr_equal(a.qkv, &abi.tensors[0]);
    assert_null(a.q);
    const int64_t sizes[] = {a.batch, a.heads, a.heads_kv, a.queries, a.keys, a.dim, a.dim_v};
    const int64_t expected[] = {2, 4, 2, 3, 3, 16, 16};
    assert_memory_equal(sizes, expected, sizeof sizes);
}

static void test_helpers(void **state) {
    (void)state;
    struct problem problem;
    static struct problem_abi abi;
    unsigned char memory[1 << 12];
    assert_int_equal(problem_parse(&operators_compiled,
                                   "attention/fp16/b2/h4/hkv2/sq3/sk5/d8/dv6/causal_br/bshd", &problem, NULL),
                     0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_true(assay_problem_get(&abi.problem, "heads_kv") == 2);
    assert_true(assay_problem_get(&abi.problem, "nothing") == 0);
    assert_int_equal(assay_visible_keys(&abi.problem, 0), 3);
    assert_int_equal(assay_visible_keys(&abi.problem, 2), 5);
    assert_int_equal(assay_first_key(&abi.problem, 2), 0);
    const struct assay_attention a = assay_attention_get(&abi.problem, &abi.problem.tensors);
    assert_ptr_equal(a.problem, &abi.problem);
    assert_ptr_equal(a.k, &abi.tensors[1]);
    assert_string_equal(a.v->name, "v");
    assert_string_equal(a.out->name, "out");
    assert_null(a.lse);
    assert_null(a.qkv);
    const int64_t sizes[] = {a.batch, a.heads, a.heads_kv, a.queries, a.keys, a.dim, a.dim_v};
    const int64_t expected[] = {2, 4, 2, 3, 5, 8, 6};
    assert_memory_equal(sizes, expected, sizeof sizes);
    assert_true(a.scale > 0.353 && a.scale < 0.354); // 1 / sqrt(8)
    const struct assay_cpu_stream stream = {.struct_size = sizeof stream, .thread_count = 3};
    assert_int_equal(assay_thread_count(&stream), 3);
    struct assay_tensor q = abi.tensors[0];
    q.data = memory;
    // [batch][sequence][head][dimension]: row 2 of head 3 in batch 1
    assert_ptr_equal(assay_row(&q, 1, 3, 2), memory + (((1 * 3 + 2) * 4) + 3) * 8 * 2);
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp32/b1/h1/sq5/sk3/d8/causal_br", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(assay_visible_keys(&abi.problem, 0), 0); // sees none
    assert_int_equal(assay_visible_keys(&abi.problem, 4), 3);
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp32/b1/h1/sq5/sk3/d8/causal", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(assay_visible_keys(&abi.problem, 4), 3);
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp32/b1/h1/sq9/sk3/d8/causal/window2", &problem, NULL),
        0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(assay_first_key(&abi.problem, 0), 0);
    assert_int_equal(assay_first_key(&abi.problem, 2), 1);
    assert_int_equal(assay_visible_keys(&abi.problem, 2), 3);
    assert_true(assay_first_key(&abi.problem, 6) >= assay_visible_keys(&abi.problem, 6)); // sees none
}

// The header has the names once more, for modules that see nothing else of assay.
static void test_names_of_types(void **state) {
    (void)state;
    for (int32_t dtype = ASSAY_FP32; dtype < ASSAY_DTYPE_END; ++dtype)
        assert_string_equal(assay_dtype_name(dtype), dtype_name(dtype));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_types), cmocka_unit_test(test_declared),
        cmocka_unit_test(test_lacks),          cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_features),       cmocka_unit_test(test_problem_features),
        cmocka_unit_test(test_helpers),        cmocka_unit_test(test_feature_tensors),
        cmocka_unit_test(test_packed),         cmocka_unit_test(test_packed_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
