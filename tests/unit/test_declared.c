// SPDX-License-Identifier: Apache-2.0
//
// Operators that are declared: names of problems, tensors of them, what is refused and with which words, and
// how inputs are filled.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "op/declared/declared.h"
#include "op/declared/tensor_spec.h"
#include "op/dtype.h"

static struct arena arena;

static int tear_down(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

// ---- an RMSNorm ----

static const struct declared_axis norm_axes[] = {
    {"rows", "4096"}, {"hidden", "4096"}, {"groups", "hidden // 128"}};
static const struct declared_scalar norm_scalars[] = {{.name = "eps", .value = 1e-6}};
static const struct declared_tensor norm_tensors[] = {
    {"x", "bf16[rows, hidden]", ASSAY_IN},
    {"weight", "fp32[hidden] normal(1, 0.1)", ASSAY_IN},
    {"y", "bf16[rows, hidden]", ASSAY_OUT},
};
static const char *const norm_where[] = {"hidden % 8 == 0"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct declared norm(void) {
    return (struct declared){.name = "rmsnorm",
                             .axes = norm_axes,
                             .axis_count = COUNT(norm_axes),
                             .scalars = norm_scalars,
                             .scalar_count = COUNT(norm_scalars),
                             .tensors = norm_tensors,
                             .tensor_count = COUNT(norm_tensors),
                             .where = norm_where,
                             .where_count = COUNT(norm_where),
                             .flops = "4 * rows * hidden"};
}

static const struct operator_def *made(const struct declared *declared) {
    const struct operator_def *op = NULL;
    struct err err = {0};
    if (declared_make(&arena, declared, &op, &err) < 0) fail_msg("%s", err.text);
    return op;
}

static void names_parse_back(void **state) {
    (void)state;
    static const struct {
        const char *given, *name; // NULL: refused
        const char *said;
    } rows[] = {
        {"rmsnorm/default", "rmsnorm/rows4096/hidden4096", NULL},
        {"rmsnorm/rows17", "rmsnorm/rows17/hidden4096", NULL},
        {"rmsnorm/hidden128/rows17", "rmsnorm/rows17/hidden128", NULL},
        {"rmsnorm/rows1/eps1e-05", "rmsnorm/rows1/hidden4096/eps1e-05", NULL},
        {"rmsnorm/rows1/eps0.1000000000000001", "rmsnorm/rows1/hidden4096/eps0.1000000000000001", NULL},
        {"rmsnorm/rows1/eps1e-6", "rmsnorm/rows1/hidden4096", NULL},
        {"rmsnorm/rows1/eps-2", "rmsnorm/rows1/hidden4096/eps-2", NULL},
        {"rmsnorm/rows0", NULL, "behind rows stands a size from 1 to 2^40, such as rows64"},
        {"rmsnorm/rows", NULL, "behind rows stands a size"},
        {"rmsnorm/rows1.5", NULL, "behind rows stands a size"},
        {"rmsnorm/rows17/rows18", NULL, "rows is there twice"},
        {"rmsnorm/epsnan", NULL, "behind eps stands a number, such as eps0.5"},
        {"rmsnorm/cols3", NULL, "'cols3': expected one of rows, hidden, eps with a number behind it"},
        {"rmsnorm/groups3", NULL, "'groups3': expected one of rows, hidden, eps"}, // follows from hidden
        {"rmsnorm/hidden132", NULL, "'hidden % 8 == 0' does not hold, as rmsnorm declares"},
        {"rmsnorm/hidden64", NULL, "axis 'groups': 'hidden // 128' is 0 here, and a size is at least 1"},
        {"rmsnorm/rows1099511627776/hidden1099511627776", NULL,
         "its tensors have more than 256 GiB, with 'x'"},
        {"rmsnorm/rows9999999999999999999", NULL, "behind rows stands a size"},
    };
    const struct declared declared = norm();
    const struct operator_def *op = made(&declared);
    const struct operator_set set = {&op, 1};
    assert_string_equal(op->example, "rmsnorm/rows4096/hidden4096");
    assert_ptr_equal(declared_of(op), &declared);
    for (size_t i = 0; i < COUNT(rows); ++i) {
        struct problem problem, again;
        struct err err = {0};
        const int code = problem_parse(&set, rows[i].given, &problem, &err);
        if ((code == 0) != (rows[i].name != NULL)) fail_msg("%s: %s", rows[i].given, err.text);
        if (code < 0) {
            assert_int_equal(code, -ERR_USAGE);
            if (!strstr(err.text, rows[i].said)) fail_msg("%s: %s", rows[i].given, err.text);
            continue;
        }
        assert_string_equal(problem.name, rows[i].name);
        assert_int_equal(problem_parse(&set, problem.name, &again, &err), 0);
        assert_memory_equal(&problem, &again, sizeof problem);
    }
}

static void tensors_follow_axes(void **state) {
    (void)state;
    const struct declared declared = norm();
    struct problem problem, smaller;
    struct problem_abi abi;
    assert_int_equal(problem_make(made(&declared), "rows17/hidden256/eps0.5", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(abi.tensor_count, 3);
    assert_string_equal(abi.tensors[1].name, "weight");
    assert_int_equal(abi.tensors[1].dtype, ASSAY_FP32);
    assert_int_equal(abi.tensors[1].shape[0], 256);
    assert_int_equal(abi.tensors[2].shape[0], 17);
    assert_int_equal(abi.tensors[2].stride[0], 256);
    assert_int_equal(abi.tensors[2].access, ASSAY_OUT);
    assert_int_equal(abi.problem.axis_count, 3);
    assert_int_equal(abi.problem.scalar_count, 4);
    assert_string_equal(abi.scalars[2].name, "groups");
    assert_true(abi.scalars[2].value == 2 && abi.scalars[3].value == 0.5);
    assert_true(problem_flops(&problem) == 4.0 * 17 * 256);
    assert_true(problem_bytes(&problem) == 2.0 * 2 * 17 * 256 + 4 * 256);
    assert_int_equal(problem.op->size(&problem, 0), 17);
    assert_int_equal(problem.op->size(&problem, 2), 0); // groups is not free
    assert_true(problem.op->resize(&problem, 1, 128, &smaller));
    assert_string_equal(smaller.name, "rmsnorm/rows17/hidden128/eps0.5");
    assert_false(problem.op->resize(&problem, 1, 132, &smaller)); // 8 does not divide it
    assert_int_equal(problem_simplify(&problem, 0, &smaller), 1);
    assert_string_equal(smaller.name, "rmsnorm/rows17/hidden256");
    assert_int_equal(problem_simplify(&problem, 1, &smaller), 0);
}

// ---- what is refused ----

static void mistakes(void **state) {
    (void)state;
    static const struct {
        const char *axis, *size, *tensor, *spec;
        const char *said; // NULL: right
    } rows[] = {
        {"n", "128", "x", "fp32[n]", NULL},
        {"n", "128", "x", "fp32[]", NULL},
        {"n", "128", "x", " fp32 [ n , n+1 ] uniform ( 0, 1 ) ", "'( 0, 1 ) ' is too much at its end"},
        {"n", "128", "x", "fp32 [ n , n+1 ] uniform(0, 1) ", NULL},
        {"n", "128", "x", "bf61[n]", "there is no type 'bf61', did you mean 'bf16'?"},
        {"n", "128", "x", "[n]", "there is no type '', but fp32, fp16"},
        {"n", "128", "x", "fp32", "behind the type stands the shape between brackets"},
        {"n", "128", "x", "fp32[n", "a ']' is missing"},
        {"n", "128", "x", "fp32[n,]", "between two commas there is nothing"},
        {"n", "128", "x", "fp32[m]", "tensor 'x'"},
        {"n", "128", "x", "fp32[m]", "there is no axis of that name"},
        {"n", "128", "x", "fp32[n - 128]", "'n - 128' is 0 here"},
        {"n", "128", "x", "fp32[n // (n - 128)]", "divides by zero or is beyond 64 bits here"},
        {"n", "128", "x", "fp32[n < 2]", "'n < 2' is no size"},
        {"n", "128", "x", "fp32[1,1,1,1,1,1,1,1,1]", "more than 8 items between brackets"},
        {"n", "128", "x", "fp32[n] normale", "there is no family 'normale', did you mean 'normal'?"},
        {"n", "128", "x", "fp32[n] below(3)", "below fills integers, not fp32"},
        {"n", "128", "x", "int32[n] normal", "normal fills floating-point types, not int32"},
        {"n", "128", "x", "fp4_e2m1x2[n] ones",
         "a byte of fp4_e2m1x2 holds two numbers, which 'bits' and 'zeros' fill"},
        {"n", "128", "x", "int32[n] below", "below has 1 argument, not 0"},
        {"n", "128", "x", "fp32[n] dark", "there is no family 'dark', but normal, uniform"},
        {"rows", "128", "x", "fp32[row]", "no axis of that name before it, did you mean 'rows'?"},
        {"n", "128", "x", "fp32[n] normal(1, 2, 3)", "more than 2 items between brackets"},
        {"n", "128", "x", "fp32[n] zeros(1)", "zeros has 0 arguments, not 1"},
        {"n", "128", "x", "int32[n] below(n - 128)", "an argument lies between 1 and 9e+15, not at 0"},
        {"n", "128", "x", "fp32[n] uniform(2, 1)", "2 is above 1; write the smaller one first"},
        {"n", "128", "x y", "fp32[n]", "tensor 'x y': a name has letters, digits and '_'"},
        {"n", "128", "n", "fp32[n]", "tensor 'n': that name is there twice"},
        {"y", "128", "x", "fp32[y]", "tensor 'y': that name is there twice"}, // the result's
        {"1n", "128", "x", "fp32[4]", "axis '1n': a name has letters"},
        {"n", "0", "x", "fp32[4]", "axis 'n': its default is 0, and a size is at least 1"},
        {"n", "m + 1", "x", "fp32[n]", "there is no axis of that name before it"},
        {"n", "n + 1", "x", "fp32[n]", "there is no axis of that name before it"},
        {"s1", "128", "x", "fp32[s1]", "'s' and 's1' differ by digits at the end"},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const struct declared_axis axes[] = {{rows[i].axis, rows[i].size}};
        const struct declared_scalar scalars[] = {{.name = "s", .value = 1}};
        const struct declared_tensor tensors[] = {{rows[i].tensor, rows[i].spec, ASSAY_IN},
                                                  {"y", "fp32[4]", ASSAY_OUT}};
        const struct declared declared = {.name = "one",
                                          .axes = axes,
                                          .axis_count = 1,
                                          .scalars = scalars,
                                          .scalar_count = 1,
                                          .tensors = tensors,
                                          .tensor_count = 2};
        const struct operator_def *op;
        struct err err = {0};
        const int code = declared_make(&arena, &declared, &op, &err);
        if ((code == 0) != !rows[i].said) fail_msg("%s %s: %s", rows[i].axis, rows[i].spec, err.text);
        if (code == 0) continue;
        assert_int_equal(code, -ERR_CONFIG);
        assert_int_equal(err.code, ERR_CONFIG);
        if (!strstr(err.text, rows[i].said)) fail_msg("%s %s: %s", rows[i].axis, rows[i].spec, err.text);
    }
}

// Nine names of 39 characters with 13 digits: 477 characters beside the operator's.
static void any_size_has_a_name(void **state) {
    (void)state;
    struct err err = {0};
    struct declared_axis axes[9];
    const struct declared_tensor result = {"y", "fp32[2]", ASSAY_OUT};
    struct declared long_names = {
        .axes = axes, .axis_count = COUNT(axes), .tensors = &result, .tensor_count = 1};
    const struct operator_def *op;
    for (size_t i = 0; i < COUNT(axes); ++i)
        axes[i] =
            (struct declared_axis){arena_format(&arena, "a_name_of_thirty_nine_characters_axis_%zu", i), "2"};
    long_names.name = "operator_of_thirty_four_characters";
    assert_int_equal(declared_make(&arena, &long_names, &op, &err), 0);
    long_names.name = "operator_of_thirty_five_characters_";
    assert_int_equal(declared_make(&arena, &long_names, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "can have 512 characters, and at most 511 are allowed"));
}

static void whole_declarations(void **state) {
    (void)state;
    struct declared declared = norm();
    const struct operator_def *op;
    struct err err = {0};
    declared.tensor_count = 2;
    assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "there is no result"));
    declared = norm();
    static const char *const sums[] = {"hidden * 8"};
    declared.where = sums;
    assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "where: 'hidden * 8' compares nothing"));
    static const struct declared_tensor filled[] = {{"y", "fp32[rows] ones", ASSAY_OUT}};
    declared = norm();
    declared.tensors = filled;
    declared.tensor_count = 1;
    assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "a result is not filled: 'ones' is too much"));
    declared = norm();
    declared.flops = "4 * cols";
    assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
    static const char *const names_that_are_none[] = {"", "RMSnorm", "rms norm", "rms-norm", "gemm"};
    for (size_t i = 0; i < COUNT(names_that_are_none); ++i) {
        declared = norm();
        declared.name = names_that_are_none[i];
        assert_int_equal(declared_make(&arena, &declared, &op, &err), -ERR_CONFIG);
        if (!strstr(err.text, i < 4 ? "an operator's name has lower-case letters" : "assay has an operator"))
            fail_msg("'%s': %s", declared.name, err.text);
    }
    // The most there can be, of all: 16 axes, 16 scalars, 64 tensors.
    static char names[DECLARED_AXES_MAX + 16 + OP_TENSORS_MAX + 1][8];
    for (size_t i = 0; i < COUNT(names); ++i) snprintf(names[i], sizeof names[i], "n%zu_", i);
    struct declared_axis axes[DECLARED_AXES_MAX];
    struct declared_scalar scalars[17];
    struct declared_tensor tensors[OP_TENSORS_MAX + 1];
    for (size_t i = 0; i < COUNT(axes); ++i) axes[i] = (struct declared_axis){names[i], "2"};
    for (size_t i = 0; i < 16; ++i) scalars[i] = (struct declared_scalar){.name = names[16 + i], .value = 1};
    scalars[16] = (struct declared_scalar){.name = "more", .value = 1};
    for (size_t i = 0; i < COUNT(tensors); ++i)
        tensors[i] = (struct declared_tensor){names[32 + i], "fp32[2]", i < 60 ? ASSAY_IN : ASSAY_INOUT};
    struct declared large = {.name = "large",
                             .axes = axes,
                             .axis_count = DECLARED_AXES_MAX,
                             .scalars = scalars,
                             .scalar_count = 16,
                             .tensors = tensors,
                             .tensor_count = OP_TENSORS_MAX};
    struct problem problem;
    struct problem_abi abi;
    assert_int_equal(problem_make(made(&large), "default", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_PADDED, &abi);
    assert_int_equal(abi.tensor_count, OP_TENSORS_MAX);
    // A problem of which all values are given parses back, unless its name is too long for that.
    char fields[OP_SCALARS_MAX * 16] = "";
    for (size_t i = 0; i < OP_SCALARS_MAX; ++i)
        snprintf(fields + strlen(fields), sizeof fields - strlen(fields), "%sn%zu_3", i ? "/" : "", i);
    assert_int_equal(problem_make(problem.op, fields, &problem, NULL), 0);
    assert_string_equal(problem.name + strlen("large/"), fields);
    for (size_t i = 0; i < DECLARED_AXES_MAX; ++i)
        axes[i] = (struct declared_axis){arena_format(&arena, "a_very_long_name_of_an_axis_%zu_", i), "2"};
    assert_int_equal(declared_make(&arena, &large, &op, &err), -ERR_CONFIG);
    assert_non_null(strstr(err.text, "the name of a problem can have "));
    for (size_t i = 0; i < DECLARED_AXES_MAX; ++i) axes[i] = (struct declared_axis){names[i], "2"};
    large.scalar_count = 17;
    assert_int_equal(declared_make(&arena, &large, &op, NULL), -ERR_CONFIG);
    large.scalar_count = 16;
    large.tensor_count = OP_TENSORS_MAX + 1;
    assert_int_equal(declared_make(&arena, &large, &op, NULL), -ERR_CONFIG);
}

