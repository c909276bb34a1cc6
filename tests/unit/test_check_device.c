// SPDX-License-Identifier: Apache-2.0
//
// Does a check find the same on a device as on the host, and say the same of it? Kernels of this file, each wrong in one way,
// are checked on the processor and on a device whose helpers the processor runs.
#include "check/case_check.h"
#include "check/device_desk.h"
#include "check/yardstick.h"
#include "module/builtin.h"
#include "op/dtype.h"
#include "worker/work_plants.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_work_device.h"

#define PROBLEM                                                                                              \
    "attention/fp32/b1/h2/s33/d16" // an output's end is no multiple of the alignment: known bytes follow

static struct device *cpu;
static struct fake_work *fake;

static int open_devices(void **state) {
    (void)state;
    if (device_open(&(struct device_request){.device = "cpu"}, &cpu, NULL) < 0) return -1;
    fake = fake_work_open(cpu);
    return 0;
}

static int close_devices(void **state) {
    (void)state;
    const bool is_all_freed = fake->scratch_count == 0;
    free(fake);
    device_close(cpu);
    return is_all_freed ? 0 : -1;
}

// ---- a kernel that is wrong in one way ----

enum wrong {
    WRONG_NOTHING,
    WRONG_VALUE,
    WRONG_UNWRITTEN,
    WRONG_NAN,
    WRONG_PAST_END,
    WRONG_BEFORE_START,
    WRONG_INPUT,
    WRONG_REPEAT,
    WRONG_LEFT_ALONE, // from the second launch on
    WRONG_KEPT,       // the results of the first launch, for ever
    WRONG_IMPRECISE,
    WRONG_COUNT
};

static enum wrong how;
static uint32_t launch_number;
static float kept[2 * 33 * 16];
static const struct assay_kernel *plain;

// Elements [4, 8) keep what was there.
static void keep_some(float *out, const float *before) {
    memcpy(out + 4, before, 4 * sizeof *out);
}

static int launch_wrong(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                        struct assay_message *message) {
    float *out = assay_tensor_find(tensors, ASSAY_O)->data, before[4];
    ++launch_number;
    if (how == WRONG_LEFT_ALONE && launch_number > 1) return ASSAY_OK;
    memcpy(before, out + 4, sizeof before);
    const int status = plain->launch(state, tensors, workspace, stream, message);
    if (how == WRONG_VALUE) out[21] += 0.25f;
    if (how == WRONG_UNWRITTEN) keep_some(out, before);
    if (how == WRONG_NAN) out[40] = NAN;
    if (how == WRONG_PAST_END) ((char *)out)[sizeof kept + 3] ^= 1;
    if (how == WRONG_BEFORE_START) ((char *)out)[-2] ^= 1;
    if (how == WRONG_INPUT) ((float *)assay_tensor_find(tensors, ASSAY_K)->data)[7 * 16 + 2] = 1;
    if (how == WRONG_REPEAT && launch_number > 1) ((unsigned char *)out)[33 * 4] ^= 1;
    if (how == WRONG_KEPT && launch_number == 1) memcpy(kept, out, sizeof kept);
    if (how == WRONG_KEPT) memcpy(out, kept, sizeof kept);
    for (size_t i = 0; how == WRONG_IMPRECISE && i < sizeof kept / sizeof *kept; ++i) out[i] += 5e-6f;
    return status;
}

