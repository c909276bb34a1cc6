// SPDX-License-Identifier: Apache-2.0
//
// Suites: what the shipped ones hold, following `from` and `only`, other dtypes, filters.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "control/plan/suite.h"

static struct arena arena;
static struct err error;

static struct suite resolve(const struct manifest *manifest, const char *name, const char *dtype) {
    struct suite suite = {0};
    if (suite_resolve(manifest, name, dtype, &arena, &suite, &error) < 0) fail_msg("%s", error.text);
    return suite;
}

static const struct suite_item *item_of(const struct suite *suite, const char *short_name) {
    for (size_t i = 0; i < suite->item_count; ++i) {
        if (str_equal(suite->items[i].short_name, short_name)) return &suite->items[i];
    }
    fail_msg("no '%s' in %s", short_name, suite->name);
    return NULL;
}

static void test_ci(void **state) {
    (void)state;
    const struct suite suite = resolve(NULL, "ci", NULL);
    assert_int_equal(suite.item_count, 10);
    assert_string_equal(item_of(&suite, "s512")->problem.name, "attention/fp16/b32/h8/s512/d64");
    assert_string_equal(item_of(&suite, "mission")->problem.name, "attention/fp16/b1/h8/s512/d64");
    assert_string_equal(item_of(&suite, "long")->problem.name, "attention/fp16/b2/h8/s2048/d64");
    assert_string_equal(item_of(&suite, "s512_causal")->problem.name,
                        "attention/fp16/b32/h8/s512/d64/causal");
    assert_string_equal(item_of(&suite, "s512_d128")->problem.name, "attention/fp16/b32/h16/s512/d128");
    const struct suite bf16 = resolve(NULL, "ci", "bf16");
    assert_string_equal(bf16.items[0].problem.name, "attention/bf16/b32/h8/s128/d64");
}

static void test_cpu_sizes(void **state) {
    (void)state;
    const struct suite suite = resolve(NULL, "cpu", NULL), ci = resolve(NULL, "ci", NULL);
    double total = 0;
    for (size_t i = 0; i < suite.item_count; ++i) {
        assert_string_equal(suite.items[i].short_name, ci.items[i].short_name);
        const double flops = problem_flops(&suite.items[i].problem);
        assert_true(flops >= 0.05e9 && flops <= 1.2e9); // 60 ms at 20 GFLOP/s
        for (size_t k = 0; k < i; ++k)
            assert_string_not_equal(suite.items[i].problem.name, suite.items[k].problem.name);
        total += flops;
    }
    assert_true(total < 6e9); // 120 launches of all at 20 GFLOP/s: 36 s
}

static void test_matrices(void **state) {
    (void)state;
    const struct suite fuzz = resolve(NULL, "fuzz", NULL);
    assert_int_equal(fuzz.item_count, 27);
    assert_string_equal(fuzz.items[13].problem.name, "attention/fp16/b32/h8/s512/d64");
    assert_null(fuzz.items[0].short_name);
    double flops = 0;
    for (size_t i = 0; i < fuzz.item_count; ++i) flops += problem_flops(&fuzz.items[i].problem);
    assert_true(flops > 5.9e11 && flops < 6.6e11);
    assert_int_equal(resolve(NULL, "quick", NULL).item_count, 3);
    assert_string_equal(resolve(NULL, "integrated", NULL).items[0].problem.name,
                        "attention/fp32/b8/h4/s64/d64");
}