// ---- inputs ----

struct filled {
    struct problem problem;
    struct assay_tensor tensor;
    double *values;
    size_t count;
};

// Values of one input of n elements (rows of 8), spec without its sizes.
static struct filled filled(const char *type, const char *family, int64_t n, const char *distribution,
                            uint64_t seed) {
    char *spec = arena_format(&arena, "%s[n // 8, 8] %s", type, family);
    const char *axis = "n";
    struct declared_axis *axes = arena_array(&arena, 1, sizeof *axes);
    struct declared_tensor *tensors = arena_array(&arena, 2, sizeof *tensors);
    struct declared *declared = arena_alloc(&arena, sizeof *declared);
    axes[0] = (struct declared_axis){axis, arena_format(&arena, "%lld", (long long)n)};
    tensors[0] = (struct declared_tensor){"x", spec, ASSAY_IN};
    tensors[1] = (struct declared_tensor){"y", "fp32[n]", ASSAY_OUT};
    *declared = (struct declared){
        .name = "one", .axes = axes, .axis_count = 1, .tensors = tensors, .tensor_count = 2};
    struct filled ret;
    struct problem_abi abi;
    struct err err = {0};
    assert_int_equal(problem_make(made(declared), "default", &ret.problem, NULL), 0);
    problem_describe(&ret.problem, MEMORY_LAYOUT_DENSE, &abi);
    ret.tensor = abi.tensors[0];
    ret.count = (size_t)tensor_element_count(&ret.tensor);
    ret.tensor.data = arena_alloc(&arena, (size_t)tensor_span_bytes(&ret.tensor));
    if (ret.problem.op->fill(&ret.problem, distribution, seed, 0, &ret.tensor, &err) < 0)
        fail_msg("%s: %s", spec, err.text);
    ret.values = arena_array(&arena, ret.count, sizeof *ret.values);
    dtype_load_row(ret.tensor.dtype, ret.tensor.data, ret.count, ret.values);
    return ret;
}