static struct case_buffers *filled(struct device *device, const char *name, const char *family,
                                   enum placement placement) {
    struct problem problem;
    struct err err = {0};
    if (problem_parse(name, &problem, &err) < 0) fail_msg("%s", err.text);
    struct case_buffers *buffers = mem_alloc(sizeof *buffers);
    if (case_buffers_init(buffers, device, &problem, placement, 0, &err) < 0 ||
        case_buffers_fill(buffers, family, 7, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return buffers;
}

static void release(struct case_buffers *buffers) {
    case_buffers_fini(buffers);
    free(buffers);
}

static void check_case(struct case_buffers *buffers, enum wrong wrong, struct check_result *ret) {
    struct reference reference;
    struct kernel_instance instance;
    struct case_hashes hashes;
    struct err err = {0};
    plain = builtin_find("naive", &err);
    if (!plain) fail_msg("%s", err.text);
    struct assay_kernel kernel = *plain;
    kernel.launch = launch_wrong;
    how = wrong;
    launch_number = 0;
    memset(ret, 0, sizeof *ret);
    if (reference_open(&reference, buffers, NULL, &err) < 0) fail_msg("%s", err.text);
    if (kernel_instance_open(buffers->device, &kernel, &buffers->abi, &instance, ret, &err) < 0)
        fail_msg("%s", err.text);
    if (ret->outcome == OUTCOME_NONE) {
        const struct check_request request = {.buffers = buffers,
                                              .reference = &reference,
                                              .instance = &instance,
                                              .repeat_count = 3,
                                              .hashes = &hashes};
        if (case_check_run(&request, ret, &err) < 0) fail_msg("%s", err.text);
    }
    kernel_instance_close(&instance);
    reference_close(&reference);
}

static void check_both(enum wrong wrong, struct check_result *ret_host, struct check_result *ret_device) {
    struct case_buffers *buffers = filled(cpu, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    assert_ptr_equal(buffers->site, &site_host);
    check_case(buffers, wrong, ret_host);
    release(buffers);
    buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    assert_ptr_equal(buffers->site, &site_device);
    fake->moves = 0;
    check_case(buffers, wrong, ret_device);
    assert_int_equal(fake->moves, 0); // no tensor has travelled
    release(buffers);
}

// ---- tests ----

static const struct {
    enum wrong wrong;
    enum finding finding;
    bool is_same_sentence; // else it names an element that the two sites choose differently, or other rows
} expected[] = {
    {WRONG_VALUE, FINDING_WRONG_VALUE, true},
    {WRONG_UNWRITTEN, FINDING_UNWRITTEN, true},
    {WRONG_NAN, FINDING_NOT_A_NUMBER, true},
    {WRONG_PAST_END, FINDING_OUT_OF_BOUNDS, true},
    {WRONG_BEFORE_START, FINDING_OUT_OF_BOUNDS, true},
    {WRONG_INPUT, FINDING_INPUT_CHANGED, true},
    {WRONG_REPEAT, FINDING_NOT_REPEATABLE, true},
    {WRONG_LEFT_ALONE, FINDING_STALE, true},
    {WRONG_KEPT, FINDING_STALE, false},
    {WRONG_IMPRECISE, FINDING_TWO_X, false},
};

static void test_same_findings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        struct check_result host, device;
        check_both(expected[i].wrong, &host, &device);
        if (host.finding != expected[i].finding) fail_msg("%zu on the host: %s", i, host.message);
        if (device.finding != expected[i].finding) fail_msg("%zu on the device: %s", i, device.message);
        assert_int_equal(device.outcome, OUTCOME_FAIL);
        if (expected[i].is_same_sentence)
            assert_string_equal(host.message, device.message);
        else // as far as the first figure
            assert_memory_equal(host.message, device.message, strcspn(host.message, "0123456789") - 1);
    }
}

static void assert_close(double a, double b, double ratio) {
    if (!(fabs(a - b) <= ratio * fabs(b)) && !(isnan(a) && isnan(b))) fail_msg("%.17g and %.17g", a, b);
}

static void test_right_is_right(void **state) {
    (void)state;
    struct check_result host, device;
    check_both(WRONG_NOTHING, &host, &device);
    assert_string_equal(host.message, "");
    assert_string_equal(device.message, "");
    assert_int_equal(device.outcome, OUTCOME_OK);
    const struct tensor_error *a = &host.tensors[0], *b = &device.tensors[0];
    assert_string_equal(b->tensor, "out");
    assert_int_equal(a->element_count, b->element_count);
    assert_close(b->max_abs, a->max_abs, 1e-6); // the two oracles differ by float64's rounding
    assert_close(b->rms, a->rms, 1e-6);
    assert_close(b->rel_l2, a->rel_l2, 1e-6);
    assert_int_equal(b->sampled_row_count, 2 * 33); // all
    assert_true(b->sampled_max_abs == b->max_abs && b->sampled_rms == b->rms);
    assert_true(b->yardstick_max_abs > 0 && b->yardstick_rms > 0);
}

// Every type; fp8 has scales that the host fills.
static void test_types(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp32/b1/h4/hkv2/sq5/sk33/d64/causal/lse",
                                        "attention/fp16/b2/h2/s48/d64", "attention/bf16/b1/h2/s40/d64/lse",
                                        "attention/fp8_e4m3/b1/h2/s64/d64"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        for (int placement = PLACEMENT_DENSE; placement < PLACEMENT_COUNT; ++placement) {
            struct case_buffers *buffers =
                filled(&fake->device, names[i], OP_FAMILY_DEFAULT, (enum placement)placement);
            struct check_result result;
            assert_ptr_equal(buffers->site, placement == PLACEMENT_PADDED ? &site_host : &site_device);
            check_case(buffers, WRONG_NOTHING, &result);
            if (result.outcome != OUTCOME_OK)
                fail_msg("%s: %s %s", names[i], outcome_name(result.outcome), result.message);
            release(buffers);
        }
}

// What helpers do not know is done by the host, with tensors moved.
static void test_done_by_host(void **state) {
    (void)state;
    static const struct {
        const char *name, *family;
        enum placement placement;
    } cases[] = {{PROBLEM, "exact", PLACEMENT_DENSE},
                 {PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_PADDED},
                 {"attention/fp32/b1/h2/s33/d16/bshd", OP_FAMILY_DEFAULT, PLACEMENT_DENSE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct case_buffers *buffers =
            filled(&fake->device, cases[i].name, cases[i].family, cases[i].placement);
        struct check_result result;
        assert_ptr_equal(buffers->site, &site_host);
        fake->moves = 0;
        check_case(buffers, WRONG_NOTHING, &result);
        if (result.outcome != OUTCOME_OK) fail_msg("%s: %s", cases[i].name, result.message);
        assert_true(fake->moves > 0);
        check_case(buffers, WRONG_VALUE, &result);
        assert_int_equal(result.finding, FINDING_WRONG_VALUE);
        release(buffers);
    }
}

static void check_on_fake(struct check_result *ret, enum wrong wrong) {
    struct case_buffers *buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    check_case(buffers, wrong, ret);
    release(buffers);
}

static void test_other_streams(void **state) {
    (void)state;
    struct check_result result;
    fake->late_ns = 17500;
    fake->late_launches = 2; // the host was held up
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.outcome, OUTCOME_OK);
    fake->late_launches = UINT32_MAX;
    check_on_fake(&result, WRONG_NOTHING);
    fake->late_launches = 0;
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_string_equal(result.message, "the device went on working 17.5 us after the stream that was passed "
                                        "was done: work on another stream");
    fake->runs_ahead = true;
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_non_null(strstr(result.message, "not ordered on the stream"));
    struct case_buffers *padded = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_PADDED);
    assert_ptr_equal(padded->site, &site_host);
    check_case(padded, WRONG_NOTHING, &result);
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_non_null(strstr(result.message, "not ordered on the stream"));
    release(padded);
    check_on_fake(&result, WRONG_REPEAT); // found before
    assert_int_equal(result.finding, FINDING_NOT_REPEATABLE);
    fake->runs_ahead = false;
}

