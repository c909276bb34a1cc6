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
#include "control/plan/manifest/manifest.h"
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
    assert_int_equal(
        manifest_parse(&(struct manifest_text){text, sizeof text - 1, "assay.yaml"}, NULL, &m, &error), 0);
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
        assert_int_equal(manifest_parse(&(struct manifest_text){texts[i], strlen(texts[i]), "assay.yaml"},
                                        NULL, &m, &error),
                         -ERR_CONFIG);
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
    assert_int_equal(
        suite_of_problems(&operators_compiled, "attention/fp16/b1/h1/s64/d64", &arena, &suite, &error), 0);
    assert_int_equal(suite.item_count, 1);
    assert_null(suite.items[0].short_name);
    assert_int_equal(suite_of_problems(&operators_compiled, "nonsense", &arena, &suite, &error), -ERR_USAGE);
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
    const struct suite boundary = resolve(NULL, "boundary", NULL), named = resolve(NULL, "boundary", "fp32");
    const struct operator_def *op = boundary.items[0].problem.op;
    const struct op_cases cases = problem_boundary(op, "fp16", &arena);
    assert_int_equal(boundary.item_count, cases.count);
    for (size_t i = 0; i < cases.count; ++i) {
        assert_string_equal(boundary.items[i].problem.name, cases.items[i].problem.name);
        assert_string_equal(boundary.items[i].distribution, cases.items[i].distribution);
        assert_int_equal(boundary.items[i].memory_layout, cases.items[i].memory_layout);
        assert_int_equal(boundary.items[i].matrix, OP_MATRIX_BOUNDARY);
    }
    assert_false(boundary.items[0].is_dtype_named);
    assert_true(named.items[0].is_dtype_named); // whoever names a dtype gets it
    assert_int_equal(count_named(&named, "/fp32/"), named.item_count);
    assert_int_equal(resolve(NULL, "fuzz", NULL).items[0].matrix, OP_MATRIX_LARGE);
    assert_int_equal(suite_check_measurable(&boundary, &error), -ERR_USAGE);
    const struct suite ci = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_check_measurable(&ci, &error), 0);
}

// ---- a matrix follows the kernel ----

typedef bool (*supports_fn)(const struct work_case *wanted);

// What a kernel that answers so makes of the suite.
static struct suite followed(const char *name, const char *dtype, supports_fn supports, bool is_one,
                             struct dice *dice) {
    struct suite suite = resolve(NULL, name, dtype);
    struct suite_question question;
    if (dice) suite_add_drawn(&suite, dice, &arena);
    suite_ask(&suite, &arena, &question);
    bool *is_supported = arena_array(&arena, question.index_count, sizeof *is_supported);
    for (size_t i = 0; i < question.case_count; ++i) {
        assert_true(question.cases[i].index < question.index_count);
        is_supported[question.cases[i].index] |= supports(&question.cases[i]);
    }
    suite_take(&suite, is_supported, is_one, &arena);
    return suite;
}

static bool is_in(const struct work_case *wanted, const char *part) {
    return strstr(wanted->problem.name, part) != NULL;
}
static bool takes_fp32_bf16(const struct work_case *wanted) {
    return is_in(wanted, "/fp32/") || is_in(wanted, "/bf16/");
}
static bool takes_fp8(const struct work_case *wanted) {
    return is_in(wanted, "/fp8_e4m3/");
}
static bool takes_nothing(const struct work_case *wanted) {
    (void)wanted;
    return false;
}
static bool takes_everything(const struct work_case *wanted) {
    (void)wanted;
    return true;
}

// Of the boundary matrix in a dtype: what every kernel is asked for.
static size_t required_count(const char *dtype) {
    const struct op_cases cases =
        problem_boundary(operator_find(&operators_compiled, "attention"), dtype, &arena);
    size_t count = 0;
    for (size_t i = 0; i < cases.count; ++i) count += !cases.items[i].is_declared_only;
    return count;
}

static void test_types(void **state) {
    (void)state;
    struct suite_question question;
    const struct suite ci = resolve(NULL, "ci", NULL), fuzz = resolve(NULL, "fuzz", NULL);
    suite_ask(&fuzz, &arena, &question);
    assert_int_equal(question.case_count, 4 * 27);
    assert_int_equal(question.cases[0].index, 0);
    assert_string_equal(question.cases[0].problem.name, fuzz.items[0].problem.name);
    assert_int_equal(question.cases[27].index, ASSAY_FP32);
    assert_string_equal(question.cases[27].problem.name, "attention/fp32/b16/h4/s448/d64");
    suite_ask(&ci, &arena, &question);
    assert_int_equal(question.case_count, 0);

    const struct suite large = followed("fuzz", NULL, takes_fp32_bf16, false, NULL);
    assert_int_equal(large.item_count, 27);
    assert_int_equal(count_named(&large, "/fp32/"), 27);
    const struct suite none = followed("fuzz", NULL, takes_nothing, false, NULL); // no answer changes nothing
    assert_int_equal(count_named(&none, "/fp16/"), 27);
}