static void moments(const struct filled *f, double *ret_mean, double *ret_sd, double *ret_low,
                    double *ret_high) {
    double sum = 0, squares = 0;
    *ret_low = INFINITY, *ret_high = -INFINITY;
    for (size_t i = 0; i < f->count; ++i) {
        sum += f->values[i], squares += f->values[i] * f->values[i];
        *ret_low = fmin(*ret_low, f->values[i]), *ret_high = fmax(*ret_high, f->values[i]);
    }
    *ret_mean = sum / (double)f->count;
    *ret_sd = sqrt(fmax(squares / (double)f->count - *ret_mean * *ret_mean, 0));
}

static void families_of_floats(void **state) {
    (void)state;
    static const struct {
        const char *family, *distribution;
        double mean, sd, low, high; // within 5 % of the larger of sd and 1e-6
    } rows[] = {
        {"", "normal", 0, 1, -4, 4},
        {"normal(3, 0.5)", "normal", 3, 0.5, 1, 5},
        {"normal(3, 0.5)", "zeros", 3, 0.5, 1, 5}, // named: no distribution takes its place
        {"uniform", "normal", 0, 0.5774, -1, 1},
        {"uniform(n, n + 2)", "normal", 80001, 0.5774, 80000, 80002},
        {"positive", "normal", 1.25, 0.433, 0.5, 2},
        {"exact", "normal", 0, 2.582, -4, 4},
        {"mask(0.25)", "normal", 0.25, 0.433, 0, 1},
        {"constant(-2.5)", "normal", -2.5, 0, -2.5, -2.5},
        {"", "ones", 1, 0, 1, 1},
        {"", "zeros", 0, 0, 0, 0},
        {"", "large", 0, 100, -400, 400},
        {"", "small", 0, 1e-4, -4e-4, 4e-4},
        {"", "uniform", 0, 0.5774, -1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const struct filled f = filled("fp64", rows[i].family, 80000, rows[i].distribution, 7);
        double mean, sd, low, high;
        moments(&f, &mean, &sd, &low, &high);
        const double near = 0.05 * fmax(rows[i].sd, 1e-6);
        if (fabs(mean - rows[i].mean) > near || fabs(sd - rows[i].sd) > near || low < rows[i].low ||
            high > rows[i].high)
            fail_msg("'%s' %s: mean %g, sd %g, from %g to %g", rows[i].family, rows[i].distribution, mean, sd,
                     low, high);
    }
    const struct filled outliers = filled("fp32", "outliers", 80000, "normal", 7);
    size_t large = 0;
    for (size_t i = 0; i < outliers.count; ++i) large += fabs(outliers.values[i]) > 10;
    assert_in_range(large, 40, 120); // 74 expected: 80 less those near 0
    const struct filled probs = filled("fp64", "probs", 800, "normal", 7);
    for (size_t row = 0; row < 100; ++row) {
        double sum = 0;
        for (size_t i = 0; i < 8; ++i) sum += probs.values[8 * row + i], assert_true(probs.values[i] > 0);
        assert_true(fabs(sum - 1) < 1e-12);
    }
}

static void families_of_integers(void **state) {
    (void)state;
    const struct filled range = filled("int32", "", 800, "large", 7); // a distribution is for floats
    for (size_t i = 0; i < 800; ++i) assert_true(range.values[i] == (double)i);
    static bool is_there[1000];
    static const char *const uniques[] = {"unique(n)", "unique(1000)", "unique(801)"};
    for (size_t k = 0; k < COUNT(uniques); ++k) {
        const struct filled unique = filled("int64", uniques[k], 800, "normal", 7);
        size_t in_order = 0;
        memset(is_there, 0, sizeof is_there);
        for (size_t i = 0; i < 800; ++i) {
            assert_in_range((size_t)unique.values[i], 0, 999);
            if (is_there[(size_t)unique.values[i]]) fail_msg("%s: %g twice", uniques[k], unique.values[i]);
            is_there[(size_t)unique.values[i]] = true;
            in_order += i > 0 && unique.values[i] > unique.values[i - 1];
        }
        assert_in_range(in_order, 340, 460);
    }
    const struct filled below = filled("int32", "below(n // 80)", 800, "normal", 7);
    size_t counts[10] = {0};
    for (size_t i = 0; i < 800; ++i) {
        assert_in_range((size_t)below.values[i], 0, 9);
        ++counts[(size_t)below.values[i]];
    }
    for (size_t i = 0; i < 10; ++i)
        assert_in_range(counts[i], 50, 115); // 80 expected, standard deviation 8.5
    const struct filled lengths = filled("int32", "lengths(1000000)", 800, "normal", 7);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < 800; ++i) {
        least = fmin(least, lengths.values[i]), most = fmax(most, lengths.values[i]);
    }
    assert_true(least >= 1 && least < 50000 && most == 1e6);
    static const char *const indptrs[] = {"indptr(10000)", "indptr(0)", "indptr(3)"};
    static const double totals[] = {10000, 0, 3};
    for (size_t k = 0; k < COUNT(indptrs); ++k) {
        const struct filled indptr = filled("int32", indptrs[k], 800, "normal", 7);
        assert_true(indptr.values[0] == 0 && indptr.values[799] == totals[k]);
        for (size_t i = 1; i < 800; ++i) assert_true(indptr.values[i] >= indptr.values[i - 1]);
    }
    const struct filled bits = filled("int64", "bits", 800, "normal", 7);
    size_t ones = 0;
    for (size_t i = 0; i < 800; ++i) ones += (size_t)__builtin_popcountll(((uint64_t *)bits.tensor.data)[i]);
    assert_in_range(ones, 25100, 26100); // of 51200: 25600, standard deviation 113
}