static uint32_t busy_reads;

static int64_t read_other_threads(struct device *device) {
    static int64_t ns;
    (void)device;
    if (busy_reads) {
        --busy_reads;
        ns += 1000000000;
    }
    return ns;
}

// A wait reads twice. Busy after two launches and idle after the third: a machine that was held up.
static void test_busy_threads(void **state) {
    (void)state;
    struct check_result result;
    fake->backend.other_threads_ns = read_other_threads;
    busy_reads = 4;
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.outcome, OUTCOME_OK);
    assert_int_equal(busy_reads, 0);
    busy_reads = UINT32_MAX;
    check_on_fake(&result, WRONG_NOTHING);
    fake->backend.other_threads_ns = NULL;
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_non_null(strstr(result.message, "threads of the kernel used"));
}

static char said[512];

static int prepare_and_say(const struct assay_problem *problem, const struct assay_env *env, void **state,
                           size_t *workspace_bytes, struct assay_message *message) {
    const int status = plain->prepare(problem, env, state, workspace_bytes, message);
    return assay_say(message, status, said);
}

// What prepare says while it is content; cut after a whole character.
static void test_note(void **state) {
    (void)state;
    struct case_buffers *buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    plain = builtin_find("naive", NULL);
    struct assay_kernel kernel = *plain;
    kernel.prepare = prepare_and_say;
    for (size_t length = 250; length < 260; ++length) {
        struct check_result result = {0};
        struct kernel_instance instance;
        memset(said, 'a', sizeof said - 1);
        memcpy(said + length, "\xc3\xa4", 3); // two bytes of one character
        assert_int_equal(
            kernel_instance_open(buffers->device, &kernel, &buffers->abi, &instance, &result, NULL), 0);
        assert_int_equal(result.outcome, OUTCOME_NONE);
        assert_memory_equal(result.note, said, strlen(result.note));
        const size_t whole = length + 2 <= 255 ? length + 2 : length < 255 ? length : 255;
        assert_int_equal(strlen(result.note), whole);
        kernel_instance_close(&instance);
    }
    release(buffers);
}