// 16384 tokens and 2048 hidden dimensions in every problem, named after what differs.
static void test_fa3(void **state) {
    (void)state;
    const struct suite fa3 = resolve(NULL, "fa3", NULL);
    size_t count = 0;
    for (int seq = 512; seq <= 16384; seq *= 2) {
        for (int dim = 64; dim <= 128; dim *= 2) {
            for (int causal = 0; causal < 2; ++causal) {
                const char *mask = causal ? "_causal" : "";
                char short_name[40], name[80];
                snprintf(short_name, sizeof short_name, "s%d_d%d%s", seq, dim, mask);
                snprintf(name, sizeof name, "attention/fp16/b%d/h%d/s%d/d%d%s", 16384 / seq, 2048 / dim, seq,
                         dim, causal ? "/causal" : "");
                assert_string_equal(item_of(&fa3, short_name)->problem.name, name);
                ++count;
            }
        }
    }
    assert_int_equal(fa3.item_count, count);
    assert_string_equal(resolve(NULL, "fa3", "bf16").items[0].problem.name,
                        "attention/bf16/b32/h32/s512/d64");
}

static void test_manifest_suites(void **state) {
    (void)state;
    const char text[] =
        "version: 1\nsuites:\n  pr: {from: ci, only: [mission, s512]}\n  less: {from: pr, only: [mission]}\n"
        "  own: {problems: {a: attention/fp32/b1/h1/s64/d32}}\n";
    struct manifest m;
    assert_int_equal(manifest_parse(text, sizeof text - 1, "assay.yaml", &m, &error), 0);
    const struct suite pr = resolve(&m, "pr", "fp32");
    assert_int_equal(pr.item_count, 2);
    assert_string_equal(pr.items[0].problem.name,
                        "attention/fp32/b32/h8/s512/d64"); // in the order of the suite
    assert_string_equal(resolve(&m, "less", NULL).items[0].short_name, "mission");
    assert_string_equal(resolve(&m, "own", "fp16").items[0].problem.name, "attention/fp32/b1/h1/s64/d32");
    const char *summary = NULL;
    assert_string_equal(suite_name_at(&m, 0, &summary), "pr");
    assert_string_equal(suite_name_at(&m, 3, &summary), "ci");
    assert_non_null(summary);
    assert_null(suite_name_at(&m, 100, NULL));
    manifest_fini(&m);
}

// Without a shipped suite of the name there is nothing that it could be made from.
static void test_suite_of_itself(void **state) {
    (void)state;
    static const char *const texts[] = {"version: 1\nsuites: {pr: {from: pr}}\n",
                                        "version: 1\nsuites: {pr: {from: less}, less: {from: pr}}\n"};
    struct manifest m;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_int_equal(manifest_parse(texts[i], strlen(texts[i]), "assay.yaml", &m, &error), -ERR_CONFIG);
        if (!strstr(error.text, "is made from itself")) fail_msg("%s", error.text);
        assert_null(strstr(error.text, "did you mean"));
    }
}

static void test_filter(void **state) {
    (void)state;
    struct suite suite = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_filter(&suite, "mission, attention/fp16/b32/h8/s512/d64", &error), 0);
    assert_int_equal(suite.item_count, 2);
    assert_string_equal(suite.items[0].short_name, "s512");
    assert_string_equal(suite.items[1].short_name, "mission");
    assert_int_equal(suite_filter(&suite, "mission,s1024", &error), -ERR_USAGE);
    assert_int_equal(suite_filter(&suite, "", &error), -ERR_USAGE);
    assert_int_equal(suite_filter(&suite, "mission,", &error), -ERR_USAGE);
    assert_int_equal(suite_filter(&suite, "misson", &error), -ERR_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'mission'?"));
}

static void test_refusals(void **state) {
    (void)state;
    struct suite suite;
    assert_int_equal(suite_resolve(NULL, "cpi", NULL, &arena, &suite, &error), -ERR_USAGE);
    assert_int_equal(suite_resolve(NULL, "ci", "fp17", &arena, &suite, &error), -ERR_USAGE);
    assert_int_equal(suite_of_problem("attention/fp16/b1/h1/s64/d64", &arena, &suite, &error), 0);
    assert_int_equal(suite.item_count, 1);
    assert_null(suite.items[0].short_name);
    assert_int_equal(suite_of_problem("nonsense", &arena, &suite, &error), -ERR_USAGE);
}

// ---- matrices, whose dtypes the kernel decides ----

