// SPDX-License-Identifier: Apache-2.0
//
// What is checked and measured of a declared operator where nothing is named: its boundary matrix, problems
// that are drawn, its suites; and how a failing problem becomes small.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "control/flow/shrink.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/suite.h"
#include "op/declared/declared.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define MIB         (1024.0 * 1024)

static struct arena arena;

static int tear_down(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

// ---- operators ----

static const struct declared_axis norm_axes[] = {{"rows", "4096"}, {"hidden", "4096"}};
static const struct declared_scalar norm_scalars[] = {{.name = "eps", .value = 1e-6}};
static const struct declared_tensor norm_tensors[] = {{"x", "bf16[rows, hidden]", ASSAY_IN},
                                                      {"weight", "fp32[hidden] normal(1, 0.1)", ASSAY_IN},
                                                      {"y", "bf16[rows, hidden]", ASSAY_OUT}};
static const char *const norm_where[] = {"hidden % 8 == 0"};

static const struct declared_axis gemm_axes[] = {{"m", "2048"}, {"n", "2048"}, {"k", "2048"}};
static const struct declared_tensor gemm_tensors[] = {
    {"a", "fp16[m, k]", ASSAY_IN}, {"b", "fp16[k, n]", ASSAY_IN}, {"c", "fp16[m, n]", ASSAY_OUT}};

static const struct declared_axis paged_axes[] = {
    {"batch", "64"}, {"pages", "2048"}, {"pages_used", "1024"}, {"dim", "128"}};
static const struct declared_tensor paged_tensors[] = {
    {"cache", "fp16[pages, 16, dim] uniform", ASSAY_IN},
    {"indptr", "int32[batch + 1] indptr(pages_used)", ASSAY_IN},
    {"indices", "int32[pages_used] unique(pages)", ASSAY_IN},
    {"last", "int32[batch] below(pages)", ASSAY_IN},
    {"out", "fp16[batch, dim]", ASSAY_OUT}};
static const char *const paged_where[] = {"pages_used >= batch"};

static const struct declared_axis rope_axes[] = {
    {"tokens", "8192"}, {"heads", "32"}, {"kv_heads", "8"}, {"dim", "128"}, {"half", "dim // 2"}};
static const struct declared_tensor rope_tensors[] = {{"cos", "fp32[tokens, half] uniform(-1, 1)", ASSAY_IN},
                                                      {"q", "bf16[tokens, heads, dim]", ASSAY_INOUT},
                                                      {"k", "bf16[tokens, kv_heads, dim]", ASSAY_INOUT}};
static const char *const rope_where[] = {"dim % 2 == 0", "heads % kv_heads == 0"};

#define PARTS(of)                                                                                            \
    .axes = of##_axes, .axis_count = COUNT(of##_axes), .tensors = of##_tensors,                              \
    .tensor_count = COUNT(of##_tensors)
#define WHERE(list) .where = (list), .where_count = COUNT(list)
static const struct declared norm = {
    .name = "norm", PARTS(norm), WHERE(norm_where), .scalars = norm_scalars, .scalar_count = 1};
static const struct declared my_gemm = {.name = "my_gemm", PARTS(gemm), .flops = "2 * m * n * k"};
static const struct declared paged = {.name = "paged", PARTS(paged), WHERE(paged_where)};
static const struct declared rope = {.name = "rope", PARTS(rope), WHERE(rope_where)};
static const struct declared *const all[] = {&norm, &my_gemm, &paged, &rope};

static const struct operator_def *made(const struct declared *declared) {
    const struct operator_def *op = NULL;
    struct err err = {0};
    if (declared_make(&arena, declared, &op, &err) < 0) fail_msg("%s", err.text);
    return op;
}

static double bytes_of(const struct problem *problem) {
    struct problem_abi abi;
    double ret = 0;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) ret += (double)tensor_span_bytes(&abi.tensors[i]);
    return ret;
}

// A size of the axis from `least` on that leaves `rest` to whole tiles.
static bool has_tail(const struct op_cases *cases, size_t axis, int64_t least, int64_t tile, int64_t rest) {
    for (size_t i = 0; i < cases->count; ++i) {
        const int64_t size = cases->items[i].problem.op->size(&cases->items[i].problem, axis);
        if (size >= least && size % tile == rest) return true;
    }
    return false;
}

static bool has_size(const struct op_cases *cases, size_t axis, int64_t size) {
    return has_tail(cases, axis, size, INT64_MAX, size);
}

// ---- the matrix ----

// All inputs of a problem can be filled, with those numbers.
static void check_filled(const struct op_case *item) {
    struct problem_abi abi;
    struct err err = {0};
    struct arena memory = {0};
    problem_describe(&item->problem, item->memory_layout, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        if (abi.tensors[i].access == ASSAY_OUT) continue;
        abi.tensors[i].data = arena_alloc(&memory, (size_t)tensor_span_bytes(&abi.tensors[i]));
        if (item->problem.op->fill(&item->problem, item->distribution, 1, i, &abi.tensors[i], &err) < 0)
            fail_msg("%s: %s", item->problem.name, err.text);
    }
    arena_fini(&memory);
}

static void every_case_is_a_problem(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(all); ++n) {
        const struct operator_def *op = made(all[n]);
        const struct operator_set set = {&op, 1};
        const struct op_cases cases = problem_boundary(op, NULL, &arena);
        const struct op_cases again = problem_boundary(op, NULL, &arena);
        assert_in_range(cases.count, 60, 120);
        assert_int_equal(again.count, cases.count);
        for (size_t i = 0; i < cases.count; ++i) {
            const struct op_case *item = &cases.items[i];
            struct problem problem;
            struct err err = {0};
            assert_memory_equal(item, &again.items[i], sizeof *item);
            if (problem_parse(&set, item->problem.name, &problem, &err) < 0) fail_msg("%s", err.text);
            assert_memory_equal(&problem, &item->problem, sizeof problem);
            assert_int_equal(problem_check_distribution(&problem, item->distribution, &err), 0);
            const bool is_default = str_equal(problem.name, op->example);
            assert_true(bytes_of(&problem) <= (is_default || item->is_declared_only ? 64 : 8) * MIB);
            if (bytes_of(&problem) < MIB) check_filled(item);
            for (size_t k = 0; k < i; ++k)
                assert_false(str_equal(cases.items[k].problem.name, problem.name) &&
                             str_equal(cases.items[k].distribution, item->distribution) &&
                             cases.items[k].memory_layout == item->memory_layout);
        }
        assert_int_equal(problem_boundary(op, "fp16", &arena).count, 0);
    }
}

