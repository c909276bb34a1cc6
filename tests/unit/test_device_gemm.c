// SPDX-License-Identifier: Apache-2.0
//
// Gemm's device kernels give what the host gives, run on the CPU: fills bit for bit, the oracle to the
// rounding of float64, the same-precision reference as the plain kernel.
#include <math.h>
#include <stdio.h>

#include "fakes/device_host.h"
#include "op/dtype.h"
#include "op/gemm/device_gemm_core.h"
#include "op/gemm/gemm_internal.h"
#include "op/random_normal.h"
#include "op_buffers.h"
#include "worker/module/builtin.h"

static const char *const problems[] = {
    "gemm/fp32/m37/n24/k19",
    "gemm/fp16/m70/n66/k33/bt/bias/relu",
    "gemm/bf16/m33/n70/k40/bias/gelu/out_fp32",
    "gemm/fp8_e4m3/m50/n66/k72/bt/bias",
    "gemm/fp8_e4m3/m1/n1/k1",
};
#define PROBLEM_COUNT (sizeof problems / sizeof *problems)

static void run_programs(const struct kernel_launch *programs, size_t count) {
    assert_true(count > 0);
    for (size_t i = 0; i < count; ++i)
        if (dev_run_on_host(programs[i].entry, programs[i].grid, programs[i].block, programs[i].args) < 0)
            fail_msg("there is no entry %s", programs[i].entry);
}

static void check_fill(const char *name, enum memory_layout memory_layout) {
    struct op_buffers expected, got;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    size_t table_bytes;
    op_buffers_init(&expected, name, memory_layout);
    op_buffers_init(&got, name, memory_layout);
    op_buffers_fill(&expected, "normal", 77);
    const struct op_device *device = got.problem.op->device;
    const void *table = normal_table_shared(&table_bytes);
    for (uint32_t i = 0; i < got.abi.tensor_count; ++i) {
        const struct assay_tensor *tensor = &got.abi.tensors[i];
        if (tensor->access == ASSAY_OUT) continue;
        run_programs(programs, device->fill(&got.problem, "normal", 77, tensor, table, programs));
        if (memcmp(tensor->data, expected.abi.tensors[i].data, tensor_span_bytes(tensor)) != 0)
            fail_msg("%s: %s is filled otherwise", name, tensor->name);
        assert_int_equal(device->fill(&got.problem, "nan", 77, tensor, table, programs), 0);
    }
    op_buffers_fini(&expected);
    op_buffers_fini(&got);
}

static void test_fill_is_the_hosts(void **state) {
    (void)state;
    for (size_t i = 0; i < PROBLEM_COUNT; ++i)
        for (int layout = MEMORY_LAYOUT_DENSE; layout < MEMORY_LAYOUT_COUNT; ++layout)
            check_fill(problems[i], (enum memory_layout)layout);
}

// Rows that were not asked for must keep what was there.
static void check_oracle(const char *name, const char *distribution, uint32_t row_first, uint32_t row_step) {
    struct op_buffers b;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    op_buffers_init(&b, name, MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, distribution, 5);
    op_buffers_oracle(&b, 2);
    const struct gemm_params *p = gemm_params_of(&b.problem);
    const size_t count = (size_t)(p->m * p->n);
    double *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; ++i) values[i] = dev_double(DEV_SKIP_BITS);
    double *outputs[] = {values};
    run_programs(programs, b.problem.op->device->oracle(&b.problem, b.abi.tensors, outputs, row_first,
                                                        row_step, programs));
    for (size_t i = 0; i < count; ++i) {
        const int64_t row = (int64_t)i / p->n;
        const bool is_asked = row % row_step == row_first || row == p->m - 1;
        const double expected = b.results[0][i];
        const bool is_close =
            isnan(expected) ? isnan(values[i]) : fabs(values[i] - expected) <= 1e-12 * (1 + fabs(expected));
        if (is_asked ? !is_close : dev_bits(values[i]) != DEV_SKIP_BITS)
            fail_msg("%s, %s, row %lld, step %u: %.17g, expected %.17g", name, distribution, (long long)row,
                     row_step, values[i], expected);
    }
    free(values);
    op_buffers_fini(&b);
}

static void test_oracle_is_the_hosts(void **state) {
    (void)state;
    static const uint32_t steps[] = {1, 7, 32, 1000};
    for (size_t i = 0; i < PROBLEM_COUNT; ++i)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
            check_oracle(problems[i], "normal", 0, steps[s]);
            check_oracle(problems[i], "nan", steps[s] / 3, steps[s]);
        }
}

// Bits of the linked-in plain kernel, but for the library's erfc, which may differ between compilers.
static void test_same_precision_is_the_plain_kernel(void **state) {
    (void)state;
    struct err err = {0};
    const struct assay_kernel *kernel = builtin_find("gemm_naive", &err);
    assert_non_null(kernel);
    for (size_t i = 0; i < PROBLEM_COUNT; ++i) {
        struct op_buffers b;
        struct kernel_launch programs[OP_PROGRAMS_MAX];
        op_buffers_init(&b, problems[i], MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "normal", 6);
        struct assay_tensor *c = &b.abi.tensors[b.abi.tensor_count - 1];
        const size_t bytes = (size_t)tensor_span_bytes(c), element = dtype_bytes(c->dtype);
        c->data = calloc(1, bytes);
        void *packed = calloc((size_t)tensor_element_count(c), element), *outputs[] = {packed};
        const struct assay_env env = {.struct_size = sizeof env, .thread_count = 1, .device_index = -1};
        const struct assay_cpu_stream stream = {sizeof stream, 1, parallel_two};
        void *kernel_state = NULL, *workspace;
        size_t workspace_bytes = 0;
        assert_int_equal(kernel->prepare(&b.abi.problem, &env, &kernel_state, &workspace_bytes, NULL),
                         ASSAY_OK);
        workspace = malloc(workspace_bytes + 1);
        assert_int_equal(
            kernel->launch(kernel_state, &b.abi.problem.tensors, workspace, (void *)(uintptr_t)&stream, NULL),
            ASSAY_OK);
        kernel->release(kernel_state);
        run_programs(programs,
                     b.problem.op->device->same_precision(&b.problem, b.abi.tensors, outputs, programs));
        for (uint64_t k = 0; k < tensor_element_count(c); ++k) {
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(c, k, coord);
            const double plain =
                dtype_load(c->dtype, (const char *)c->data + (size_t)tensor_offset(c, coord) * element);
            const double got = dtype_load(c->dtype, (const char *)packed + k * element);
            if (!(fabs(got - plain) <= 2 * dtype_ulp(c->dtype, plain)))
                fail_msg("%s: element %llu is %.9g, the plain kernel's %.9g", problems[i],
                         (unsigned long long)k, got, plain);
        }
        free(packed);
        free(workspace);
        free(c->data);
        op_buffers_fini(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_is_the_hosts),
        cmocka_unit_test(test_oracle_is_the_hosts),
        cmocka_unit_test(test_same_precision_is_the_plain_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