static size_t count_named(const struct suite *suite, const char *part) {
    size_t count = 0;
    for (size_t i = 0; i < suite->item_count; ++i)
        count += strstr(suite->items[i].problem.name, part) != NULL;
    return count;
}

static void test_boundary(void **state) {
    (void)state;
    struct op_case item;
    const struct suite boundary = resolve(NULL, "boundary", NULL), named = resolve(NULL, "boundary", "fp32");
    const struct operator_def *op = boundary.items[0].problem.op;
    size_t count = 0;
    for (; op->boundary(count, "fp16", &item); ++count) {
        assert_string_equal(boundary.items[count].problem.name, item.problem.name);
        assert_string_equal(boundary.items[count].distribution, item.distribution);
        assert_int_equal(boundary.items[count].memory_layout, item.memory_layout);
        assert_int_equal(boundary.items[count].matrix, OP_MATRIX_BOUNDARY);
    }
    assert_int_equal(boundary.item_count, count);
    assert_int_equal(named.items[0].matrix, OP_MATRIX_NONE); // whoever names a dtype gets it
    assert_int_equal(count_named(&named, "/fp32/"), named.item_count);
    assert_int_equal(resolve(NULL, "fuzz", NULL).items[0].matrix, OP_MATRIX_LARGE);
    assert_int_equal(suite_check_measurable(&boundary, &error), -ERR_USAGE);
    const struct suite ci = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_check_measurable(&ci, &error), 0);
}

// A kernel that supports fp32 and bf16 alone.
static struct suite taken(const char *name, bool is_one) {
    struct suite suite = resolve(NULL, name, NULL);
    bool is_supported[SUITE_TYPES_MAX] = {[ASSAY_FP32] = true, [ASSAY_BF16] = true};
    suite_take_types(&suite, is_supported, is_one, &arena);
    return suite;
}

static void test_types(void **state) {
    (void)state;
    struct suite suite = resolve(NULL, "fuzz", NULL);
    struct work_case *cases;
    assert_int_equal(suite_type_cases(&suite, &arena, &cases), 4 * 27);
    assert_int_equal(cases[0].index, 0);
    assert_string_equal(cases[0].problem.name, suite.items[0].problem.name);
    assert_int_equal(cases[27].index, ASSAY_FP32);
    assert_string_equal(cases[27].problem.name, "attention/fp32/b16/h4/s448/d64");
    const struct suite ci = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_type_cases(&ci, &arena, &cases), 0);

    const struct suite large = taken("fuzz", false), boundary = taken("boundary", false);
    assert_int_equal(large.item_count, 27);
    assert_int_equal(count_named(&large, "/fp32/"), 27);
    const size_t wide = resolve(NULL, "boundary", "fp32").item_count;
    assert_int_equal(count_named(&boundary, "attention/fp32/"), wide);
    assert_int_equal(count_named(&boundary, "attention/bf16/"), resolve(NULL, "boundary", "bf16").item_count);
    assert_int_equal(count_named(&boundary, "attention/fp16/"), 0);
    const struct suite one = taken("boundary", true);
    assert_int_equal(one.item_count, wide);

    bool is_none[SUITE_TYPES_MAX] = {false}; // no answer changes nothing
    suite_take_types(&suite, is_none, false, &arena);
    assert_int_equal(count_named(&suite, "/fp16/"), 27);
}

// An infinity is none of e4m3's numbers: the matrix in that dtype leaves such inputs out.
static void test_types_of_inputs(void **state) {
    (void)state;
    struct suite suite = resolve(NULL, "boundary", NULL);
    bool is_supported[SUITE_TYPES_MAX] = {[ASSAY_FP8_E4M3] = true};
    suite_take_types(&suite, is_supported, false, &arena);
    assert_int_equal(suite.item_count, resolve(NULL, "boundary", "fp8_e4m3").item_count);
    for (size_t i = 0; i < suite.item_count; ++i) assert_string_not_equal(suite.items[i].distribution, "inf");
}