static void sizes_that_there_are(void **state) {
    (void)state;
    const struct op_cases norms = problem_boundary(made(&norm), NULL, &arena);
    const struct op_cases gemms = problem_boundary(made(&my_gemm), NULL, &arena);
    const struct op_cases ropes = problem_boundary(made(&rope), NULL, &arena);
    const struct op_cases pageds = problem_boundary(made(&paged), NULL, &arena);
    for (int64_t size = 1; size <= 3; ++size) {
        assert_true(has_size(&norms, 0, size));
        for (size_t axis = 0; axis < 3; ++axis) assert_true(has_size(&gemms, axis, size));
        for (size_t axis = 0; axis < 3; ++axis) assert_true(has_size(&ropes, axis, size));
        for (size_t axis = 0; axis < 4; ++axis) assert_true(has_size(&pageds, axis, size));
    }
    for (int64_t rest = 0; rest < 8; ++rest) {
        assert_true(has_tail(&norms, 0, 1, 8, rest));
        for (size_t axis = 0; axis < 3; ++axis) assert_true(has_tail(&gemms, axis, 1, 8, rest));
        assert_true(has_tail(&ropes, 0, 1, 8, rest));
        assert_int_equal(has_tail(&ropes, 3, 1, 8, rest), rest % 2 == 0);
        assert_int_equal(has_tail(&norms, 1, 1, 8, rest), rest == 0);
    }
    // Tails of tiles of 32, 64 and 128, where sizes come in steps of 8; and a count beyond 65535.
    for (int64_t tile = 32; tile <= 128; tile *= 2) assert_true(has_tail(&norms, 1, tile, tile, 8));
    assert_true(has_size(&norms, 1, 65544));
    assert_true(has_size(&norms, 0, 65537));
    for (size_t axis = 0; axis < 3; ++axis) assert_true(has_size(&gemms, axis, 65537));
}

// Whether the matrix has it: in dense tensors with those inputs.
static size_t with_inputs(const struct op_cases *cases, const char *distribution) {
    size_t count = 0;
    for (size_t i = 0; i < cases->count; ++i) count += str_equal(cases->items[i].distribution, distribution);
    return count;
}

static size_t with_layout(const struct op_cases *cases, enum memory_layout memory_layout) {
    size_t count = 0;
    for (size_t i = 0; i < cases->count; ++i) count += cases->items[i].memory_layout == memory_layout;
    return count;
}

static void families_where_they_apply(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(all); ++n) {
        const struct operator_def *op = made(all[n]);
        const struct op_cases cases = problem_boundary(op, NULL, &arena);
        for (size_t i = 0; op->distributions[i]; ++i) // all that paged fills names its own
            assert_int_equal(with_inputs(&cases, op->distributions[i]), all[n] == &paged ? 0 : 2);
        assert_int_equal(with_layout(&cases, MEMORY_LAYOUT_OFFSET), 3);
        assert_int_equal(with_layout(&cases, MEMORY_LAYOUT_PADDED), 3);
        assert_int_equal(with_layout(&cases, MEMORY_LAYOUT_PACKED), 0);
        assert_false(problem_has_gaps(&cases.items[0].problem));
    }
}