// What every kernel is asked for is checked in all its dtypes, what only some take in one of them.
static void test_boundary_types(void **state) {
    (void)state;
    const size_t wide = required_count("fp32"), narrow = required_count("bf16");
    const size_t declared = resolve(NULL, "boundary", "fp32").item_count - wide;
    const struct suite both = followed("boundary", NULL, takes_fp32_bf16, false, NULL);
    assert_int_equal(count_named(&both, "attention/fp16/"), 0);
    // Six alternatives are not needed where the first is taken; bf16's out_bf16 is the usual output.
    const size_t kept = both.item_count - wide - narrow;
    assert_in_range(kept, declared - 8, declared - 6);
    assert_true(count_named(&both, "attention/fp32/") > wide + kept / 3);
    assert_true(count_named(&both, "attention/bf16/") > narrow + kept / 3);
    assert_null(both.left_out);
    const struct suite one = followed("boundary", NULL, takes_fp32_bf16, true, NULL);
    assert_int_equal(count_named(&one, "attention/fp32/"), one.item_count);
    const struct suite named = followed("boundary", "bf16", takes_everything, false, NULL);
    assert_int_equal(count_named(&named, "attention/bf16/"), named.item_count);
    const struct suite unasked = followed("boundary", NULL, takes_nothing, false, NULL);
    assert_int_equal(unasked.item_count, required_count("fp16"));
}

// An infinity is none of e4m3's numbers: the matrix in that dtype leaves such inputs out.
static void test_types_of_inputs(void **state) {
    (void)state;
    const struct suite suite = followed("boundary", NULL, takes_fp8, false, NULL);
    assert_true(suite.item_count >= required_count("fp8_e4m3"));
    for (size_t i = 0; i < suite.item_count; ++i) assert_string_not_equal(suite.items[i].distribution, "inf");
}

// No window, no head dimension beyond 256, and one of 1 to 7 only as 64.
static bool takes_d64(const struct work_case *wanted) {
    return takes_fp32_bf16(wanted) && !is_in(wanted, "/window") && is_in(wanted, "/d64");
}

static void test_left_out(void **state) {
    (void)state;
    const struct suite suite = followed("boundary", NULL, takes_d64, false, NULL);
    assert_non_null(strstr(suite.left_out, "features "));
    assert_non_null(strstr(suite.left_out, "window"));
    assert_null(strstr(strstr(suite.left_out, "features "), "softcap")); // it is checked with d64
    assert_non_null(strstr(suite.left_out, "b1/h1/s33/d512"));
    assert_null(strstr(suite.left_out, "b65537")); // checked as d64
    assert_int_equal(count_named(&suite, "b65537/h1/s1/d64"), 1);
    assert_int_equal(count_named(&suite, "b65537/h1/s1/d1"), 0);
    assert_int_equal(count_named(&suite, "/window"), 0);
    // Chosen by name: wanted of every kernel.
    struct suite chosen = resolve(NULL, "boundary", "fp32");
    assert_int_equal(suite_filter(&chosen, "attention/fp32/b1/h1/s33/d512", &error), 0);
    suite_take(&chosen, NULL, false, &arena);
    assert_int_equal(chosen.item_count, 1);
}

// A kernel of contiguous rows: it refuses gaps.
static bool takes_no_gaps(const struct work_case *wanted) {
    return is_in(wanted, "/fp32/") &&
           (wanted->memory_layout == MEMORY_LAYOUT_PACKED || !problem_has_gaps(&wanted->problem));
}

static void test_packed(void **state) {
    (void)state;
    const struct suite suite = followed("gemm_boundary", NULL, takes_no_gaps, false, NULL);
    const struct suite as_is = followed("gemm_boundary", "fp32", takes_everything, false, NULL);
    size_t packed_count = 0;
    for (size_t i = 0; i < suite.item_count; ++i) {
        const bool is_packed = suite.items[i].memory_layout == MEMORY_LAYOUT_PACKED;
        packed_count += is_packed;
        assert_true(!is_packed || problem_has_gaps(&suite.items[i].problem));
    }
    assert_int_equal(suite.item_count, as_is.item_count);
    assert_true(packed_count > 10);
    for (size_t i = 0; i < as_is.item_count; ++i) // who takes gaps gets them
        assert_int_not_equal(as_is.items[i].memory_layout, MEMORY_LAYOUT_PACKED);
}

// As llm.c's: one tensor for Q, K and V, and no other problem.
static bool takes_packed_qkv(const struct work_case *wanted) {
    return is_in(wanted, "/fp32/") && is_in(wanted, "/qkv_packed");
}

