// SPDX-License-Identifier: Apache-2.0
//
// The operator gemm: names, tensors and work; the oracle agrees with the definition written down in long
// double over every option, type, input distribution and memory layout at small shapes; slices with the
// complete result.
#include <math.h>
#include <stdio.h>

#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"
#include "op_buffers.h"

// ---- names ----

static void test_names(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"gemm/fp32/m1/n2/k3", NULL},
        {"gemm/bf16/m16777216/n1/k1/bt/bias/gelu/out_fp32", NULL},
        {"gemm/fp16/m5/n6/k7/relu", NULL},
        {"gemm/fp8_e4m3/m5/n6/k7/bt/out_fp16", NULL},
        {"gemm/fp8_e4m3/m5/n6/k7/out_bf16", "gemm/fp8_e4m3/m5/n6/k7"},
        {"gemm/fp16/m5/n6/k7/relu/bias/bt/out_fp16", "gemm/fp16/m5/n6/k7/bt/bias/relu"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const struct problem problem = parsed(pairs[i][0]);
        assert_string_equal(problem.name, pairs[i][1] ? pairs[i][1] : pairs[i][0]);
    }
    static const char *const wrong[] = {"gemm/fp32",
                                        "gemm/fp32/m1/n2",
                                        "gemm/fp64/m1/n2/k3",
                                        "gemm/fp32/n2/m1/k3",
                                        "gemm/fp32/m0/n2/k3",
                                        "gemm/fp32/m1/n2/k3x",
                                        "gemm/fp32/m1/n2/k3/bt/bt",
                                        "gemm/fp32/m1/n2/k3/relu/gelu",
                                        "gemm/fp32/m1/n2/k3/",
                                        "gemm/fp32/m16777217/n2/k3",
                                        "gemm/fp32/m1/n2/k3/out_fp16",
                                        "gemm/bf16/m1/n2/k3/out_int8",
                                        "gemm/bf16/m1/n2/k3/out_fp32/out_fp32"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct problem problem;
        struct err err = {0};
        if (problem_parse(&operators_compiled, wrong[i], &problem, &err) == 0)
            fail_msg("%s parses", wrong[i]);
        assert_int_equal(err.code, ERR_USAGE);
    }
}

static void test_description(void **state) {
    (void)state;
    const struct problem problem = parsed("gemm/fp8_e4m3/m3/n37/k19/bt/bias");
    struct problem_abi abi;
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    static const char *const names[] = {"a", "b", "bias", "a_scale", "b_scale", "c"};
    assert_int_equal(abi.tensor_count, 6);
    for (uint32_t i = 0; i < 6; ++i) {
        assert_string_equal(abi.tensors[i].name, names[i]);
        assert_ptr_equal(assay_tensor_named(&abi.problem.tensors, names[i]), &abi.tensors[i]);
        assert_int_equal(abi.tensors[i].role, ASSAY_NAMED);
    }
    assert_null(assay_tensor_named(&abi.problem.tensors, "bia"));
    assert_int_equal(abi.tensors[0].stride[0], 32); // 19 bytes, rounded up to 16
    assert_int_equal(abi.tensors[1].shape[0], 37);
    assert_int_equal(abi.tensors[5].stride[0], 40); // 37 bf16
    assert_true(tensor_is_statistic(&abi.tensors[3]) && !tensor_is_statistic(&abi.tensors[2]));
    assert_int_equal(abi.problem.axis_count, 3);
    assert_string_equal(abi.problem.axes[1].name, "n");
    assert_true(abi.problem.axes[1].value == 37);
    assert_true(problem_flops(&problem) == 2.0 * 3 * 37 * 19);
    assert_true(problem_bytes(&problem) == 3 * 19 + 37 * 19 + 37 * 2 + 4 + 4 + 3 * 37 * 2);
}

// ---- the definition ----

static long double at(const struct assay_tensor *t, int64_t row, int64_t column) {
    const int64_t coord[] = {row, column};
    return dtype_load(t->dtype,
                      (const char *)t->data + (size_t)tensor_offset(t, coord) * dtype_bytes(t->dtype));
}