static void families_of_bool_fp4_and_e8m0(void **state) {
    (void)state;
    size_t ones;
    static const char *const bools[] = {"", "bits", "mask(0.5)"}; // each is 0 or 1, with the same share
    for (size_t k = 0; k < COUNT(bools); ++k) {
        const struct filled mask = filled("bool", bools[k], 800, "normal", 7);
        ones = 0;
        for (size_t i = 0; i < 800; ++i) {
            assert_true(mask.values[i] == 0 || mask.values[i] == 1);
            ones += mask.values[i] == 1;
        }
        assert_in_range(ones, 330, 470);
    }
    const struct filled pairs = filled("fp4_e2m1x2", "", 8000, "zeros", 7); // bits, whatever the distribution
    bool is_met[256] = {false};
    for (size_t i = 0; i < 8000; ++i) is_met[(size_t)pairs.values[i]] = true;
    for (size_t i = 0; i < 256; ++i) assert_true(is_met[i]);
    const struct filled scales = filled("e8m0", "", 8000, "normal", 7); // normal numbers, rounded
    ones = 0;
    for (size_t i = 0; i < 8000; ++i) {
        assert_true(scales.values[i] > 0 && scales.values[i] <= 8);
        ones += scales.values[i] == 1;
    }
    assert_in_range(ones, 2400, 2800); // from 0.75 to 1.5: 32.0 %
}

