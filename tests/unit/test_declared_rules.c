// SPDX-License-Identifier: Apache-2.0
//
// What the texts of results say is right: which tensors they name, what is wrong in them, and what becomes of
// them in a reference.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/declared/declared.h"
#include "op/declared/tensor_spec.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct arena arena;

static int tear_down(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

// x, lengths, state, values, y, count: y and count have these texts.
static int make(const char *y, const char *count, const struct operator_def **ret, struct err *err) {
    const struct declared_axis axes[] = {{"rows", "4"}, {"n", "8"}, {"k", "2"}};
    const struct declared_tensor tensors[] = {
        {"x", "fp32[rows, n]", ASSAY_IN},
        {"lengths", "int32[rows] lengths(n)", ASSAY_IN},
        {"state", "bf16[rows, n]", ASSAY_INOUT},
        {"values", "fp32[rows, k]", ASSAY_OUT},
        {"y", y, ASSAY_OUT},
        {"count", count, ASSAY_OUT},
    };
    const struct declared declared = {.name = "one",
                                      .axes = axes,
                                      .axis_count = COUNT(axes),
                                      .tensors = tensors,
                                      .tensor_count = COUNT(tensors)};
    struct declared *kept = arena_alloc(&arena, sizeof *kept);
    struct declared_tensor *copies = arena_array(&arena, COUNT(tensors), sizeof *copies);
    struct declared_axis *sizes = arena_array(&arena, COUNT(axes), sizeof *sizes);
    memcpy(copies, tensors, sizeof tensors);
    memcpy(sizes, axes, sizeof axes);
    *kept = declared;
    kept->tensors = copies;
    kept->axes = sizes;
    return declared_make(&arena, kept, ret, err);
}

static void texts(void **state) {
    (void)state;
    static const struct {
        const char *y, *count;
        struct declared_rule rule; // of y; used_axis -1: none
    } rows[] = {
        {"fp32[rows]", "int32[]", {0, 0, -1, -1, -1, -1, false}},
        {"fp8_e4m3[rows]", "int32[]", {1, 0.001, -1, -1, -1, 0, false}},
        {"fp8_e5m2[rows] steps(2)", "int32[]", {2, 0.001, -1, -1, -1, 0, false}},
        {"int8[rows] steps(1)", "int32[]", {1, 0.001, -1, -1, -1, 0, false}},
        {"int8[rows] steps(2, 0.05)", "int32[]", {2, 0.05, -1, -1, -1, 0, false}},
        {"int8[rows]", "int32[]", {0, 0, -1, -1, -1, -1, false}},
        {"int64[rows, k] picks(x)", "int32[]", {0, 0, 0, -1, -1, 0, false}},
        {"int32[rows, k] picks(state)", "int32[]", {0, 0, 2, -1, -1, 0, false}},
        {"int32[rows, k] picks( x , values )", "int32[]", {0, 0, 0, 3, -1, 0, false}},
        {"fp32[n, 3] used(count)", "int32[]", {0, 0, -1, -1, 5, 0, false}},
        {"fp32[n] used(count)", "int64[1]", {0, 0, -1, -1, 5, 0, false}},
        {"fp32[rows, n, 3] used(count)", "int32[rows]", {0, 0, -1, -1, 5, 1, false}},
        {"fp32[rows, n] used(lengths)", "int32[]", {0, 0, -1, -1, 1, 1, false}},
        {"int32[rows, k] picks(x) used(lengths)", "int32[]", {0, 0, 0, -1, 1, 1, false}},
        {"int8[rows, k]  used(lengths) steps(1) ", "int32[]", {1, 0.001, -1, -1, 1, 1, false}},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const struct operator_def *op;
        struct err err = {0};
        if (make(rows[i].y, rows[i].count, &op, &err) < 0) fail_msg("%s: %s", rows[i].y, err.text);
        const struct declared_rule *rule = declared_rule_of(op, 4);
        if (!rule != (rows[i].rule.used_axis < 0)) fail_msg("%s", rows[i].y);
        const struct declared_rule *right = &rows[i].rule;
        if (rule && (rule->steps != right->steps || rule->share != right->share ||
                     rule->picks != right->picks || rule->values != right->values ||
                     rule->used != right->used || rule->used_axis != right->used_axis))
            fail_msg("%s", rows[i].y);
        assert_null(declared_rule_of(op, 0));
    }
}

static void mistakes(void **state) {
    (void)state;
    static const struct {
        const char *y, *count, *said;
    } rows[] = {
        {"int32[rows] pick(x)", "int32[]", "there is no word of a result 'pick', did you mean 'picks'?"},
        {"int32[rows] pick(x)", "int32[]", "write for example 'int32[rows, k] picks(x)'"},
        {"int32[rows] dark", "int32[]", "there is no word of a result 'dark', but picks, used, steps"},
        {"int32[rows] picks", "int32[]", "'picks' needs something between brackets, as in 'picks(x)'"},
        {"int32[rows] used()", "int32[]", "'used' needs something between brackets, as in 'used(count)'"},
        {"int32[rows] used(count, x)", "int32[]", "more than 1 items between brackets"},
        {"int32[rows] normal", "int32[]", "a result is not filled: 'normal' is too much"},
        {"int32[rows] !", "int32[]", "'!' is too much at its end"},
        {"int8[rows] steps(0)", "int32[]", "a whole number of steps from 1 to 16, not by '0'"},
        {"int8[rows] steps(half)", "int32[]", "a whole number of steps from 1 to 16, not by 'half'"},
        {"int8[rows] steps(1, 0)", "int32[]", "a number above 0 and up to 0.1, not '0'"},
        {"int8[rows] steps(1, 0.2)", "int32[]", "a number above 0 and up to 0.1, not '0.2'"},
        {"fp32[rows] steps(1)", "int32[]", "a result in steps is of fp8, fp4_e2m1x2, or of integers"},
        {"bool[rows] steps(1)", "int32[]", "a result in steps is of fp8, fp4_e2m1x2, or of integers"},
        {"fp32[rows, k] picks(x)", "int32[]", "a result that picks is of integers, not fp32"},
        {"int32[rows, k] picks(z)", "int32[]", "tensor 'y': picks: there is no tensor 'z'"},
        {"int32[rows, k] picks(x, vlues)", "int32[]", "did you mean 'values'?"},
        {"int32[rows, k] picks(y)", "int32[]", "tensor 'y': picks: 'y' is the tensor itself"},
        {"int32[rows, k] picks(values)", "int32[]", "picks: 'values' is computed, so that its values are"},
        {"int32[k] picks(x)", "int32[]", "picks: 'x' must have the same sizes but for the last one"},
        {"int32[n, k] picks(x)", "int32[]", "picks: 'x' must have the same sizes but for the last one"},
        {"int32[rows, 3] picks(x, values)", "int32[]", "picks: 'values' must be a result of the same sizes"},
        {"int32[rows, n] picks(x, x)", "int32[]", "picks: 'x' must be a result of the same sizes"},
        {"fp32[n] used(counts)", "int32[]", "used: there is no tensor 'counts', did you mean 'count'?"},
        {"fp32[n] used(count)", "fp32[]", "used: 'count' must be of integers, all of them used and exact"},
        {"fp32[n] used(count)", "int32[] steps(1)", "used: 'count' must be of integers"},
        {"fp32[n] used(count)", "int32[] used(lengths)", "'count' must be of integers, all of them used"},
        {"fp32[n] used(count)", "int32[2]", "used: 'count' must be one number, or have the sizes of"},
        {"fp32[n] used(count)", "int32[n]", "used: 'count' must be one number, or have the sizes of"},
        {"e8m0[n] used(count)", "int32[]", "used: 'y' must be under outputs, of any type but e8m0"},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const struct operator_def *op;
        struct err err = {0};
        if (make(rows[i].y, rows[i].count, &op, &err) != -ERR_CONFIG) fail_msg("%s is taken", rows[i].y);
        if (!strstr(err.text, rows[i].said)) fail_msg("%s: %s", rows[i].y, err.text);
    }
}

static void inputs(void **state) {
    (void)state;
    struct tensor_spec spec;
    struct err err = {0};
    assert_int_equal(tensor_spec_parse(&arena, "int32[n] below(8) picks(x)", ASSAY_IN, &spec, &err),
                     -ERR_CONFIG);
    assert_non_null(strstr(err.text, "'picks' says what is right of a result, and this is an input"));
    assert_int_equal(tensor_spec_parse(&arena, "int8[n] bits steps(1)", ASSAY_INOUT, &spec, &err),
                     -ERR_CONFIG);
    assert_int_equal(
        tensor_spec_parse(&arena, "fp8_e4m3[n] uniform(0, 2) steps(3)", ASSAY_INOUT, &spec, &err), 0);
    assert_true(!spec.is_ignored && spec.family == FILL_UNIFORM && spec.argument_count == 2 &&
                spec.steps == 3);
    assert_int_equal(tensor_spec_parse(&arena, "int32[n] ignored below(8)", ASSAY_IN, &spec, &err), 0);
    assert_true(spec.is_ignored && spec.family == FILL_BELOW);
    assert_int_equal(tensor_spec_parse(&arena, "int32[n] ignored", ASSAY_OUT, &spec, &err), -ERR_CONFIG);
}

static void floats(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"int8[n] steps(1)", "fp64[n]         "},
        {"int8[rows, n] steps(1) used(lengths)", "fp64[rows, n]          used(lengths)"},
        {"int32[rows, k] picks(steps)", "int32[rows, k] picks(steps)"},
        {"fp4_e2m1x2[n] steps(1)", "fp4_e2m1x2[n] steps(1)"},
        {"fp8_e4m3[n] normal steps(1)", "fp64[n] normal         "},
    };
    for (size_t i = 0; i < COUNT(rows); ++i)
        assert_string_equal(tensor_spec_with_floats(&arena, rows[i][0], ASSAY_FP64), rows[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(texts, tear_down),
        cmocka_unit_test_teardown(mistakes, tear_down),
        cmocka_unit_test_teardown(inputs, tear_down),
        cmocka_unit_test_teardown(floats, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