static long double define(const struct gemm_params *p, const struct gemm_tensors *t, int64_t row,
                          int64_t column) {
    long double sum = 0;
    for (int64_t d = 0; d < p->k; ++d)
        sum += at(t->a, row, d) * (p->is_b_transposed ? at(t->b, column, d) : at(t->b, d, column));
    if (t->a_scale) sum *= (long double)*(const float *)t->a_scale->data * *(const float *)t->b_scale->data;
    if (t->bias)
        sum += dtype_load(p->dtype_out,
                          (const char *)t->bias->data + (size_t)column * dtype_bytes(p->dtype_out));
    if (p->activation == GEMM_RELU) return isnan(sum) || sum > 0 ? sum : 0;
    if (p->activation == GEMM_GELU) return sum * (1 + erfl(sum / sqrtl(2))) / 2;
    return sum;
}

static void check_oracle(const char *name, const char *distribution, enum memory_layout memory_layout) {
    struct op_buffers b;
    op_buffers_init(&b, name, memory_layout);
    const struct gemm_params *p = gemm_params_of(&b.problem);
    if (str_equal(distribution, "normal") || gemm_distribution_applies(&b.problem, distribution)) {
        op_buffers_fill(&b, distribution, 9);
        op_buffers_oracle(&b, 2);
        const struct gemm_tensors t = gemm_tensors_find(b.abi.tensors, p);
        for (int64_t i = 0; i < p->m * p->n; ++i) {
            const long double expected = define(p, &t, i / p->n, i % p->n);
            const double got = b.results[0][i];
            const bool is_right = isnan(expected)   ? isnan(got)
                                  : isinf(expected) ? got == (double)expected
                                                    : fabsl(got - expected) <= 1e-12L * (1 + fabsl(expected));
            if (!is_right)
                fail_msg("%s, %s: element %lld is %.17g, not %.17Lg", name, distribution, (long long)i, got,
                         expected);
        }
    }
    op_buffers_fini(&b);
}

static void test_oracle_is_the_definition(void **state) {
    (void)state;
    static const char *const types[] = {"fp32", "fp16", "bf16", "fp8_e4m3"};
    static const char *const shapes[] = {"m1/n1/k1", "m17/n300/k70", "m17/n20/k70/bt",
                                         "m5/n33/k129/bias/relu", "m5/n33/k65/bt/bias/gelu"};
    static const char *const distributions[] = {"normal", "exact", "cancel", "subnormal", "nan", "inf"};
    for (size_t t = 0; t < 4; ++t)
        for (size_t s = 0; s < 5; ++s)
            for (size_t d = 0; d < 6; ++d) {
                char name[96];
                snprintf(name, sizeof name, "gemm/%s/%s", types[t], shapes[s]);
                check_oracle(name, distributions[d],
                             (enum memory_layout)(MEMORY_LAYOUT_DENSE + (t + s + d) % 3));
            }
}

// What the distributions promise: exact sums, sums of zero, subnormal elements of A.
static void test_distributions(void **state) {
    (void)state;
    static const char *const types[] = {"fp32", "fp16", "bf16", "fp8_e4m3"};
    for (size_t t = 0; t < 4; ++t) {
        char name[96];
        struct op_buffers b;
        for (int is_transposed = 0; is_transposed < 2; ++is_transposed) {
            snprintf(name, sizeof name, "gemm/%s/m7/n9/k31%s/bias", types[t], is_transposed ? "/bt" : "");
            op_buffers_init(&b, name, MEMORY_LAYOUT_DENSE);
            op_buffers_fill(&b, "cancel", 3);
            op_buffers_oracle(&b, 1);
            const struct gemm_tensors tensors = gemm_tensors_find(b.abi.tensors, gemm_params_of(&b.problem));
            for (int64_t i = 0; i < 7 * 9; ++i)
                assert_true(
                    b.results[0][i] ==
                    dtype_load(tensors.bias->dtype, (const char *)tensors.bias->data +
                                                        (size_t)(i % 9) * dtype_bytes(tensors.bias->dtype)));
            op_buffers_fini(&b);
        }
        snprintf(name, sizeof name, "gemm/%s/m7/n9/k31", types[t]);
        op_buffers_init(&b, name, MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "subnormal", 3);
        double largest = 0, sum = 0;
        const struct assay_tensor *a = &b.abi.tensors[0];
        for (int64_t i = 0; i < 7 * 31; ++i) {
            largest = fmax(largest, fabs((double)at(a, i / 31, i % 31)));
            sum += fabs((double)at(a, i / 31, i % 31));
        }
        assert_true(sum > 0);
        const double normal_min = ldexp(dtype_ulp(a->dtype, 0), a->dtype == ASSAY_FP32       ? 23
                                                                : a->dtype == ASSAY_FP16     ? 10
                                                                : a->dtype == ASSAY_FP8_E4M3 ? 3
                                                                                             : 7);
        if (!(largest < 1.01 * normal_min)) fail_msg("%s: %g, smallest normal %g", name, largest, normal_min);
        op_buffers_fini(&b);
    }
}

