// SPDX-License-Identifier: Apache-2.0
//
// The worker process: it answers orders, and rejects bad ones with the right exit code and a sentence.
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/query_worker.h"
#include "worker/measure/sampler.h"
#include "worker/module/python_kernel.h"
#include "worker/order/work.h"
#include "worker/order/work_sets.h"

static void expect_exit(const struct work_order *order, const char *text, int code, const char *words) {
    struct answer answer;
    if (order)
        ask(order, &answer);
    else
        query_text(text, strlen(text), &answer);
    assert_int_equal(answer.status.end, PROC_EXITED);
    if (answer.status.exit_code != code || !answer.tail || !strstr(answer.tail, words))
        fail_msg("exit %d, expected %d; '%s' should say '%s'", answer.status.exit_code, code,
                 answer.tail ? answer.tail : "", words);
    assert_null(answer_find(&answer, RECORD_BYE, 0));
    answer_fini(&answer);
}

static void test_bad_orders(void **state) {
    (void)state;
    expect_exit(NULL, "", 65, "assay: error: ");
    expect_exit(NULL, "{\"schema\": 1, \"kind\": \"check\"", 65, "assay: error: ");
    expect_exit(NULL, "{\"schema\": 99, \"kind\": \"check\"}", 65, "assay: error: ");
    expect_exit(NULL, "{\"schema\": 1, \"kind\": \"juggle\"}", 65, "juggle");
    struct work_order order = {
        .kind = WORK_CHECK, .device = "cpu", .side_count = 1, .sampling = sampling_default()};
    order.sides[0].kernel_name = "nothing";
    expect_exit(&order, NULL, 64, "no kernel 'nothing'");
    order.sides[0].module_path = "/nowhere/at/all.so";
    expect_exit(&order, NULL, 66, "no such file");
    order.sides[0].module_path = "/etc/passwd";
    expect_exit(&order, NULL, 65, "cannot load module");
    order.device = "abacus:0";
    expect_exit(&order, NULL, 64, "abacus");
    order.device = "cpu";
    order.thread_count = 100000;
    expect_exit(&order, NULL, 64, "threads");
    order = (struct work_order){.kind = WORK_DEVICES, .device = "abacus:0", .sampling = sampling_default()};
    expect_exit(&order, NULL, 64, "no backend for device 'abacus:0'");
    order.device = "sim:steady"; // a script's, not the machine's
    expect_exit(&order, NULL, 69, "no device 'sim:steady'");
}

static void test_queries(void **state) {
    (void)state;
    struct answer answer;
    struct work_order order = {.kind = WORK_DEVICES, .sampling = sampling_default()};
    ask(&order, &answer);
    const struct record *record = answer_find(&answer, RECORD_DEVICE, 0);
    assert_non_null(record);
    assert_string_equal(record->device->backend, "cpu");
    assert_true(record->device->is_available);
    assert_true(record->device->state.clock_probe_hz > 1e8);
    assert_non_null(answer_find(&answer, RECORD_BYE, 0));
    assert_int_equal(answer.status.exit_code, 0);
    answer_fini(&answer);
    order.device = "cpu"; // this one alone
    ask(&order, &answer);
    assert_string_equal(answer_find(&answer, RECORD_DEVICE, 0)->device->device, "cpu");
    size_t device_count = 0;
    for (size_t i = 0; i < answer.count; ++i) device_count += answer.records[i].kind == RECORD_DEVICE;
    assert_int_equal(device_count, 1);
    answer_fini(&answer);
    order = (struct work_order){.kind = WORK_DESCRIBE, .side_count = 1, .sampling = sampling_default()};
    order.sides[0] = (struct work_side){.kernel_name = "naive", .config = "BLOCK=3"};
    ask(&order, &answer);
    record = answer_find(&answer, RECORD_KERNEL, 0);
    assert_non_null(record);
    assert_string_equal(record->kernel->name, "naive");
    assert_non_null(strstr(record->kernel->config_error, "BLOCK"));
    answer_fini(&answer);
}

