// SPDX-License-Identifier: Apache-2.0
//
// Tensors that stay on a device are filled, hashed, compared and searched there as on the host; a reference
// there that is missing or was overwritten is noticed; a lost device is an error.
#include <string.h>

#include "fake_device_case.h"
#include "op/dtype.h"
#include "worker/check/case_check.h"
#include "worker/check/device_scratch.h"
#include "worker/check/same_precision.h"
#include "worker/module/builtin.h"
#include "worker/order/work_canaries.h"

static void test_lost_device(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct reference reference;
    struct err err = {0};
    fake->fails = true;
    assert_true(reference_open(&reference, buffers, NULL, &err) < 0);
    assert_true(case_buffers_fill(buffers, OP_DISTRIBUTION_DEFAULT, 8, &err) < 0);
    assert_string_equal(err.text, "the device is lost");
    fake->fails = false;
    release(buffers);
}

static void assert_same_verdict(const struct tensor_verdict *a, const struct tensor_verdict *b) {
    const struct tensor_error *x = &a->error, *y = &b->error;
    assert_int_equal(a->is_passed, b->is_passed);
    assert_int_equal(a->unwritten_count, b->unwritten_count);
    assert_int_equal(a->not_number_count, b->not_number_count);
    assert_true(a->first_failed == b->first_failed && a->first_unwritten == b->first_unwritten &&
                a->first_not_number == b->first_not_number);
    assert_int_equal(x->failed_count, y->failed_count);
    assert_true(x->max_abs == y->max_abs && a->max_ref == b->max_ref);
    assert_memory_equal(x->worst_coord, y->worst_coord, sizeof x->worst_coord);
    assert_int_equal(x->dim_count, y->dim_count);
    assert_true(x->worst_expected == y->worst_expected || isnan(x->worst_expected));
    assert_true(x->worst_got == y->worst_got || isnan(x->worst_got));
    assert_close(x->max_rel, y->max_rel, 1e-12);
    assert_close(x->mean_abs, y->mean_abs, 1e-12);
    assert_close(x->rms, y->rms, 1e-12);
    assert_close(x->rel_l2, y->rel_l2, 1e-12);
    assert_close(x->correlation, y->correlation, 1e-9);
}

// The same output beside the same reference, by device kernels and by the host's comparison.
static void test_figures(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp16/b2/h3/s65/d64", OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct reference reference;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    const struct assay_tensor *out = &buffers->own[buffers->input_count];
    const struct op_tolerance tolerance =
        buffers->problem.op->tolerance(&buffers->problem, "normal", buffers->input_count);
    uint16_t *elements = out->data;
    for (int step = 0; step < 4; ++step) {
        tensor_poison(out, POISON_OUTPUT);
        for (uint64_t i = 0; i < reference.element_count[0]; ++i)
            dtype_store(ASSAY_FP16, &elements[i], reference.outputs[0][i]);
        if (step == 1) dtype_store(ASSAY_FP16, &elements[777], 3);
        if (step >= 2)
            tensor_poison(&(struct assay_tensor){.dtype = ASSAY_FP16,
                                                 .dim_count = 1,
                                                 .shape = {9},
                                                 .stride = {1},
                                                 .data = elements + 5000},
                          POISON_OUTPUT);
        if (step == 3) dtype_store(ASSAY_FP16, &elements[23000], NAN);
        struct tensor_verdict host, device;
        tensor_compare(out, reference.outputs[0], &tolerance, POISON_OUTPUT, cpu->host_stream, &host);
        assert_int_equal(checker_device.compare(buffers, &reference, 0, &tolerance, &device, NULL), 0);
        assert_same_verdict(&device, &host);
        assert_int_equal(host.is_passed, step == 0);
        assert_int_equal(checker_device.has_poison(buffers, POISON_OUTPUT), step >= 2);
    }
    assert_true(precision_max_ref(&reference, 0) > 0);
    reference_close(&reference);
    release(buffers);
}