static void test_lost_device(void **state) {
    (void)state;
    struct case_buffers *buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    struct reference reference;
    struct err err = {0};
    fake->fails = true;
    assert_true(reference_open(&reference, buffers, NULL, &err) < 0);
    assert_true(case_buffers_fill(buffers, OP_FAMILY_DEFAULT, 8, &err) < 0);
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

// The same output beside the same reference, by helpers and by the host's comparison.
static void test_figures(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp16/b2/h3/s65/d64", OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    struct reference reference;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    const struct assay_tensor *out = &buffers->own[buffers->input_count];
    const struct op_tolerance tolerance =
        buffers->problem.op->tolerance(buffers->problem.params, buffers->input_count);
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
        assert_int_equal(site_device.compare(buffers, &reference, 0, &tolerance, &device, NULL), 0);
        assert_same_verdict(&device, &host);
        assert_int_equal(host.is_passed, step == 0);
        assert_int_equal(site_device.has_poison(buffers, POISON_OUTPUT), step >= 2);
    }
    assert_true(yardstick_max_ref(&reference, 0) > 0);
    reference_close(&reference);
    release(buffers);
}

// Inputs are the host's bit for bit; others after a rotation, and the same again.
static void test_inputs(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp8_e4m3/b1/h2/s64/d64", OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    struct case_buffers *other =
        filled(cpu, "attention/fp8_e4m3/b1/h2/s64/d64", OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    char before[OP_TENSORS_MAX][HASH_HEX_BYTES];
    memcpy(before, buffers->input_hash, sizeof before);
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        assert_memory_equal(buffers->own[i].data, other->own[i].data, buffers->buffers[i].bytes);
    assert_int_equal(case_buffers_rotate(buffers, NULL), 0);
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        assert_memory_not_equal(before[i], buffers->input_hash[i], HASH_HEX_BYTES);
    assert_int_equal(case_buffers_rotate(buffers, NULL), 0);
    assert_memory_equal(before, buffers->input_hash, sizeof before);
    release(other);
    release(buffers);
}

// One element of one set: by hashes, by its place, by rows.
static void test_several_sets(void **state) {
    (void)state;
    struct case_buffers *sets[3];
    struct tensor_hashes before[3], after[3];
    for (size_t s = 0; s < 3; ++s)
        sets[s] = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    case_buffers_share_desk(sets[1], sets[0]);
    assert_ptr_equal(sets[1]->desk, sets[0]->desk);
    for (size_t s = 0; s < 3; ++s) assert_int_equal(case_buffers_poison(sets[s], POISON_OUTPUT, NULL), 0);
    assert_int_equal(site_device.hash(sets, 3, HASHED_ALL, before, NULL), 0);
    ((float *)sets[1]->own[2].data)[5] = 3;
    ((float *)sets[2]->own[3].data)[5] = 3;
    assert_int_equal(site_device.hash(sets, 3, HASHED_ALL, after, NULL), 0);
    assert_int_equal(case_buffers_find_changed_input(sets[0], &after[0]), -1);
    assert_int_equal(case_buffers_find_changed_input(sets[1], &after[1]), 2);
    assert_int_equal(case_buffers_find_changed_input(sets[2], &after[2]), -1);
    assert_string_equal(before[1].outputs, after[1].outputs);
    assert_string_not_equal(before[2].outputs, after[2].outputs);
    int64_t coord[ASSAY_MAX_DIMS];
    assert_int_equal(case_buffers_locate_change(sets[1], 2, coord, NULL), 0);
    assert_true(coord[1] == 0 && coord[2] == 0 && coord[3] == 5);
    release(sets[0]); // the desk stays with the other that uses it
    assert_int_equal(site_device.hash(sets + 1, 1, HASHED_ALL, after, NULL), 0);
    release(sets[1]);
    release(sets[2]);
}

static void test_plants(void **state) {
    (void)state;
    struct device *const devices[] = {cpu, &fake->device};
    for (size_t d = 0; d < 2; ++d) {
        struct case_buffers *sets[3];
        struct plants *plants = mem_alloc(sizeof *plants);
        char right[3][2 * 33 * 16 * 4];
        for (uint32_t s = 0; s < 3; ++s) {
            sets[s] = filled(devices[d], PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
            float *out = sets[s]->own[3].data;
            for (size_t i = 0; i < 2 * 33 * 16; ++i) out[i] = (float)(i + s);
            memcpy(right[s], out, sizeof right[s]);
        }
        fake->moves = 0;
        assert_int_equal(plants_learn(plants, sets, 3, 1, NULL), 0);
        assert_int_equal(plants_set(plants, sets, 2, 2, NULL), 0); // sets 2 and 0
        assert_memory_equal(sets[1]->own[3].data, right[1], sizeof right[1]);
        assert_memory_not_equal(sets[0]->own[3].data, right[0], sizeof right[0]);
        assert_memory_not_equal(sets[2]->own[3].data, right[2], sizeof right[2]);
        const struct plant *left;
        const bool not_0[3] = {true, false, false};
        assert_int_equal(plants_find(plants, NULL, &left, NULL), 0);
        assert_non_null(left);
        memcpy(sets[2]->own[3].data, right[2], sizeof right[2]);
        assert_int_equal(plants_find(plants, NULL, &left, NULL), 0);
        assert_non_null(left);
        assert_int_equal(plants_find(plants, not_0, &left, NULL), 0);
        assert_null(left);
        memcpy(sets[0]->own[3].data, right[0], sizeof right[0]);
        assert_int_equal(plants_find(plants, NULL, &left, NULL), 0);
        assert_null(left);
        // Other places every time, a few of many.
        char before[sizeof right[1]];
        assert_int_equal(plants_set(plants, sets, 1, 1, NULL), 0);
        memcpy(before, sets[1]->own[3].data, sizeof before);
        memcpy(sets[1]->own[3].data, right[1], sizeof right[1]);
        assert_int_equal(plants_set(plants, sets, 1, 1, NULL), 0);
        assert_memory_not_equal(sets[1]->own[3].data, before, sizeof before);
        release(sets[0]); // its memory moves
        sets[0] = filled(devices[d], PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
        assert_int_equal(plants_set(plants, sets, 0, 1, NULL), 0);
        assert_int_equal(plants_find(plants, NULL, &left, NULL), 0);
        assert_non_null(left);
        if (plants->device) { // a kernel has written over the list
            ((uint64_t *)plants->lists)[1] ^= 1;
            assert_int_equal(plants_find(plants, NULL, &left, NULL), 1);
            fake->fails = true;
            assert_true(plants_find(plants, NULL, &left, NULL) < 0);
            assert_true(plants_set(plants, sets, 0, 1, NULL) < 0);
            fake->fails = false;
        }
        assert_int_equal(fake->moves, 0);
        plants_fini(plants);
        free(plants);
        for (uint32_t s = 0; s < 3; ++s) release(sets[s]);
    }
}

// An oracle whose programs do nothing passes nothing.
static size_t no_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                        double *const *outputs, uint32_t row_first, uint32_t row_step,
                        struct device_program ret[OP_PROGRAMS_MAX]) {
    (void)problem, (void)tensors, (void)row_first, (void)row_step;
    const struct helper_pattern args = {.data = outputs[0], .bytes = 0};
    ret[0] = device_program_make("assay_pattern", 1, 32, &args, sizeof args);
    return 1;
}

static void test_no_oracle(void **state) {
    (void)state;
    struct case_buffers *buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
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
    assert_int_equal(site_device.check_rows(buffers, &rows, &failure, &err), -ERR_INTERNAL);
    release(buffers);
}

// Other rows for other seeds: what is wrong in most rows, but right in a fixed grid of them, does not pass for long.
static void test_rows_are_drawn(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, "attention/fp32/b1/h1/s200/d16", OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    struct reference reference;
    struct slice_failure failure;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    float *out = buffers->own[3].data;
    for (size_t i = 0; i < 200 * 16; ++i) out[i] = (float)reference.outputs[0][i];
    uint32_t seen = 0, wrong_rows = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const struct rows_wanted rows = {.row_max = 32, .seed = seed};
        assert_int_equal(site_device.check_rows(buffers, &rows, &failure, NULL), 0);
        for (size_t row = 0; row < 199; ++row)
            if (row % 6) out[row * 16] += 1;
        if (site_device.check_rows(buffers, &rows, &failure, NULL) == 1) {
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
    struct case_buffers *buffers = filled(&fake->device, PROBLEM, OP_FAMILY_DEFAULT, PLACEMENT_DENSE);
    struct reference reference;
    struct kernel_instance instance;
    struct check_result result = {0};
    bool is_changed = false;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    assert_int_equal(reference_is_changed(&reference, buffers, NULL), 0);
    ((double *)reference.scratch)[3] += 1;
    const struct assay_kernel *naive = builtin_find("naive", NULL);
    assert_int_equal(kernel_instance_open(buffers->device, naive, &buffers->abi, &instance, &result, NULL),
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
        cmocka_unit_test(test_no_oracle),
        cmocka_unit_test(test_rows_are_drawn),
        cmocka_unit_test(test_changed_reference),
        cmocka_unit_test(test_right_is_right),
        cmocka_unit_test(test_same_findings),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_done_by_host),
        cmocka_unit_test(test_other_streams),
        cmocka_unit_test(test_busy_threads),
        cmocka_unit_test(test_lost_device),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_several_sets),
        cmocka_unit_test(test_plants),
        cmocka_unit_test(test_note),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
