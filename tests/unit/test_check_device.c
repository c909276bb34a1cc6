// SPDX-License-Identifier: Apache-2.0
//
// Checks on a device find the same as checks on the host, in the same words. Kernels of this file, each
// wrong in one way, are checked on the CPU and on a fake device whose device kernels run on the CPU.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "fake_device_case.h"
#include "worker/check/case_check.h"
#include "worker/check/device_scratch.h"
#include "worker/module/builtin.h"

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

static void check_case(struct case_buffers *buffers, enum wrong wrong, struct check_result *ret) {
    struct reference reference;
    struct kernel_instance instance;
    struct case_hashes hashes;
    struct err err = {0};
    plain = builtin_find("naive", &err);
    if (!plain) fail_msg("%s", err.text);
    struct assay_kernel wrong_kernel = *plain;
    wrong_kernel.launch = launch_wrong;
    const struct kernel kernel = {.abi = &wrong_kernel};
    how = wrong;
    launch_number = 0;
    memset(ret, 0, sizeof *ret);
    if (reference_open(&reference, buffers, NULL, &err) < 0) fail_msg("%s", err.text);
    if (kernel_instance_open(&(struct kernel_home){.device = buffers->device, .kernel = &kernel}, NULL,
                             &buffers->abi.problem, &instance, ret, &err) < 0)
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
    struct case_buffers *buffers = filled(cpu, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    assert_ptr_equal(buffers->checker, &checker_host);
    check_case(buffers, wrong, ret_host);
    release(buffers);
    buffers = filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    assert_ptr_equal(buffers->checker, &checker_device);
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
    assert_true(b->same_precision_max_abs > 0 && b->same_precision_rms > 0);
}

// Every type; fp8 has scales that the host fills.
static void test_types(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp32/b1/h4/hkv2/sq5/sk33/d64/causal/lse",
                                        "attention/fp16/b2/h2/s48/d64", "attention/bf16/b1/h2/s40/d64/lse",
                                        "attention/fp8_e4m3/b1/h2/s64/d64"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        for (int memory_layout = MEMORY_LAYOUT_DENSE; memory_layout < MEMORY_LAYOUT_COUNT; ++memory_layout) {
            struct case_buffers *buffers =
                filled(&fake->device, names[i], OP_DISTRIBUTION_DEFAULT, (enum memory_layout)memory_layout);
            struct check_result result;
            assert_ptr_equal(buffers->checker,
                             memory_layout == MEMORY_LAYOUT_PADDED ? &checker_host : &checker_device);
            check_case(buffers, WRONG_NOTHING, &result);
            if (result.outcome != OUTCOME_OK)
                fail_msg("%s: %s %s", names[i], outcome_name(result.outcome), result.message);
            release(buffers);
        }
}

// What device kernels do not know is done by the host, with tensors moved.
static void test_done_by_host(void **state) {
    (void)state;
    static const struct {
        const char *name, *distribution;
        enum memory_layout memory_layout;
    } cases[] = {{PROBLEM, "exact", MEMORY_LAYOUT_DENSE},
                 {PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_PADDED},
                 {"attention/fp32/b1/h2/s33/d16/bshd", OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct case_buffers *buffers =
            filled(&fake->device, cases[i].name, cases[i].distribution, cases[i].memory_layout);
        struct check_result result;
        assert_ptr_equal(buffers->checker, &checker_host);
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
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
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
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_string_equal(result.message, "the device went on working 17.5 us after the stream that was passed "
                                        "was done: work on another stream");
    fake->others_ns = 50000000; // of a process that has the device nearly always
    check_on_fake(&result, WRONG_NOTHING);
    fake->late_launches = 0;
    fake->others_ns = 0;
    assert_int_equal(result.outcome, OUTCOME_OK);
    fake->runs_ahead = true;
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.finding, FINDING_LATE_WORK);
    assert_non_null(strstr(result.message, "not ordered on the stream"));
    struct case_buffers *padded =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_PADDED);
    assert_ptr_equal(padded->checker, &checker_host);
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

// Of a thread that gets a tenth of a processor beside other programs.
static int64_t read_held_up(struct device *device) {
    static int64_t ns;
    (void)device;
    return ns += 1000000;
}

// Of threads that spin together while they may, and sleep from then on.
static int64_t read_spun(struct device *device) {
    static int reads;
    (void)device;
    return reads++ ? 10000000 : 0;
}

static void *burn(void *arg) {
    const atomic_bool *is_over = arg;
    while (!atomic_load(is_over)) continue;
    return NULL;
}

// So little is no work of a thread that sleeps then. One that still wants a processor is held up, and found.
static void test_held_up_thread(void **state) {
    (void)state;
    struct check_result result;
    atomic_bool is_over = false;
    pthread_t thread;
    fake->backend.other_threads_ns = read_held_up;
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.outcome, OUTCOME_OK);
    assert_int_equal(pthread_create(&thread, NULL, burn, &is_over), 0);
    fake->backend.other_threads_ns = read_spun;
    check_on_fake(&result, WRONG_NOTHING);
    assert_int_equal(result.outcome, OUTCOME_OK);
    fake->backend.other_threads_ns = read_held_up;
    check_on_fake(&result, WRONG_NOTHING);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    fake->backend.other_threads_ns = NULL;
    assert_int_equal(result.finding, FINDING_LATE_WORK);
}

static char said[512];

static int prepare_and_say(const struct assay_problem *problem, const struct assay_env *env, void **state,
                           size_t *workspace_bytes, struct assay_message *message) {
    const int status = plain->prepare(problem, env, state, workspace_bytes, message);
    return assay_say(message, status, said);
}

// What is kept of a kernel whose prepare says that and is content.
static struct check_result result_of_saying(struct case_buffers *buffers) {
    struct check_result result = {0};
    struct kernel_instance instance;
    plain = builtin_find("naive", NULL);
    struct assay_kernel saying = *plain;
    saying.prepare = prepare_and_say;
    const struct kernel kernel = {.abi = &saying};
    assert_int_equal(kernel_instance_open(&(struct kernel_home){.device = buffers->device, .kernel = &kernel},
                                          NULL, &buffers->abi.problem, &instance, &result, NULL),
                     0);
    assert_int_equal(result.outcome, OUTCOME_NONE);
    kernel_instance_close(&instance);
    return result;
}

// Cut after a whole character.
static void test_note(void **state) {
    (void)state;
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    for (size_t length = 250; length < 260; ++length) {
        memset(said, 'a', sizeof said - 1);
        memcpy(said + length, "\xc3\xa4", 3); // two bytes of one character
        const struct check_result result = result_of_saying(buffers);
        assert_memory_equal(result.note, said, strlen(result.note));
        const size_t whole = length + 2 <= 255 ? length + 2 : length < 255 ? length : 255;
        assert_int_equal(strlen(result.note), whole);
    }
    release(buffers);
}

static void test_version_in_note(void **state) {
    (void)state;
    static const struct {
        const char *said, *version, *note;
    } cases[] = {{"@9.19.0 cuDNN, engine 7", "9.19.0", "cuDNN, engine 7"},
                 {"@2.11.0+cu_1-rc", "2.11.0+cu_1-rc", ""},
                 {"@1234567890123456789012345678901 x", "1234567890123456789012345678901", "x"},
                 {"@12345678901234567890123456789012 x", "", "@12345678901234567890123456789012 x"},
                 {"@9;rm x", "", "@9;rm x"},
                 {"@ x", "", "@ x"},
                 {"@", "", "@"},
                 {"9.19.0 x", "", "9.19.0 x"}};
    struct case_buffers *buffers =
        filled(&fake->device, PROBLEM, OP_DISTRIBUTION_DEFAULT, MEMORY_LAYOUT_DENSE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(said, sizeof said, "%s", cases[i].said);
        const struct check_result result = result_of_saying(buffers);
        assert_string_equal(result.version, cases[i].version);
        assert_string_equal(result.note, cases[i].note);
    }
    release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_is_right),  cmocka_unit_test(test_same_findings),
        cmocka_unit_test(test_types),           cmocka_unit_test(test_done_by_host),
        cmocka_unit_test(test_other_streams),   cmocka_unit_test(test_busy_threads),
        cmocka_unit_test(test_held_up_thread),  cmocka_unit_test(test_note),
        cmocka_unit_test(test_version_in_note),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