static void same_seed_same_bytes(void **state) {
    (void)state;
    static const struct {
        const char *type, *family;
    } rows[] = {{"bf16", "normal"},        {"fp8_e4m3", "uniform"}, {"fp32", "probs"},
                {"fp16", "outliers"},      {"int32", "below(99)"},  {"int64", "unique(n)"},
                {"int32", "indptr(5000)"}, {"int8", "bits"},        {"bool", ""},
                {"fp4_e2m1x2", "bits"},    {"e8m0", "normal"},      {"int16", "bits"}};
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const struct filled first = filled(rows[i].type, rows[i].family, 800, "normal", 1);
        const struct filled again = filled(rows[i].type, rows[i].family, 800, "normal", 1);
        const struct filled other = filled(rows[i].type, rows[i].family, 800, "normal", 2);
        const size_t bytes = (size_t)tensor_span_bytes(&first.tensor);
        assert_memory_equal(first.tensor.data, again.tensor.data, bytes);
        assert_memory_not_equal(first.tensor.data, other.tensor.data, bytes);
        // With gaps between rows: the same values, and the gaps stay.
        struct assay_tensor padded = first.tensor;
        const size_t row = 8 * dtype_bytes(padded.dtype);
        padded.stride[0] = 16;
        padded.data = arena_alloc(&arena, 2 * bytes);
        memset(padded.data, 0x5a, 2 * bytes);
        assert_int_equal(first.problem.op->fill(&first.problem, "normal", 1, 0, &padded, NULL), 0);
        for (size_t r = 0; r < 100; ++r) {
            const char *at = (const char *)padded.data + 2 * r * row;
            assert_memory_equal(at, (const char *)first.tensor.data + r * row, row);
            for (size_t b = 0; b < row; ++b) assert_int_equal(at[row + b], 0x5a);
        }
    }
}