static void test_own_inputs(void **state) {
    (void)state;
    const char text[] = "version: 1\nsuites:\n  own:\n    problems:\n      a: attention/fp32/b1/h1/s64/d32\n"
                        "      b: {problem: attention/fp32/b1/h1/s64/d32, family: sink, placement: padded}\n"
                        "      c: {problem: attention/fp32/b1/h1/s64/d32, family: sink}\n";
    struct manifest m;
    if (manifest_parse(text, sizeof text - 1, "assay.yaml", &m, &error) < 0) fail_msg("%s", error.text);
    const struct suite own = resolve(&m, "own", NULL);
    assert_string_equal(item_of(&own, "a")->distribution, "normal");
    assert_int_equal(item_of(&own, "a")->memory_layout, MEMORY_LAYOUT_DENSE);
    assert_string_equal(item_of(&own, "b")->distribution, "sink");
    assert_int_equal(item_of(&own, "b")->memory_layout, MEMORY_LAYOUT_PADDED);
    assert_int_equal(item_of(&own, "c")->memory_layout, MEMORY_LAYOUT_DENSE);
    assert_int_equal(suite_check_measurable(&own, &error), -ERR_USAGE);
    const struct suite none = {0};
    const struct policy_names names = suite_missing(&own, &none, &arena);
    assert_string_equal(names.items[0], "attention/fp32/b1/h1/s64/d32");
    assert_string_equal(names.items[1], "attention/fp32/b1/h1/s64/d32 (sink padded)");
    manifest_fini(&m);
}

static void test_families(void **state) {
    (void)state;
    const char text[] = "version: 1\nsuites:\n  data: {from: ci, only: [s512], families: [normal, mixed]}\n"
                        "  sinks: {from: data, families: [sink]}\n";
    struct manifest m;
    if (manifest_parse(text, sizeof text - 1, "assay.yaml", &m, &error) < 0) fail_msg("%s", error.text);
    struct suite suite = resolve(&m, "data", NULL);
    assert_int_equal(suite.item_count, 2);
    assert_string_equal(item_of(&suite, "s512")->distribution, "normal");
    assert_string_equal(item_of(&suite, "s512.mixed")->distribution, "mixed");
    assert_string_equal(item_of(&suite, "s512.mixed")->problem.name, "attention/fp16/b32/h8/s512/d64");
    assert_int_equal(suite_check_measurable(&suite, &error), 0);
    assert_string_equal(item_of(&suite, "s512")->distribution, "normal");
    suite = resolve(&m, "sinks", NULL); // takes the place of the inputs that the suite came with
    assert_string_equal(suite.items[0].distribution, "sink");
    manifest_fini(&m);
    const char wrong[] = "version: 1\nsuites: {bad: {from: ci, families: [nosuch]}}\n";
    assert_true(manifest_parse(wrong, sizeof wrong - 1, "assay.yaml", &m, &error) < 0);
    assert_non_null(strstr(error.text, "unknown input family 'nosuch'"));

    suite = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_take_families(&suite, "all", &arena, &error), 0);
    assert_int_equal(suite.item_count, 80); // normal and seven more
    assert_int_equal(suite_check_measurable(&suite, &error), 0);
    if (suite_of_problem("attention/fp32/b1/h1/s16/d16", &arena, &suite, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(suite_take_families(&suite, "normal,sink,sink", &arena, &error), 0);
    assert_int_equal(suite.item_count, 2);
    assert_string_equal(item_of(&suite, "sink")->distribution, "sink");
    suite.item_count = 1;
    assert_int_equal(suite_take_families(&suite, "nan", &arena, &error), 0); // for fuzz, not for a time
    assert_int_equal(suite_check_measurable(&suite, &error), -ERR_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ci),
        cmocka_unit_test(test_cpu_sizes),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_fa3),
        cmocka_unit_test(test_manifest_suites),
        cmocka_unit_test(test_suite_of_itself),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_boundary),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_types_of_inputs),
        cmocka_unit_test(test_own_inputs),
        cmocka_unit_test(test_families),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
