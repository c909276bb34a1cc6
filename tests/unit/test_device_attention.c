// SPDX-License-Identifier: Apache-2.0
//
// Attention's device kernels give what the host gives, run on the CPU: fills bit for bit, the oracle to the
// rounding of float64, the same-precision reference with the errors of the plain kernel.
#include <math.h>
#include <stdio.h>

#include "fakes/device_host.h"
#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_core.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op_buffers.h"
#include "worker/module/builtin.h"

static void run_programs(const struct kernel_launch *programs, size_t count) {
    assert_true(count > 0);
    for (size_t i = 0; i < count; ++i)
        if (dev_run_on_host(programs[i].entry, programs[i].grid, programs[i].block, programs[i].args) < 0)
            fail_msg("there is no entry %s", programs[i].entry);
}

static const char *const problems[] = {
    "attention/fp32/b1/h2/s37/d24",
    "attention/fp16/b2/h4/hkv2/sq33/sk70/d64/causal_br",
    "attention/bf16/b1/h2/sq70/sk33/d40/causal_br/lse",
    "attention/fp16/b1/h3/sq130/sk65/d80/causal/lse/bshd",
    "attention/fp8_e4m3/b2/h4/hkv2/sq50/sk66/d72/lse",
    "attention/fp8_e4m3/b1/h2/s65/d16/causal",
    "attention/bf16/b1/h1/s1/d1",
    "attention/fp8_e4m3/kv_fp16/b1/h2/s33/d64/causal",
    "attention/fp16/kv_fp8_e4m3/b1/h2/s33/d64",
    "attention/fp16/b1/h2/s65/d64/scale10000", // scores beyond fp16
};
#define PROBLEM_COUNT (sizeof problems / sizeof *problems)

// ---- inputs ----

static void check_fill(const char *name, const char *distribution, enum memory_layout memory_layout) {
    struct op_buffers expected, got;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    size_t table_bytes;
    op_buffers_init(&expected, name, memory_layout);
    op_buffers_init(&got, name, memory_layout);
    op_buffers_fill(&expected, distribution, 77);
    const struct op_device *device = got.problem.op->device;
    const void *table = normal_table_shared(&table_bytes);
    assert_int_equal(table_bytes, 1025 * sizeof(double));
    for (uint32_t i = 0; i < got.abi.tensor_count; ++i) {
        const struct assay_tensor *tensor = &got.abi.tensors[i];
        if (tensor->access == ASSAY_OUT) continue;
        run_programs(programs, device->fill(&got.problem, distribution, 77, tensor, table, programs));
        if (memcmp(tensor->data, expected.abi.tensors[i].data, tensor_span_bytes(tensor)) != 0)
            fail_msg("%s %s: %s is filled otherwise", name, distribution, tensor->name);
        assert_int_equal(device->fill(&got.problem, "nan", 77, tensor, table, programs), 0);
    }
    op_buffers_fini(&expected);
    op_buffers_fini(&got);
}

static void test_fill_is_the_hosts(void **state) {
    (void)state;
    for (size_t i = 0; i < PROBLEM_COUNT; ++i) {
        check_fill(problems[i], "normal", MEMORY_LAYOUT_DENSE);
        check_fill(problems[i], "normal", MEMORY_LAYOUT_PADDED);
        check_fill(problems[i], "normal", MEMORY_LAYOUT_OFFSET);
        struct problem problem;
        assert_int_equal(problem_parse(&operators_compiled, problems[i], &problem, NULL), 0);
        for (const char *const *name = problem.op->measured_distributions; *name; ++name)
            check_fill(problems[i], *name, MEMORY_LAYOUT_DENSE);
    }
}

// ---- oracle ----

static bool is_close(double got, double expected) {
    if (dev_is_faint_infinity(expected)) return dev_is_faint_infinity(got);
    if (isnan(expected)) return isnan(got) && !dev_is_faint_infinity(got);
    if (isinf(expected)) return got == expected;
    return fabs(got - expected) <= 1e-12 * (1 + fabs(expected));
}

// Rows that were not asked for must keep what was there.
static void check_oracle(const char *name, const char *distribution, uint32_t row_first, uint32_t row_step) {
    struct op_buffers b;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    double *outputs[OP_TENSORS_MAX];
    op_buffers_init(&b, name, MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, distribution, 5);
    op_buffers_oracle(&b, 2);
    const struct assay_tensor *out = b.abi.tensors + b.abi.tensor_count - b.output_count;
    for (uint32_t k = 0; k < b.output_count; ++k) {
        outputs[k] = malloc(tensor_element_count(&out[k]) * sizeof(double));
        for (uint64_t i = 0; i < tensor_element_count(&out[k]); ++i)
            outputs[k][i] = dev_double(DEV_SKIP_BITS);
    }
    run_programs(programs, b.problem.op->device->oracle(&b.problem, b.abi.tensors, outputs, row_first,
                                                        row_step, programs));
    for (uint32_t k = 0; k < b.output_count; ++k) {
        for (uint64_t i = 0; i < tensor_element_count(&out[k]); ++i) {
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(&out[k], i, coord);
            const bool is_asked = coord[2] % row_step == row_first || coord[2] == out[k].shape[2] - 1;
            if (is_asked ? !is_close(outputs[k][i], b.results[k][i])
                         : dev_bits(outputs[k][i]) != DEV_SKIP_BITS)
                fail_msg("%s, %s, output %u, row %lld, step %u: %.17g, expected %.17g", name, distribution, k,
                         (long long)coord[2], row_step, outputs[k][i], b.results[k][i]);
        }
        free(outputs[k]);
    }
    op_buffers_fini(&b);
}