// A kernel that has a scalar as a constant fails.
static void scalars_vary(void **state) {
    (void)state;
    const struct op_cases cases = problem_boundary(made(&norm), NULL, &arena);
    size_t others = 0;
    for (size_t i = 0; i < cases.count; ++i)
        others += strstr(cases.items[i].problem.name, "/eps5e-07") != NULL;
    assert_int_equal(others, 1);
}

static void one_size(void **state) {
    (void)state;
    static const char *const where[] = {"n == 128"};
    const struct declared_axis axes[] = {{"n", "128"}};
    const struct declared_tensor tensors[] = {{"x", "int32[n]", ASSAY_IN}, {"y", "fp32[n]", ASSAY_OUT}};
    const struct declared declared = {.name = "one",
                                      .axes = axes,
                                      .axis_count = 1,
                                      .tensors = tensors,
                                      .tensor_count = 2,
                                      .where = where,
                                      .where_count = 1};
    const struct op_cases cases = problem_boundary(made(&declared), NULL, &arena);
    assert_int_equal(cases.count, 1 + 2);
}

static void no_axis(void **state) {
    (void)state;
    const struct declared_tensor tensors[] = {{"x", "fp32[7]", ASSAY_IN}, {"y", "fp32[7]", ASSAY_OUT}};
    const struct declared declared = {.name = "one", .tensors = tensors, .tensor_count = 2};
    const struct operator_def *op = made(&declared); // no axis at all
    const struct op_cases cases = problem_boundary(op, NULL, &arena);
    assert_int_equal(cases.count, 1 + 7 + 2);
    assert_string_equal(cases.items[0].problem.name, "one/default");
    struct dice dice = dice_of_seed(1);
    struct strbuf fields = {0};
    op->draw(op, &dice, &fields);
    assert_string_equal(strbuf_text(&fields), "default");
    strbuf_fini(&fields);
}

// ---- drawn problems ----

static void drawn_problems(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(all); ++n) {
        const struct operator_def *op = made(all[n]);
        struct dice dice = dice_of_seed(7), same = dice_of_seed(7);
        struct op_cases drawn = {.arena = &arena};
        size_t differing = 0;
        for (size_t i = 0; i < 32; ++i) {
            struct strbuf fields = {0}, again = {0};
            struct op_case item = {.distribution = OP_DISTRIBUTION_DEFAULT,
                                   .memory_layout = MEMORY_LAYOUT_DENSE};
            struct err err = {0};
            op->draw(op, &dice, &fields);
            op->draw(op, &same, &again);
            assert_string_equal(strbuf_text(&fields), strbuf_text(&again));
            if (problem_make_in(op, NULL, strbuf_text(&fields), &item.problem, &err) < 0)
                fail_msg("%s", err.text);
            assert_true(bytes_of(&item.problem) <= 2 * MIB);
            assert_false(problem_flops(&item.problem) > 1e7);
            check_filled(&item);
            if (i) differing += !str_equal(drawn.items[i - 1].problem.name, item.problem.name);
            op_cases_add(&drawn, &item);
            strbuf_fini(&fields);
            strbuf_fini(&again);
        }
        assert_true(differing > 28);
        for (size_t axis = 0; axis < 2; ++axis) // large and small ones
            assert_true(has_tail(&drawn, axis, 100, 1, 0) && !has_tail(&drawn, axis, 2056, 1, 0));
    }
}

// ---- suites ----

static void suites(void **state) {
    (void)state;
    const struct operator_def *ops[] = {made(&norm), made(&my_gemm)};
    struct manifest manifest;
    struct suite suite;
    struct err err = {0};
    manifest_empty(&manifest);
    manifest.operators = (struct operator_set){ops, 2};
    for (size_t n = 0; n < 2; ++n) {
        assert_int_equal(suite_resolve(&manifest, ops[n]->cpu_suite, NULL, &arena, &suite, &err), 0);
        assert_int_equal(suite.item_count, 1);
        assert_string_equal(suite.items[0].problem.name, ops[n]->example);
        assert_int_equal(suite_check_measurable(&suite, &err), 0);
        assert_int_equal(suite_resolve(&manifest, ops[n]->check_suite, NULL, &arena, &suite, &err), 0);
        assert_ptr_equal(suite.items[0].problem.op, ops[n]);
        assert_int_equal(suite.item_count, problem_boundary(ops[n], NULL, &arena).count);
        assert_true(suite.is_drawn_from);
    }
    assert_int_equal(suite_resolve(&manifest, "norm", "fp16", &arena, &suite, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "operator 'norm' declares the types of its tensors"));
    struct problem problem, other;
    assert_int_equal(problem_parse(&manifest.operators, "norm/default", &problem, &err), 0);
    assert_int_equal(problem_retype(&problem, "fp16", &other, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "there is no other problem of it in 'fp16'"));
    manifest_fini(&manifest);
}