static void unique_needs_as_many(void **state) {
    (void)state;
    const struct declared_axis axes[] = {{"n", "8"}};
    const struct declared_tensor tensors[] = {{"x", "int32[n] unique(8)", ASSAY_IN},
                                              {"y", "fp32[n]", ASSAY_OUT}};
    const struct declared declared = {
        .name = "one", .axes = axes, .axis_count = 1, .tensors = tensors, .tensor_count = 2};
    const struct operator_def *op = made(&declared);
    struct problem problem;
    struct problem_abi abi;
    int32_t room[9];
    struct err err = {0};
    for (int count = 8; count <= 9; ++count) { // just inside, just outside
        assert_int_equal(problem_make(op, count == 8 ? "n8" : "n9", &problem, NULL), 0);
        problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
        abi.tensors[0].data = room;
        assert_int_equal(op->fill(&problem, "normal", 1, 0, &abi.tensors[0], &err),
                         count == 8 ? 0 : -ERR_USAGE);
    }
    assert_non_null(strstr(err.text, "tensor 'x' has 9 elements, and 8 numbers differ at most"));
}

// What a reference computes with: other floats, the same integers, everything else as it is.
static void other_floats(void **state) {
    (void)state;
    static const struct {
        const char *spec, *in_double;
    } specs[] = {
        {"bf16[rows, hidden]", "fp64[rows, hidden]"},
        {"fp32[hidden] normal(1, 0.1)", "fp64[hidden] normal(1, 0.1)"},
        {"  fp16 [hidden // 128] positive(0.5, 2)", "fp64[hidden // 128] positive(0.5, 2)"},
        {"fp8_e4m3[rows]", "fp64[rows]"},
        {"fp64[]", "fp64[]"},
        {"int32[rows] below(hidden)", "int32[rows] below(hidden)"},
        {" int8[rows]", " int8[rows]"},
        {"int64[rows]", "int64[rows]"},
    };
    struct declared_tensor tensors[COUNT(specs)];
    char names[COUNT(specs)][8];
    for (size_t i = 0; i < COUNT(specs); ++i) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        tensors[i] = (struct declared_tensor){names[i], specs[i].spec, i ? ASSAY_IN : ASSAY_OUT};
    }
    struct declared from = norm(), ret;
    from.tensors = tensors, from.tensor_count = COUNT(specs);
    declared_with_floats(&arena, &from, ASSAY_FP64, &ret);
    for (size_t i = 0; i < COUNT(specs); ++i) {
        assert_string_equal(ret.tensors[i].spec, specs[i].in_double);
        assert_true(ret.tensors[i].name == names[i] && ret.tensors[i].access == tensors[i].access);
        assert_true(tensors[i].spec == specs[i].spec); // of the other one nothing has changed
    }
    ret.tensors = tensors;
    assert_memory_equal(&ret, &from, sizeof ret);
    struct problem problem;
    struct problem_abi abi;
    from = norm();
    declared_with_floats(&arena, &from, ASSAY_FP32, &ret);
    assert_int_equal(problem_make(made(&ret), "rows2/hidden128", &problem, NULL), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    for (size_t i = 0; i < COUNT(norm_tensors); ++i) assert_int_equal(abi.tensors[i].dtype, ASSAY_FP32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(names_parse_back, tear_down),
        cmocka_unit_test_teardown(tensors_follow_axes, tear_down),
        cmocka_unit_test_teardown(mistakes, tear_down),
        cmocka_unit_test_teardown(any_size_has_a_name, tear_down),
        cmocka_unit_test_teardown(whole_declarations, tear_down),
        cmocka_unit_test_teardown(families_of_floats, tear_down),
        cmocka_unit_test_teardown(families_of_integers, tear_down),
        cmocka_unit_test_teardown(families_of_bool_fp4_and_e8m0, tear_down),
        cmocka_unit_test_teardown(same_seed_same_bytes, tear_down),
        cmocka_unit_test_teardown(unique_needs_as_many, tear_down),
        cmocka_unit_test_teardown(other_floats, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