static void test_oracle_is_the_hosts(void **state) {
    (void)state;
    static const uint32_t steps[] = {1, 7, 32, 1000};
    for (size_t i = 0; i < PROBLEM_COUNT; ++i)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
            check_oracle(problems[i], "normal", 0, steps[s]);
            check_oracle(problems[i], "normal", steps[s] / 2, steps[s]);
            check_oracle(problems[i], "nan", steps[s] / 3, steps[s]);
            check_oracle(problems[i], "huge_logits", 0, steps[s]);
        }
    check_oracle(problems[2], "inf", 0, 1);
    check_oracle(problems[3], "inf", 0, 1);
}

// Infinities of V whose weight is less than the type holds are marked as the host marks them.
static void test_faint_infinities(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp16/b1/h4/s65/d64/scale0.5",
                                        "attention/fp16/b1/h4/s65/d80/scale0.5/lse/bshd",
                                        "attention/fp32/b1/h4/s65/d64/scale10"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct op_buffers b;
        uint64_t faint = 0;
        op_buffers_init(&b, names[i], MEMORY_LAYOUT_DENSE);
        op_buffers_fill(&b, "inf", 5);
        op_buffers_oracle(&b, 2);
        const struct assay_tensor *out = b.abi.tensors + b.abi.tensor_count - b.output_count;
        for (uint64_t k = 0; k < tensor_element_count(out); ++k)
            if (dev_is_faint_infinity(b.results[0][k])) ++faint;
        assert_true(faint > 0);
        op_buffers_fini(&b);
        check_oracle(names[i], "inf", 0, 1);
    }
}

// The rows of a step: as many as the grid is told, each in its place, past the last one the last one again.
static void test_rows_of_a_step(void **state) {
    (void)state;
    for (int64_t rows = 1; rows < 70; ++rows)
        for (uint32_t step = 1; step < 75; step += 3) {
            const uint32_t first = (uint32_t)rows * 5 % step;
            const struct dev_attention a = {.seq_q = rows, .row_step = step, .row_first = first};
            const int64_t count = dev_attention_row_count(&a);
            int64_t index = 0;
            for (int64_t row = 0; row < rows; ++row)
                if (row % step == first || row == rows - 1)
                    assert_int_equal(dev_attention_row(&a, index++), row);
            assert_int_equal(index, count);
            assert_int_equal(dev_attention_row(&a, count), rows - 1);
        }
}

// ---- same-precision reference ----

struct errors {
    double max, sum_sq;
    uint64_t count;
};

static struct errors errors_of(const struct assay_tensor *tensor, const double *reference) {
    struct errors e = {0};
    for (uint64_t i = 0; i < tensor_element_count(tensor); ++i) {
        int64_t coord[ASSAY_MAX_DIMS];
        tensor_coord(tensor, i, coord);
        const double got =
            dtype_load(tensor->dtype, (const char *)tensor->data +
                                          (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype));
        if (!isfinite(reference[i])) {
            assert_true(isnan(reference[i]) ? isnan(got) : got == reference[i]);
            continue;
        }
        const double error = fabs(got - reference[i]);
        assert_true(isfinite(error));
        e.max = fmax(e.max, error), e.sum_sq += error * error, ++e.count;
    }
    return e;
}

static void launch_naive(const struct op_buffers *b) {
    struct err err = {0};
    const struct assay_kernel *kernel = builtin_find("naive", &err);
    assert_non_null(kernel);
    char text[256];
    struct assay_message message = {sizeof text, 0, text};
    const struct assay_env env = {.struct_size = sizeof env, .thread_count = 1, .device_index = -1};
    const struct assay_cpu_stream stream = {sizeof stream, 1, parallel_two};
    const struct assay_tensors list = {.struct_size = sizeof list,
                                       .tensor_count = b->abi.tensor_count,
                                       .tensor_bytes = sizeof(struct assay_tensor),
                                       .items = b->abi.tensors};
    void *kernel_state = NULL;
    size_t bytes = 0;
    assert_int_equal(kernel->prepare(&b->abi.problem, &env, &kernel_state, &bytes, &message), ASSAY_OK);
    void *workspace = aligned_alloc(256, (bytes + 511) / 256 * 256);
    assert_int_equal(kernel->launch(kernel_state, &list, workspace, (void *)&stream, &message), ASSAY_OK);
    kernel->release(kernel_state);
    free(workspace);
}

