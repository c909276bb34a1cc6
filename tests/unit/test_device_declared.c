// SPDX-License-Identifier: Apache-2.0
//
// The device kernel of declared operators, run on the CPU, fills every type by every family as the host does,
// bit for bit, in every memory layout.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/declared_inputs.h"
#include "fakes/device_host.h"
#include "op/declared/device_declared_core.h"
#include "op/random_normal.h"

static uint32_t filled_here;

static void check_tensor(const struct problem *problem, const struct assay_tensor *tensor, uint32_t index) {
    const struct op_device *device = problem->op->device;
    struct kernel_launch launches[OP_PROGRAMS_MAX];
    size_t table_bytes;
    const void *table = normal_table_shared(&table_bytes);
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    struct assay_tensor here = *tensor, there = *tensor;
    here.data = calloc(1, bytes);
    there.data = calloc(1, bytes);
    assert_int_equal(problem->op->fill(problem, "normal", 77, index, &here, NULL), 0);
    assert_int_equal(device->fill(problem, "normal", 77, &there, table, launches), 1);
    assert_int_equal(dev_run_on_host(launches->entry, launches->grid, launches->block, launches->args), 0);
    if (memcmp(here.data, there.data, bytes) != 0)
        fail_msg("%s, %s: filled otherwise", dtype_name(tensor->dtype), tensor->name);
    ++filled_here;
    free(here.data);
    free(there.data);
}

static void fills_are_the_hosts(void **state) {
    struct arena arena = {0};
    (void)state;
    for (int32_t dtype = 1; dtype < ASSAY_DTYPE_END; ++dtype)
        for (int layout = MEMORY_LAYOUT_DENSE; layout < MEMORY_LAYOUT_COUNT; ++layout) {
            const struct operator_def *op = declared_inputs_of(&arena, dtype);
            assert_non_null(op);
            const struct operator_set set = {&op, 1};
            struct problem problem;
            struct problem_abi abi;
            assert_int_equal(problem_parse(&set, "inputs/default", &problem, NULL), 0);
            problem_describe(&problem, memory_layout_behind((enum memory_layout)layout), &abi);
            for (uint32_t i = 0; i + 1 < abi.tensor_count; ++i) check_tensor(&problem, &abi.tensors[i], i);
        }
    assert_true(filled_here > 100 * (MEMORY_LAYOUT_COUNT - 1));
    arena_fini(&arena);
}

// Of every uniform number there is, the least and the greatest among them.
static void logarithms_are_right(void **state) {
    const double ends[] = {0x1p-53, 1, 1 - 0x1p-53, DEV_SQRT_HALF, 0.5, 0x1p-20};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
        assert_true(fabs(dev_minus_log(ends[i]) + log(ends[i])) <= 1e-11);
    for (double value = 1; value > 1e-9; value *= 0.999)
        assert_true(fabs(dev_minus_log(value) + log(value)) <= 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_are_the_hosts),
                                       cmocka_unit_test(logarithms_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