static void test_check(void **state) {
    (void)state;
    struct work_case cases[] = {order_case(4, "attention/fp32/b1/h2/s17/d32", 1),
                                order_case(9, "attention/fp16/b2/h2/s33/d64/causal", 1)};
    cases[1].memory_layout = MEMORY_LAYOUT_PADDED;
    struct work_order order = {.kind = WORK_CHECK,
                               .device = "cpu",
                               .side_count = 1,
                               .case_count = 2,
                               .cases = cases,
                               .repeat_count = 5,
                               .sampling = sampling_default()};
    order.sides[0].kernel_name = "naive";
    struct answer answer;
    ask(&order, &answer);
    size_t checks = 0;
    for (size_t i = 0; i < answer.count; ++i) {
        const struct record *record = &answer.records[i];
        if (record->kind != RECORD_CHECK) continue;
        assert_int_equal(record->check.outcome, OUTCOME_OK);
        assert_int_equal(record->case_index, checks++ ? 9 : 4);
        assert_int_equal(answer.records[i - 1].kind, RECORD_CASE);
        assert_true(record->check.tensors[0].max_abs < 2e-3);
        assert_true(record->check.tensors[0].sampled_row_count > 0);
        assert_true(record->check.kernel_ns > 0);
    }
    assert_int_equal(checks, 2);
    assert_int_equal(answer.records[0].kind, RECORD_HELLO);
    assert_string_equal(answer.records[0].environment.device, "cpu");
    assert_int_equal(answer.records[answer.count - 1].kind, RECORD_BYE);
    answer_fini(&answer);
}

// While a reference is computed, the CASE record comes again and again, with the time of the first.
static void test_reference_shows_progress(void **state) {
    (void)state;
    struct work_case item = order_case(0, "attention/fp32/b1/h4/s2048/d64", 1);
    struct work_order order = {.kind = WORK_CHECK,
                               .device = "cpu",
                               .thread_count = 1,
                               .side_count = 1,
                               .case_count = 1,
                               .cases = &item,
                               .sampling = sampling_default()};
    order.sampling.limits.case_s = 0.1;
    order.sides[0].kernel_name = "naive";
    struct answer answer;
    size_t repeated = 0;
    ask(&order, &answer);
    for (size_t i = 1; i < answer.count; ++i) {
        const struct record *one = &answer.records[i - 1], *next = &answer.records[i];
        repeated += one->kind == RECORD_CASE && next->kind == RECORD_CASE && one->time_ns == next->time_ns;
    }
    assert_true(repeated >= 2);
    const struct record *check = answer_find(&answer, RECORD_CHECK, 0);
    assert_non_null(check);
    assert_int_equal(check->check.outcome, OUTCOME_OK);
    answer_fini(&answer);
}

// Tensors and reference that are too large for the limit are refused before they are there, with the figures.
static void test_memory(void **state) {
    (void)state;
    struct work_case item = order_case(0, "attention/fp32/b1/h1/s6000/d64", 1);
    struct work_order order = {.kind = WORK_ROUND,
                               .device = "cpu",
                               .thread_count = 1,
                               .side_count = 1,
                               .case_count = 1,
                               .cases = &item,
                               .sampling = sampling_default()};
    order.sampling.cache_mode = CACHE_WARM;
    order.sampling.limits.memory_gb = 0.0107519;
    order.sides[0].kernel_name = "naive";
    struct answer answer;
    ask(&order, &answer);
    const struct record *begun = answer_find(&answer, RECORD_CASE, 0);
    const struct record *check = answer_find(&answer, RECORD_CHECK, 0);
    assert_true(begun && check);
    assert_int_equal(begun->own_bytes, 10752000); // 3 inputs, output, a copy, 8 bytes an element
    assert_int_equal(check->check.outcome, OUTCOME_NOT_VALID);
    if (!strstr(check->check.message, "take 0.0108 GB, and limits.memory_gb allows 0.0108 GB"))
        fail_msg("message: %s", check->check.message);
    answer_fini(&answer);
}

// The limit is one of the worker's memory, where a GPU's tensors are not.
static void test_memory_of_sets(void **state) {
    (void)state;
    static const struct device_work on_device;
    static const struct backend host_backend = {.name = "host"},
                                gpu_backend = {.name = "gpu", .work = &on_device};
    struct device device = {.backend = &host_backend, .info.memory_bytes = UINT64_C(64) << 30};
    struct work_order order = {.sampling.limits.memory_gb = 8};
    const struct work work = {.order = &order, .device = &device};
    assert_int_equal(work_sets_memory_bytes(&work), 1000000000);
    device.backend = &gpu_backend;
    assert_int_equal(work_sets_memory_bytes(&work), UINT64_C(8) << 30);
    device.backend = &host_backend;
    order.sampling.limits.memory_gb = 0;
    assert_int_equal(work_sets_memory_bytes(&work), UINT64_C(8) << 30);
}

// False where the machine held up the search for the launches of a sample, which is too short then, or a
// probe of the clock.
static bool have_times(const struct answer *answer) {
    for (uint32_t side = 0; side < 2; ++side) {
        const struct record *samples = answer_find(answer, RECORD_SAMPLES, side);
        assert_non_null(samples);
        for (size_t i = 0; i < samples->samples.count; ++i)
            if (samples->samples.items[i].duration_ns < 100000 || !(samples->samples.items[i].clock_hz > 1e8))
                return false;
    }
    return true;
}

