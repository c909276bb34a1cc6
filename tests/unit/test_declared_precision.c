// SPDX-License-Identifier: Apache-2.0
//
// How far results of a declared operator may be off: by its reference in single precision, by few rows, and
// without either. Values just inside and just outside of each limit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/check/declared_precision.h"
#include "worker/check/same_precision.h"

#define COLUMNS  8
#define ROWS_MAX 512
#define LARGEST  1.5 // of the right results
#define CLOSE    1e-9

static struct arena arena;
static struct device *device;
static struct case_buffers *buffers;
static double right[ROWS_MAX * COLUMNS];
static struct reference reference;

static int open_device(void **state) {
    (void)state;
    return device_open(&(struct device_request){.device = "cpu"}, &device, NULL);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

// y (fp32) and count (int32) of so many rows, whose right results are all LARGEST.
static void open_rows(const char *fields) {
    static const struct declared_axis axes[] = {{"rows", "1"}, {"columns", "8"}};
    static const struct declared_tensor tensors[] = {{"x", "fp32[rows, columns]", ASSAY_IN},
                                                     {"y", "fp32[rows, columns]", ASSAY_OUT},
                                                     {"count", "int32[rows]", ASSAY_OUT}};
    static const struct declared declared = {
        .name = "one", .axes = axes, .axis_count = 2, .tensors = tensors, .tensor_count = 3};
    const struct operator_def *op;
    struct problem problem;
    struct err err = {0};
    if (declared_make(&arena, &declared, &op, &err) < 0 || problem_make(op, fields, &problem, &err) < 0)
        fail_msg("%s", err.text);
    const struct case_memory memory = {.memory_layout = MEMORY_LAYOUT_DENSE};
    buffers = mem_alloc(sizeof *buffers);
    assert_int_equal(case_buffers_init(buffers, device, &problem, &memory, &err), 0);
    for (size_t i = 0; i < ROWS_MAX * COLUMNS; ++i) right[i] = LARGEST;
    reference = (struct reference){.output_count = 2, .outputs = {right, right}};
    for (uint32_t k = 0; k < 2; ++k)
        reference.element_count[k] = tensor_element_count(case_buffers_host_output(buffers, k));
}

static int close_rows(void **state) {
    (void)state;
    case_buffers_fini(buffers);
    free(buffers);
    arena_fini(&arena);
    return 0;
}

static void set_results(double value) {
    const struct assay_tensor *y = case_buffers_host_output(buffers, 0);
    for (uint64_t i = 0; i < reference.element_count[0]; ++i) ((float *)y->data)[i] = (float)value;
}

static void elements(void **state) {
    (void)state;
    double limits[OP_TENSORS_MAX];
    const double ulp = dtype_ulp(ASSAY_FP32, LARGEST);
    open_rows("rows4");
    same_precision_limit_elements(buffers, &reference, limits);
    assert_true(limits[0] == 2 * 16 * ulp && limits[1] == 0); // integers are equal
    reference.same_precision[0] = (struct reference_same_precision){.max_abs = 1e-5, .row_count = 4};
    same_precision_limit_elements(buffers, &reference, limits);
    assert_true(fabs(limits[0] - 2 * (2 * 1e-5 + 2 * ulp)) < CLOSE);
    reference.same_precision[0].max_abs = 0; // results that are exact in single precision
    same_precision_limit_elements(buffers, &reference, limits);
    assert_true(limits[0] == 2 * 2 * ulp);
}

// A kernel's figures on so many rows, each off by this much; plain: the reference's in single precision.
static struct reference_same_precision sampled(double error) {
    struct reference_same_precision ret[OP_TENSORS_MAX] = {0};
    set_results(LARGEST + error);
    declared_precision_sample(buffers, &reference, ret);
    return ret[0];
}

static void figures(void **state) {
    (void)state;
    const double error = 0x1p-10; // exact in fp32
    open_rows("rows4");
    assert_int_equal(sampled(error).row_count, 0); // no single precision, no rule
    reference.same_precision[0].row_count = 4;
    const struct reference_same_precision off = sampled(error);
    assert_true(off.max_abs == error && off.rms == error && off.ref_rms == LARGEST && off.row_count == 4);
    right[3] = INFINITY; // is compared exactly, elsewhere
    assert_true(sampled(error).max_abs == error);
    assert_true(isnan(sampled(NAN).max_abs));
}

// Of few rows the root mean square may be larger, of many it may not.
static void few_rows(void **state) {
    (void)state;
    static const struct {
        const char *fields;
        double slack;
    } expected[] = {{"rows1", 1.4 / 2 * (1 + 4.5 / 1.4142135623730951)},
                    {"rows8", 1.4 / 2 * (1 + 4.5 / 4)},
                    {"rows512", 1}};
    for (size_t i = 0; i < 3; ++i) {
        open_rows(expected[i].fields);
        reference.same_precision[0].row_count = 1;
        struct reference_same_precision plain = sampled(0x1p-10), kernel = plain, most;
        assert_true(fabs(plain.slack - expected[i].slack) < CLOSE);
        const double limit = 2 * plain.rms * expected[i].slack + 2 * dtype_ulp(ASSAY_FP32, LARGEST);
        kernel.rms = limit * (1 - CLOSE);
        assert_true(same_precision_passes(&kernel, &plain, ASSAY_FP32, LARGEST, &most));
        kernel.rms = limit * (1 + CLOSE);
        assert_false(same_precision_passes(&kernel, &plain, ASSAY_FP32, LARGEST, &most));
        if (i < 2) close_rows(NULL);
    }
}

// One long row among many that is off as a whole: lost in the root mean square of all, not in its own.
static void one_row(void **state) {
    (void)state;
    open_rows("rows32/columns64");
    reference.same_precision[0].row_count = 1;
    const struct reference_same_precision plain = sampled(0x1p-16);
    const double relative = 0x1p-16 / LARGEST, limit = 4 * relative + dtype_ulp(ASSAY_FP32, 1);
    assert_true(fabs(plain.worst_row - relative) < CLOSE);
    struct reference_same_precision kernel = plain, most;
    kernel.worst_row = limit * (1 - CLOSE);
    assert_true(same_precision_passes(&kernel, &plain, ASSAY_FP32, LARGEST, &most));
    kernel.worst_row = limit * (1 + CLOSE);
    assert_false(same_precision_passes(&kernel, &plain, ASSAY_FP32, LARGEST, &most));

    struct reference_same_precision ret[OP_TENSORS_MAX] = {0};
    float *row = (float *)case_buffers_host_output(buffers, 0)->data + 7 * 64;
    for (size_t i = 0; i < 64; ++i) row[i] = (float)(LARGEST + 0x1p-12);
    declared_precision_sample(buffers, &reference, ret);
    assert_true(fabs(ret[0].worst_row - 0x1p-12 / LARGEST) < CLOSE && ret[0].rms < 0x1p-14);
    for (size_t i = 0; i < 64; ++i) right[7 * 64 + i] = LARGEST / 1024; // judged by the size of all rows
    for (size_t i = 0; i < 64; ++i) row[i] = (float)(LARGEST / 1024 + 0x1p-12);
    declared_precision_sample(buffers, &reference, ret);
    assert_true(ret[0].worst_row < 66 * 0x1p-12 / LARGEST && ret[0].worst_row > 64 * 0x1p-12 / LARGEST);
}

// Rows of a few elements are not looked at: their own mean varies by chance.
static void short_rows(void **state) {
    (void)state;
    open_rows("rows4/columns63");
    reference.same_precision[0].row_count = 1;
    assert_true(sampled(0x1p-10).worst_row == 0);
}

// Launches are added up: twice the reference's error passes in the sum, a little more does not.
static void tallies(void **state) {
    (void)state;
    double *results[] = {right, right};
    struct reference_same_precision error, limit;
    open_rows("rows512");
    buffers->own_reference = &reference;
    reference.same_precision[0] = sampled(0); // row_count 0: the rule does not apply
    struct precision_tally tally = {0};
    declared_precision_add(buffers, results, &tally);
    assert_true(tally.row_count[0] == 0 && precision_tally_passes(&tally, buffers, 0, &error, &limit));
    reference.same_precision[0] = (struct reference_same_precision){
        .max_abs = 0x1p-8, .rms = 0x1p-10, .ref_rms = LARGEST, .row_count = 512};
    for (int too_much = 0; too_much < 2; ++too_much) {
        tally = (struct precision_tally){0};
        set_results(LARGEST + 0x1p-9 + too_much * 0x1p-20);
        for (int launch = 0; launch < 3; ++launch) declared_precision_add(buffers, results, &tally);
        assert_int_equal(tally.row_count[0], 3 * 512);
        assert_int_equal(precision_tally_passes(&tally, buffers, 0, &error, &limit), !too_much);
        assert_true(fabs(limit.rms - 0x1p-9) < 0x1p-21 && error.max_abs < limit.max_abs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(elements, close_rows),   cmocka_unit_test_teardown(figures, close_rows),
        cmocka_unit_test_teardown(few_rows, close_rows),   cmocka_unit_test_teardown(one_row, close_rows),
        cmocka_unit_test_teardown(short_rows, close_rows), cmocka_unit_test_teardown(tallies, close_rows),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