// The stand-in's outputs are packed, the tensor's have the problem's strides.
static struct assay_tensor packed(const struct assay_tensor *tensor, void *data) {
    struct assay_tensor t = *tensor;
    int64_t stride = 1;
    for (int i = t.dim_count - 1; i >= 0; --i) t.stride[i] = stride, stride *= t.shape[i];
    t.data = data;
    return t;
}

static void check_same_precision(const char *name, const char *distribution) {
    struct op_buffers b;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    void *outputs[OP_TENSORS_MAX];
    op_buffers_init(&b, name, MEMORY_LAYOUT_DENSE);
    op_buffers_fill(&b, distribution, 11);
    op_buffers_oracle(&b, 2);
    struct assay_tensor *out = b.abi.tensors + b.abi.tensor_count - b.output_count;
    for (uint32_t k = 0; k < b.output_count; ++k) {
        outputs[k] = malloc(tensor_element_count(&out[k]) * sizeof(double));
        out[k].data = b.memory[OP_TENSORS_MAX - 1 - k] = malloc(tensor_span_bytes(&out[k]));
    }
    launch_naive(&b);
    run_programs(programs,
                 b.problem.op->device->same_precision(&b.problem, b.abi.tensors, outputs, programs));
    for (uint32_t k = 0; k < b.output_count; ++k) {
        const struct assay_tensor ours = packed(&out[k], outputs[k]);
        const struct errors plain = errors_of(&out[k], b.results[k]);
        const struct errors device = errors_of(&ours, b.results[k]);
        assert_int_equal(plain.count, device.count);
        if (device.max > 1.5 * plain.max || plain.max > 1.5 * device.max ||
            device.sum_sq > 1.5 * 1.5 * plain.sum_sq || plain.sum_sq > 1.5 * 1.5 * device.sum_sq)
            fail_msg("%s, %s, output %u: largest error %g, the plain kernel's %g; rms %g and %g", name,
                     distribution, k, device.max, plain.max, sqrt(device.sum_sq / (double)device.count),
                     sqrt(plain.sum_sq / (double)plain.count));
        free(outputs[k]);
    }
    op_buffers_fini(&b);
}

static void test_same_precision_errs_as_the_plain_kernel(void **state) {
    (void)state;
    for (size_t i = 0; i < PROBLEM_COUNT; ++i) {
        check_same_precision(problems[i], "normal");
        check_same_precision(problems[i], "nan");
        check_same_precision(problems[i], "sink");
    }
}

// A problem's arguments fit a program, and its grid does not depend on the sizes that it cannot hold.
static void test_programs_of_large_problems(void **state) {
    (void)state;
    const struct problem problem = parsed("attention/fp16/b32/h8/s65536/d512/lse");
    struct problem_abi abi = {0};
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    void *outputs[2] = {NULL, NULL};
    double *references[2] = {NULL, NULL};
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    assert_int_equal(problem.op->device->oracle(&problem, abi.tensors, references, 0, 64, programs), 1);
    assert_int_equal(programs[0].block, DEV_ATTENTION_THREADS);
    assert_true(programs[0].grid[0] > 0 && programs[0].grid[0] <= INT32_MAX);
    assert_int_equal(problem.op->device->same_precision(&problem, abi.tensors, outputs, programs), 1);
    assert_true(programs[0].grid[0] > 0 && programs[0].grid[0] <= INT32_MAX);
}

// What the device kernels do not know is never launched: the host does it.
static void test_features_stay_on_the_host(void **state) {
    (void)state;
    static const char *const names[] = {
        "attention/fp16/b1/h1/s8/d8/dv16",       "attention/fp16/b1/h1/s8/d8/causal/window4",
        "attention/fp16/b1/h1/s8/d8/softcap4",   "attention/fp16/b1/h1/s8/d8/mask",
        "attention/fp16/b1/h1/s8/d8/bias",       "attention/fp8_e4m3/b1/h1/s8/d8/out_bf16",
        "attention/fp16/b1/h1/s8/d8/qkv_packed",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct problem problem = parsed(names[i]);
        const struct op_device *device = problem.op->device;
        struct problem_abi abi = {0};
        struct kernel_launch programs[OP_PROGRAMS_MAX];
        void *outputs[1] = {NULL};
        double *references[1] = {NULL};
        problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
        assert_int_equal(device->oracle(&problem, abi.tensors, references, 0, 1, programs), 0);
        assert_int_equal(device->same_precision(&problem, abi.tensors, outputs, programs), 0);
        for (uint32_t t = 0; t < abi.tensor_count; ++t)
            if (abi.tensors[t].role == ASSAY_NAMED)
                assert_int_equal(device->fill(&problem, "normal", 1, &abi.tensors[t], NULL, programs), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_stay_on_the_host),
        cmocka_unit_test(test_fill_is_the_hosts),
        cmocka_unit_test(test_oracle_is_the_hosts),
        cmocka_unit_test(test_faint_infinities),
        cmocka_unit_test(test_rows_of_a_step),
        cmocka_unit_test(test_same_precision_errs_as_the_plain_kernel),
        cmocka_unit_test(test_programs_of_large_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