static void test_round(void **state) {
    (void)state;
    struct work_case item = order_case(2, "attention/fp32/b1/h2/s33/d64", 3);
    struct work_order order = {.kind = WORK_ROUND,
                               .device = "cpu",
                               .round = 3,
                               .attempt = 1,
                               .side_count = 2,
                               .case_count = 1,
                               .cases = &item,
                               .sampling = sampling_default()};
    order.sides[0].kernel_name = order.sides[1].kernel_name = "naive";
    order.sampling.sample_count = 8;
    order.sampling.stabilize_ns = 1000000;
    order.sampling.sample_time_ns = 200000;
    struct answer answer;
    ask(&order, &answer);
    for (int tries = 1; tries < 5 && !have_times(&answer); ++tries) { // a fault would be there every time
        answer_fini(&answer);
        ask(&order, &answer);
    }
    assert_true(have_times(&answer));
    assert_int_equal(answer.status.exit_code, 0);
    for (uint32_t side = 0; side < 2; ++side) {
        const struct record *check = answer_find(&answer, RECORD_CHECK, side),
                            *samples = answer_find(&answer, RECORD_SAMPLES, side);
        assert_non_null(check);
        assert_int_equal(check->check.outcome, OUTCOME_OK);
        assert_non_null(samples);
        assert_int_equal(samples->round, 3);
        assert_int_equal(samples->attempt, 1);
        assert_int_equal(samples->case_index, 2);
        assert_in_range(samples->samples.count, 9,
                        SAMPLER_MADE_UP_MOST * 8 + 1); // 8 and the first, disturbed ones made up
        assert_int_equal(samples->samples.items[0].discard, DISCARD_FIRST_PAIR);
        size_t audits = 0;
        for (size_t i = 0; i < samples->samples.count; ++i)
            audits += samples->samples.items[i].discard == DISCARD_AUDIT;
        assert_int_equal(audits, 0); // every sample has new inputs
    }
    const struct record *timing = answer_find(&answer, RECORD_CASE, RECORD_SIDE_ALL);
    assert_non_null(timing);
    const struct record *window = answer_find(&answer, RECORD_CASE_STATE, 0);
    assert_non_null(window);
    assert_true(window->is_valid == (window->text == NULL)); // a busy machine is no failure of this test
    assert_true(window->state.window_ns > 0);
    answer_fini(&answer);
}

// What a kernel does not support is neither right nor wrong, and is not timed; the other side is.
static void test_unsupported(void **state) {
    (void)state;
    struct work_case item = order_case(0, "scale/fp32/n1000", 1);
    struct work_order order = {.kind = WORK_ROUND,
                               .device = "cpu",
                               .side_count = 1,
                               .case_count = 1,
                               .cases = &item,
                               .sampling = sampling_default()};
    order.sides[0].kernel_name = "naive";
    struct answer answer;
    ask(&order, &answer);
    const struct record *check = answer_find(&answer, RECORD_CHECK, 0);
    assert_non_null(check);
    assert_int_equal(check->check.outcome, OUTCOME_UNSUPPORTED);
    assert_true(check->check.message[0] != 0);
    assert_null(answer_find(&answer, RECORD_SAMPLES, 0));
    assert_null(answer_find(&answer, RECORD_CASE_STATE, 0));
    assert_non_null(answer_find(&answer, RECORD_BYE, 0));
    answer_fini(&answer);
}

static int find_any(const char *callable, struct assay_message *message) {
    (void)callable, (void)message;
    return ASSAY_OK;
}

// A Python function names no operator. Where the order has no cases the side does, whichever operator is the
// first of the table.
static void test_python_description_has_the_operator_of_its_side(void **state) {
    (void)state;
    static const struct python_callbacks callbacks = {.find = find_any};
    struct work_order order = {.kind = WORK_DESCRIBE, .device = "cpu", .side_count = 1};
    order.sampling = sampling_default();
    order.sides[0] = (struct work_side){.label = "p", .python = "module:function", .op = "scale"};
    struct strbuf text = {0};
    work_order_write(&order, &text);
    FILE *in = tmpfile(), *out = tmpfile();
    assert_int_equal(fwrite(text.text, 1, text.length, in), text.length);
    rewind(in);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fileno(in), STDIN_FILENO);
        dup2(fileno(out), WORK_RECORD_FD);
        python_kernel_set_callbacks(&callbacks);
        _exit(work_main());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char records[8192] = "";
    rewind(out);
    assert_true(fread(records, 1, sizeof records - 1, out) > 0);
    assert_non_null(strstr(records, "\"scale\""));
    assert_null(strstr(records, "\"attention\""));
    fclose(in);
    fclose(out);
    strbuf_fini(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_orders),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_reference_shows_progress),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_sets),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_python_description_has_the_operator_of_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