static void follows_the_kernel(void **state) {
    (void)state;
    const struct operator_def *op = made(&norm);
    struct manifest manifest;
    struct suite suite;
    struct suite_question question;
    struct dice dice = dice_of_seed(3);
    manifest_empty(&manifest);
    manifest.operators = (struct operator_set){&op, 1};
    assert_int_equal(suite_resolve(&manifest, op->check_suite, NULL, &arena, &suite, NULL), 0);
    const size_t count = suite.item_count;
    suite_add_drawn(&suite, &dice, &arena);
    assert_true(suite.item_count > count + SUITE_DRAWN_MAX);
    suite_ask(&suite, &arena, &question);
    bool *is_supported = arena_array(&arena, question.index_count, sizeof *is_supported);
    for (size_t i = 0; i < question.case_count; ++i) // rows that follow each other
        is_supported[question.cases[i].index] |= question.cases[i].memory_layout == MEMORY_LAYOUT_DENSE;
    suite_take(&suite, is_supported, false, &arena);
    assert_int_equal(suite.item_count, count - 3 + SUITE_DRAWN_MAX);
    assert_non_null(strstr(suite.left_out, "rows33/hidden40 (padded)"));
    manifest_fini(&manifest);
}

static void names_of_suites(void **state) {
    (void)state;
    static const char *const taken[] = {"gemm", "ci", "sim", "gemm_cpu", "boundary", "norm_boundary"};
    for (size_t i = 0; i < COUNT(taken); ++i) {
        struct declared declared = norm;
        const struct operator_def *op;
        struct err err = {0};
        declared.name = taken[i];
        assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
        assert_non_null(strstr(err.text, "for example 'my_"));
    }
}

// ---- shrinking ----

typedef bool fails_fn(const struct problem *problem);

static int fails(void *arg, const struct problem *problem, struct err *err) {
    fails_fn *asked;
    struct problem again;
    memcpy(&asked, arg, sizeof asked);
    assert_int_equal(problem_make(problem->op, problem_fields(problem), &again, err), 0);
    return asked(problem);
}

static bool wide(const struct problem *problem) {
    return problem->op->size(problem, 1) > 1000;
}
static bool tail_of_32(const struct problem *problem) {
    return problem->op->size(problem, 1) % 32 != 0;
}
static bool two_rows(const struct problem *problem) {
    return problem->op->size(problem, 0) > 1;
}
static bool groups_of_heads(const struct problem *problem) {
    return problem->op->size(problem, 1) > problem->op->size(problem, 2);
}

static void failing_problems_become_small(void **state) {
    (void)state;
    static const struct {
        const struct declared *declared;
        const char *fields;
        fails_fn *fails;
        const char *name;
    } rows[] = {
        {&norm, "rows4096/hidden4096/eps0.5", wide, "norm/rows1/hidden1008"},
        {&norm, "rows17/hidden1032", tail_of_32, "norm/rows1/hidden8"},
        {&norm, "rows4096/hidden4096", two_rows, "norm/rows2/hidden8"},
        {&rope, "default", groups_of_heads, "rope/tokens1/heads2/kv_heads1/dim2"},
        {&paged, "default", two_rows, "paged/batch2/pages2/pages_used2/dim1"},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        struct problem problem, ret;
        struct err err = {0};
        const struct shrink shrink = {.fails = fails,
                                      .arg = (void *)(uintptr_t)&rows[i].fails,
                                      .tries_max = 300,
                                      .deadline_ns = clock_ns() + UINT64_C(60000000000)};
        assert_int_equal(problem_make(made(rows[i].declared), rows[i].fields, &problem, &err), 0);
        assert_int_equal(shrink_problem(&shrink, &problem, &ret, &err), 1);
        assert_string_equal(ret.name, rows[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_case_is_a_problem, tear_down),
        cmocka_unit_test_teardown(sizes_that_there_are, tear_down),
        cmocka_unit_test_teardown(families_where_they_apply, tear_down),
        cmocka_unit_test_teardown(scalars_vary, tear_down),
        cmocka_unit_test_teardown(one_size, tear_down),
        cmocka_unit_test_teardown(no_axis, tear_down),
        cmocka_unit_test_teardown(drawn_problems, tear_down),
        cmocka_unit_test_teardown(suites, tear_down),
        cmocka_unit_test_teardown(follows_the_kernel, tear_down),
        cmocka_unit_test_teardown(names_of_suites, tear_down),
        cmocka_unit_test_teardown(failing_problems_become_small, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