// It is checked in the type that it has, though it takes nothing of what every kernel is asked for.
static void test_feature_alone(void **state) {
    (void)state;
    const struct suite suite = followed("boundary", NULL, takes_packed_qkv, false, NULL);
    assert_int_equal(count_named(&suite, "attention/fp32/"), suite.item_count);
    assert_int_equal(count_named(&suite, "/qkv_packed"), 3);
}

// Problems that no list has: others under another key, the same under the same, as many as are promised.
static void test_drawn(void **state) {
    (void)state;
    struct dice first = dice_of_seed(1), again = dice_of_seed(1), other = dice_of_seed(2);
    const struct suite a = followed("boundary", NULL, takes_fp32_bf16, false, &first);
    const struct suite b = followed("boundary", NULL, takes_fp32_bf16, false, &again);
    const struct suite c = followed("boundary", NULL, takes_fp32_bf16, false, &other);
    const struct suite list = followed("boundary", NULL, takes_fp32_bf16, false, NULL);
    size_t drawn = 0, shared = 0;
    assert_int_equal(a.item_count, list.item_count + SUITE_DRAWN_MAX);
    assert_int_equal(a.item_count, b.item_count);
    for (size_t i = 0; i < a.item_count; ++i) {
        assert_true(suite_item_equal(&a.items[i], &b.items[i]));
        drawn += a.items[i].is_drawn;
        shared += a.items[i].is_drawn && suite_has(&c, &a.items[i]);
    }
    assert_int_equal(drawn, SUITE_DRAWN_MAX);
    assert_true(shared < SUITE_DRAWN_MAX / 2);
    // A kernel of one head dimension gets problems of that one.
    struct dice narrow = dice_of_seed(3);
    const struct suite d = followed("boundary", NULL, takes_d64, false, &narrow);
    drawn = 0;
    for (size_t i = 0; i < d.item_count; ++i) drawn += d.items[i].is_drawn;
    assert_true(drawn >= SUITE_DRAWN_MAX / 2);
    // Not of a part of the matrix.
    struct suite part = resolve(NULL, "boundary", "fp32");
    assert_int_equal(suite_filter(&part, part.items[0].problem.name, &error), 0);
    suite_add_drawn(&part, &first, &arena);
    assert_int_equal(part.item_count, 1);
}

static void test_own_inputs(void **state) {
    (void)state;
    const char text[] =
        "version: 1\nsuites:\n  own:\n    problems:\n      a: attention/fp32/b1/h1/s64/d32\n"
        "      b: {problem: attention/fp32/b1/h1/s64/d32, distribution: sink, memory_layout: padded}\n"
        "      c: {problem: attention/fp32/b1/h1/s64/d32, distribution: sink}\n";
    struct manifest m;
    if (manifest_parse(&(struct manifest_text){text, sizeof text - 1, "assay.yaml"}, NULL, &m, &error) < 0)
        fail_msg("%s", error.text);
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

static void test_distributions(void **state) {
    (void)state;
    const char text[] =
        "version: 1\nsuites:\n  data: {from: ci, only: [s512], distributions: [normal, mixed]}\n"
        "  sinks: {from: data, distributions: [sink]}\n";
    struct manifest m;
    if (manifest_parse(&(struct manifest_text){text, sizeof text - 1, "assay.yaml"}, NULL, &m, &error) < 0)
        fail_msg("%s", error.text);
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
    const char wrong[] = "version: 1\nsuites: {bad: {from: ci, distributions: [nosuch]}}\n";
    assert_true(
        manifest_parse(&(struct manifest_text){wrong, sizeof wrong - 1, "assay.yaml"}, NULL, &m, &error) < 0);
    assert_non_null(strstr(error.text, "unknown input distribution 'nosuch'"));

    suite = resolve(NULL, "ci", NULL);
    assert_int_equal(suite_take_distributions(&suite, "all", &arena, &error), 0);
    assert_int_equal(suite.item_count, 80); // normal and seven more
    assert_int_equal(suite_check_measurable(&suite, &error), 0);
    if (suite_of_problems(&operators_compiled, "attention/fp32/b1/h1/s16/d16", &arena, &suite, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(suite_take_distributions(&suite, "normal,sink,sink", &arena, &error), 0);
    assert_int_equal(suite.item_count, 2);
    assert_string_equal(item_of(&suite, "sink")->distribution, "sink");
    suite.item_count = 1;
    assert_int_equal(suite_take_distributions(&suite, "nan", &arena, &error), 0); // for fuzz, not for a time
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
        cmocka_unit_test(test_boundary_types),
        cmocka_unit_test(test_types_of_inputs),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_feature_alone),
        cmocka_unit_test(test_own_inputs),
        cmocka_unit_test(test_distributions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