// ---- slices, the matrix, smaller problems ----

static void test_slices_are_rows(void **state) {
    (void)state;
    struct op_buffers b;
    uint64_t groups, rows;
    op_buffers_init(&b, "gemm/fp8_e4m3/m11/n33/k20/bias/gelu", MEMORY_LAYOUT_PADDED);
    op_buffers_fill(&b, "normal", 4);
    op_buffers_oracle(&b, 1);
    gemm_slice_counts(&b.problem, &groups, &rows);
    assert_int_equal(groups, 1);
    assert_int_equal(rows, 11);
    for (uint64_t row = 0; row < rows; ++row) {
        struct op_slice slice;
        struct err err = {0};
        double values[33], *outputs[] = {values};
        const struct assay_cpu_stream stream = {sizeof stream, 1, parallel_two};
        gemm_slice(&b.problem, b.abi.tensors, 0, row, &slice);
        problem_rename(&slice.problem);
        assert_string_equal(slice.problem.name, "gemm/fp8_e4m3/m1/n33/k20/bias/gelu");
        assert_int_equal(slice.output_offset[0], row * 33);
        assert_int_equal(slice.output_count[0], 33);
        assert_int_equal(gemm_oracle(&slice.problem, slice.tensors, outputs, &stream, &err), 0);
        assert_memory_equal(values, b.results[0] + row * 33, sizeof values);
    }
    op_buffers_fini(&b);
    op_buffers_init(&b, "gemm/fp16/m70/n300/k70/acc", MEMORY_LAYOUT_PADDED); // blocks of rows, and a rest
    op_buffers_fill(&b, "normal", 4);
    op_buffers_oracle(&b, 2);
    op_buffers_check_rows(&b, 1);
    op_buffers_check_rows(&b, 3);
    op_buffers_fini(&b);
}

static void test_boundary(void **state) {
    (void)state;
    static const char *const types[] = {"fp32", "fp16", "bf16", "fp8_e4m3"};
    const struct operator_def *op = operator_find(&operators_compiled, "gemm");
    struct arena arena = {0};
    for (size_t t = 0; t < 4; ++t) {
        const struct op_cases cases = problem_boundary(op, types[t], &arena);
        for (size_t i = 0; i < cases.count; ++i) {
            struct err err = {0};
            if (problem_check_distribution(&cases.items[i].problem, cases.items[i].distribution, &err) < 0)
                fail_msg("%s", err.text);
        }
        assert_in_range(cases.count, 60, 80);
    }
    assert_int_equal(problem_boundary(op, "fp64", &arena).count, 0);
    arena_fini(&arena);
}

// The 2 x rule, with a plain kernel that adds in fp32, holds for fp8 where C's rounding hides 13 bits.
static void test_tolerances(void **state) {
    (void)state;
    static const struct {
        const char *name, *distribution;
        double atol;
        bool is_two_x_gated;
    } cases[] = {
        {"gemm/fp32/m1/n1/k1024", "normal", 0x1p-10, true},
        {"gemm/bf16/m1/n1/k1024/out_fp32", "normal", 0x1p-10, true},
        {"gemm/fp8_e4m3/m1/n1/k32/out_fp32", "normal", 0x1p-6, false},
        {"gemm/fp8_e4m3/m1/n1/k64/out_fp16", "normal", 0x1p-5, true},
        {"gemm/fp8_e4m3/m1/n1/k4096/out_fp16", "normal", 2, false},
        {"gemm/fp8_e4m3/m1/n1/k4096", "normal", 2, true},
        {"gemm/fp8_e4m3/m1/n1/k65536", "normal", 32, false},
        {"gemm/fp8_e4m3/m1/n1/k1024/out_fp32", "exact", 0x1p-4, false},
        {"gemm/fp8_e4m3/m1/n1/k1024/out_fp32", "cancel", 0x1p-4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct problem problem = parsed(cases[i].name);
        const struct op_tolerance t = gemm_tolerance(&problem, cases[i].distribution, 0);
        if (t.atol != cases[i].atol || t.is_two_x_gated != cases[i].is_two_x_gated)
            fail_msg("%s %s: %g, %d", cases[i].name, cases[i].distribution, t.atol, t.is_two_x_gated);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_oracle_is_the_definition),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_slices_are_rows),
        cmocka_unit_test(test_boundary),
        cmocka_unit_test(test_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