// Inputs are the host's bit for bit; others after a rotation, and the same again.
static void test_inputs(void **state) {
    (void)state;
    struct case_buffers *buffers = filled(&fake->device, "attention/fp8_e4m3/b1/h2/s64/d64",
                                          OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct case_buffers *other =
        filled(cpu, "attention/fp8_e4m3/b1/h2/s64/d64", OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    char before[OP_TENSORS_MAX][HASH_HEX_BYTES];
    memcpy(before, buffers->input_hash, buffers->input_count * sizeof *before);
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        assert_memory_equal(buffers->own[i].data, other->own[i].data, buffers->buffers[i].bytes);
    assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        assert_memory_not_equal(before[i], buffers->input_hash[i], HASH_HEX_BYTES);
    assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
    assert_memory_equal(before, buffers->input_hash, buffers->input_count * sizeof *before);
    release(other);
    release(buffers);
}

// One element of one set: by hashes, by its place, by rows.
static void test_several_sets(void **state) {
    (void)state;
    struct case_buffers *sets[3];
    struct tensor_hashes before[3], after[3];
    for (size_t s = 0; s < 3; ++s)
        sets[s] = filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    case_buffers_share_scratch(sets[1], sets[0]);
    assert_ptr_equal(sets[1]->scratch, sets[0]->scratch);
    for (size_t s = 0; s < 3; ++s) assert_int_equal(case_buffers_poison(sets[s], POISON_OUTPUT, NULL), 0);
    assert_int_equal(checker_device.hash(sets, 3, HASHED_ALL, before, NULL), 0);
    ((float *)sets[1]->own[2].data)[5] = 3;
    ((float *)sets[2]->own[3].data)[5] = 3;
    assert_int_equal(checker_device.hash(sets, 3, HASHED_ALL, after, NULL), 0);
    uint32_t changed = 0;
    assert_false(case_buffers_find_changed_input(sets[0], &after[0], &changed));
    assert_true(case_buffers_find_changed_input(sets[1], &after[1], &changed));
    assert_int_equal(changed, 2);
    assert_false(case_buffers_find_changed_input(sets[2], &after[2], &changed));
    assert_string_equal(before[1].outputs, after[1].outputs);
    assert_string_not_equal(before[2].outputs, after[2].outputs);
    int64_t coord[ASSAY_MAX_DIMS];
    assert_int_equal(sets[1]->checker->locate_change(sets[1], 2, coord, NULL), 0);
    assert_true(coord[1] == 0 && coord[2] == 0 && coord[3] == 5);
    release(sets[0]); // the scratch stays with the other that uses it
    assert_int_equal(checker_device.hash(sets + 1, 1, HASHED_ALL, after, NULL), 0);
    release(sets[1]);
    release(sets[2]);
}

static void test_canaries(void **state) {
    (void)state;
    struct device *const devices[] = {cpu, &fake->device};
    static const bool known[3], fresh_0[3] = {true, false, false};
    for (size_t d = 0; d < 2; ++d) {
        struct case_buffers *sets[3];
        struct canaries *canaries = mem_alloc(sizeof *canaries);
        char right[3][2 * 33 * 16 * 4];
        for (uint32_t s = 0; s < 3; ++s) {
            sets[s] = filled(devices[d], PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
            float *out = sets[s]->own[3].data;
            for (size_t i = 0; i < 2 * 33 * 16; ++i) out[i] = (float)(i + s);
            memcpy(right[s], out, sizeof right[s]);
        }
        const struct dice dice = dice_of_seed(1);
        fake->moves = 0;
        assert_int_equal(canaries_learn(canaries, sets, 3, &dice, NULL), 0);
        assert_int_equal(canaries_set(canaries, sets, &(struct canary_range){2, 2, known}, NULL),
                         0); // sets 2 and 0
        assert_memory_equal(sets[1]->own[3].data, right[1], sizeof right[1]);
        assert_memory_not_equal(sets[0]->own[3].data, right[0], sizeof right[0]);
        assert_memory_not_equal(sets[2]->own[3].data, right[2], sizeof right[2]);
        const struct canary *left;
        bool is_list_changed;
        assert_int_equal(canaries_find(canaries, known, &left, &is_list_changed, NULL), 0);
        assert_non_null(left);
        memcpy(sets[2]->own[3].data, right[2], sizeof right[2]);
        assert_int_equal(canaries_find(canaries, known, &left, &is_list_changed, NULL), 0);
        assert_non_null(left);
        // Where nobody knows the right values many canaries must be left; on a device such a set is left out.
        assert_int_equal(canaries_find(canaries, fresh_0, &left, &is_list_changed, NULL), 0);
        assert_int_equal(left != NULL, canaries->device == NULL);
        memcpy(sets[0]->own[3].data, right[0], sizeof right[0]);
        assert_int_equal(canaries_find(canaries, known, &left, &is_list_changed, NULL), 0);
        assert_null(left);
        // Other places every time, a few of many.
        char before[sizeof right[1]];
        assert_int_equal(canaries_set(canaries, sets, &(struct canary_range){1, 1, known}, NULL), 0);
        memcpy(before, sets[1]->own[3].data, sizeof before);
        memcpy(sets[1]->own[3].data, right[1], sizeof right[1]);
        assert_int_equal(canaries_set(canaries, sets, &(struct canary_range){1, 1, known}, NULL), 0);
        assert_memory_not_equal(sets[1]->own[3].data, before, sizeof before);
        release(sets[0]); // its memory moves
        sets[0] = filled(devices[d], PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
        assert_int_equal(canaries_set(canaries, sets, &(struct canary_range){0, 1, known}, NULL), 0);
        assert_int_equal(canaries_find(canaries, known, &left, &is_list_changed, NULL), 0);
        assert_non_null(left);
        assert_false(is_list_changed);
        if (canaries->device) { // a kernel has written over the list
            ((uint64_t *)canaries->lists)[1] ^= 1;
            assert_int_equal(canaries_find(canaries, known, &left, &is_list_changed, NULL), 0);
            assert_true(is_list_changed);
            fake->fails = true;
            assert_true(canaries_find(canaries, known, &left, &is_list_changed, NULL) < 0);
            assert_true(canaries_set(canaries, sets, &(struct canary_range){0, 1, known}, NULL) < 0);
            fake->fails = false;
        }
        assert_int_equal(fake->moves, 0);
        canaries_fini(canaries);
        free(canaries);
        for (uint32_t s = 0; s < 3; ++s) release(sets[s]);
    }
}

// An oracle whose programs do nothing passes nothing.
static size_t no_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                        double *const *outputs, uint32_t row_first, uint32_t row_step,
                        struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    (void)problem, (void)tensors, (void)row_first, (void)row_step;
    const struct dev_pattern args = {.data = outputs[0], .bytes = 0};
    ret[0] = kernel_launch_make("assay_pattern", 1, 32, &args, sizeof args);
    return 1;
}

static void test_no_oracle(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct operator_def op = *buffers->problem.op;
    struct op_device work = *op.device;
    struct reference reference;
    struct slice_failure failure;
    struct err err = {0};
    const struct rows_wanted rows = {.row_max = 32, .seed = 5};
    work.oracle = no_oracle;
    op.device = &work;
    buffers->problem.op = &op;
    assert_int_equal(reference_open(&reference, buffers, NULL, &err), -ERR_INTERNAL);
    assert_non_null(strstr(err.text, "have a reference"));
    assert_int_equal(checker_device.check_rows(buffers, &rows, &failure, &err), -ERR_INTERNAL);
    release(buffers);
}

// Of the rows that fail the worst element, not the first.
static void test_worst_of_rows(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp32/b1/h1/s8/d16", OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct reference reference;
    struct slice_failure failure;
    const struct rows_wanted rows = {.row_max = 32, .seed = 5};
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    float *out = buffers->own[3].data;
    for (size_t i = 0; i < 8 * 16; ++i) out[i] = (float)reference.outputs[0][i];
    const struct op_tolerance own = case_buffers_tolerance(buffers, 0);
    out[7 * 16 + 2] += (float)(2 * (own.atol + own.rtol * fabs(reference.outputs[0][7 * 16 + 2])));
    assert_int_equal(checker_device.check_rows(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_true(slice_failure_is_rounding(buffers, &failure));
    out[7 * 16 + 5] += 1;
    assert_int_equal(checker_device.check_rows(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_int_equal(failure.coord[3], 5);
    assert_false(slice_failure_is_rounding(buffers, &failure));
    out[7 * 16 + 7] = NAN;
    assert_int_equal(checker_device.check_rows(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_int_equal(failure.coord[3], 7);
    reference_close(&reference);
    release(buffers);
}

// Other rows for other seeds: what is wrong in most rows, but right in a fixed grid of them, does not pass
// for long.
static void test_rows_are_drawn(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp32/b1/h1/s200/d16", OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct reference reference;
    struct slice_failure failure;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    float *out = buffers->own[3].data;
    for (size_t i = 0; i < 200 * 16; ++i) out[i] = (float)reference.outputs[0][i];
    uint32_t seen = 0, wrong_rows = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const struct rows_wanted rows = {.row_max = 32, .seed = seed};
        assert_int_equal(checker_device.check_rows(buffers, &rows, &failure, NULL), 0);
        for (size_t row = 0; row < 199; ++row)
            if (row % 6) out[row * 16] += 1;
        if (checker_device.check_rows(buffers, &rows, &failure, NULL) == 1) {
            ++wrong_rows;
            seen |= 1u << failure.coord[2] % 6;
        }
        for (size_t row = 0; row < 199; ++row)
            if (row % 6) out[row * 16] = (float)reference.outputs[0][row * 16];
    }
    assert_true(wrong_rows > 20);
    assert_int_equal(seen, 0x3e); // every place between two rows of the grid
    reference_close(&reference);
    release(buffers);
}

// A wrong value is nobody's fault when the reference has been written over.
static void test_changed_reference(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    struct reference reference;
    struct kernel_instance instance;
    struct check_result result = {0};
    bool is_changed = false;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    assert_int_equal(reference_is_changed(&reference, buffers, NULL), 0);
    ((double *)reference.scratch)[3] += 1;
    const struct kernel naive = {.abi = builtin_find("naive", NULL)};
    assert_int_equal(kernel_instance_open(&(struct kernel_home){.device = buffers->device, .kernel = &naive},
                                          NULL, &buffers->abi.problem, &instance, &result, NULL),
                     0);
    const struct check_request request = {.buffers = buffers,
                                          .reference = &reference,
                                          .instance = &instance,
                                          .repeat_count = 2,
                                          .is_reference_changed = &is_changed};
    assert_int_equal(case_check_run(&request, &result, NULL), 0);
    assert_true(is_changed);
    assert_int_equal(result.finding, FINDING_OUT_OF_BOUNDS);
    kernel_instance_close(&instance);
    reference_close(&reference);
    release(buffers);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_device),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_several_sets),
        cmocka_unit_test(test_canaries),
        cmocka_unit_test(test_no_oracle),
        cmocka_unit_test(test_rows_are_drawn),
        cmocka_unit_test(test_worst_of_rows),
        cmocka_unit_test(test_changed_reference),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
