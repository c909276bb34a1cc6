// SPDX-License-Identifier: Apache-2.0
//
// Every kind of record, and a work order, read back as they were written; anything else is refused with a
// sentence; all names parse back.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/decision.h"
#include "record/record.h"
#include "record/result.h"
#include "record/work_order.h"

static void round_trip(const struct record *record, struct arena *arena, struct record *ret) {
    struct strbuf line = {0}, again = {0};
    struct err err = {0};
    record_write(record, &line);
    assert_ptr_equal(strchr(line.text, '\n'), line.text + line.length - 1);
    if (record_parse(line.text, line.length, arena, ret, &err) < 0) fail_msg("%s: %s", line.text, err.text);
    record_write(ret, &again);
    assert_string_equal(line.text, again.text);
    strbuf_fini(&line);
    strbuf_fini(&again);
}

static void test_records(void **state) {
    (void)state;
    struct arena arena = {0};
    struct record got;
    struct kernel_description kernel = {.name = "k", .op = "attention", .backend = "cpu", .abi_version = 1};
    kernel.param_count = 1;
    kernel.params[0] =
        (struct kernel_param){.name = "BLOCK_M", .value = 64, .value_count = 2, .values = {32, 64}};
    struct device_description device = {
        .backend = "cpu", .device = "cpu", .is_available = true, .isa = "avx2"};
    device.state = device_state_unknown();
    device.driver = "580.159.04";
    device.gpu = (struct gpu_facts){.sm_count = 132, .power_limit_w = 700, .mig = GPU_MODE_OFF};
    struct sample samples[2] = {
        {.start_ns = 1, .duration_ns = 2, .launches = 3, .clock_hz = 1e9},
        {.start_ns = 4, .duration_ns = INT64_MAX, .launches = 6, .clock_hz = NAN, .kernel_clock_hz = 1.65e9}};
    for (int kind = 1; kind < RECORD_KIND_COUNT; ++kind) {
        struct record record = {
            .kind = (enum record_kind)kind, .phase = PHASE_ROUND, .round = 3, .attempt = 1};
        record.time_ns = UINT64_MAX;
        record.is_valid = kind != RECORD_CASE_STATE;
        record.invalid_cause = INVALID_CAUSE_THROTTLED;
        record.text = "t";
        record.locked_clock_mhz = 1500;
        record.draws_key = "0123abcd";
        record.environment = environment_unknown();
        record.environment.host = "h";
        record.state = device_state_unknown();
        record.state.temperature_c = -4;
        record.check = (struct check_result){
            .outcome = OUTCOME_FAIL, .finding = FINDING_STALE, .message = "x", .note = "1.2, algorithm 3"};
        record.samples = (struct samples){.count = 2, .items = samples, .call_wall_ns = 21300.5};
        record.kernel = &kernel;
        record.device = &device;
        record.ceiling = (struct ceiling){.name = "copy_gb_per_s", .value = 10.5};
        record.audit = (struct audit_result){.mutant = "zeros",
                                             .output = "out",
                                             .verdict = AUDIT_DETECTED,
                                             .rule = AUDIT_RULE_TWO_X,
                                             .max_abs = 0.5,
                                             .rel_l2_max = INFINITY};
        round_trip(&record, &arena, &got);
        assert_int_equal(got.kind, kind);
        assert_true(got.time_ns == UINT64_MAX);
        assert_int_equal(got.locked_clock_mhz, kind == RECORD_LOCK ? 1500 : 0);
        if (kind == RECORD_BYE)
            assert_string_equal(got.draws_key, "0123abcd");
        else
            assert_null(got.draws_key);
        if (kind == RECORD_DEVICE) {
            assert_string_equal(got.device->driver, "580.159.04");
            assert_int_equal(got.device->gpu.sm_count, 132);
            assert_int_equal(got.device->gpu.mig, GPU_MODE_OFF);
        }
        if (kind == RECORD_SAMPLES) {
            assert_true(isnan(got.samples.items[1].clock_hz));
            assert_true(isnan(got.samples.items[0].kernel_clock_hz));
            assert_true(got.samples.items[1].kernel_clock_hz == 1.65e9);
            assert_true(got.samples.call_wall_ns == 21300.5);
        }
        if (kind == RECORD_CHECK) assert_int_equal(got.check.finding, FINDING_STALE);
        if (kind == RECORD_CHECK) assert_string_equal(got.check.note, "1.2, algorithm 3");
        const bool has_cause = kind == RECORD_CASE_STATE || kind == RECORD_CHECK;
        assert_int_equal(got.invalid_cause, has_cause ? INVALID_CAUSE_THROTTLED : INVALID_CAUSE_NONE);
        if (kind == RECORD_AUDIT) {
            assert_int_equal(got.audit.verdict, AUDIT_DETECTED);
            assert_int_equal(got.audit.rule, AUDIT_RULE_TWO_X);
            assert_true(got.audit.max_abs == 0.5 && isnan(got.audit.rel_l2_max) && !got.audit.detected_by);
        }
        if (kind == RECORD_KERNEL) assert_int_equal(got.kernel->params[0].values[1], 64);
    }
    struct record all = {.kind = RECORD_CASE, .phase = PHASE_CHECK, .side = RECORD_SIDE_ALL};
    all.own_bytes = 70000000000;
    round_trip(&all, &arena, &got);
    assert_true(got.side == RECORD_SIDE_ALL && got.own_bytes == all.own_bytes);
    arena_fini(&arena);
}

static void test_bad_lines(void **state) {
    (void)state;
    static const char *const lines[] = {
        "",
        "x",
        "[1]",
        "{}",
        "{\"schema\":2,\"kind\":\"bye\"}",
        "{\"schema\":1,\"kind\":\"dance\"}",
        "{\"schema\":1,\"kind\":\"bye\",\"phase\":\"lunch\"}",
        "{\"schema\":1,\"kind\":\"bye\",\"round\":-1}",
        "{\"schema\":1,\"kind\":\"bye\",\"round\":4294967296}",
        "{\"schema\":1,\"kind\":\"check\",\"case\":1}",
        "{\"schema\":1,\"kind\":\"check\",\"case\":1,\"side\":0,\"check\":{\"outcome\":\"MAYBE\"}}",
        ("{\"schema\":1,\"kind\":\"check\",\"case\":1,\"side\":0,\"check\":{\"outcome\":\"OK\",\"tensors\":[{"
         "}"
         ",{},{},{},{}]}}"),
        "{\"schema\":1,\"kind\":\"samples\",\"case\":1,\"side\":0,\"samples\":{\"duration_ns\":[0]}}",
        "{\"schema\":1,\"kind\":\"audit\",\"case\":1,\"audit\":{\"wrong_result\":\"zeros\",\"output\":"
        "\"out\"}}",
        ("{\"schema\":1,\"kind\":\"audit\",\"case\":1,\"audit\":{\"wrong_result\":\"zeros\",\"output\":"
         "\"out\","
         "\"verdict\":\"maybe\"}}"),
        "{\"schema\":1,\"kind\":\"case_state\",\"case\":1,\"state\":{}}",
        "{\"schema\":1,\"kind\":\"case_state\",\"case\":1,\"is_valid\":true,\"state\":{\"power_w\":-1}}",
        "{\"schema\":1,\"kind\":\"case_state\",\"case\":1,\"is_valid\":false,\"invalid_cause\":\"moon\","
        "\"state\":{}}",
        "{\"schema\":1,\"kind\":\"ceiling\",\"ceiling\":{\"name\":\"x\",\"value\":0}}",
        "{\"schema\":1,\"kind\":\"kernel\"}",
        "{\"schema\":1,\"schema\":1,\"kind\":\"bye\"}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        struct arena arena = {0};
        struct record record;
        struct err err = {0};
        if (record_parse(lines[i], strlen(lines[i]), &arena, &record, &err) != -ERR_DATA)
            fail_msg("%s", lines[i]);
        assert_true(err.text[0] != 0);
        arena_fini(&arena);
    }
}

static void test_work_order(void **state) {
    (void)state;
    struct arena arena = {0};
    struct strbuf text = {0}, again = {0};
    struct err err = {0};
    struct work_case item = {.index = 7,
                             .distribution = "normal",
                             .memory_layout = MEMORY_LAYOUT_PADDED,
                             .seed = 1,
                             .side_mask = 3};
    if (problem_parse(&operators_compiled, "attention/fp32/b1/h1/s64/d64", &item.problem, &err) < 0)
        fail_msg("%s", err.text);
    struct work_order order = {
        .kind = WORK_ROUND, .device = "cpu", .round = 2, .seed = UINT64_MAX, .side_count = 2};
    order.sides[0].module_path = "a.so";
    order.sides[1].kernel_name = "naive";
    order.cases = &item;
    order.case_count = 1;
    order.sampling = sampling_default();
    order.sampling.until_pct = 0.5;
    order.sampling.locked_clock_mhz = 1500;
    order.sampling.metric = METRIC_INSTRUCTIONS;
    order.launch_count = 4;
    order.lock_clocks = "base";
    struct work_order got;
    work_order_write(&order, &text);
    if (work_order_parse(text.text, text.length, &arena, &got, &err) < 0) fail_msg("%s", err.text);
    work_order_write(&got, &again);
    assert_string_equal(text.text, again.text);
    assert_true(got.seed == UINT64_MAX);
    assert_int_equal(got.sampling.locked_clock_mhz, 1500);
    assert_int_equal(got.sampling.metric, METRIC_INSTRUCTIONS);
    assert_int_equal(got.launch_count, 4);
    assert_string_equal(got.lock_clocks, "base");
    assert_string_equal(got.cases[0].problem.name, item.problem.name);
    char *mask = strstr(text.text, "\"side_mask\":3");
    assert_non_null(mask);
    mask[12] = '4'; // a third side
    assert_int_equal(work_order_parse(text.text, text.length, &arena, &got, &err), -ERR_DATA);
    assert_int_equal(work_order_parse(text.text, text.length / 2, &arena, &got, &err), -ERR_DATA);
    strbuf_fini(&text);
    strbuf_fini(&again);
    arena_fini(&arena);
}

// Every name parses back to its value, and no other text does.
#define CHECK_NAMES(type, prefix, count, first, unknown)                                                     \
    for (int i = (first); i < (count); ++i)                                                                  \
        assert_int_equal(prefix##_parse(prefix##_name((enum type)i)), i);                                    \
    assert_int_equal(prefix##_parse("nonsense"), (unknown));                                                 \
    assert_int_equal(prefix##_parse(NULL), (unknown));                                                       \
    assert_non_null(prefix##_name((enum type)99))

static void test_names(void **state) {
    (void)state;
    CHECK_NAMES(outcome, outcome, OUTCOME_COUNT, 0, OUTCOME_NONE);
    CHECK_NAMES(finding, finding, FINDING_COUNT, 0, FINDING_NONE);
    CHECK_NAMES(discard, discard, DISCARD_COUNT, 0, DISCARD_COUNT);
    CHECK_NAMES(work_kind, work_kind, WORK_KIND_COUNT, 1, WORK_INVALID);
    CHECK_NAMES(cache_mode, cache_mode, CACHE_COUNT, 1, CACHE_INVALID);
    CHECK_NAMES(power_mode, power_mode, POWER_MODE_COUNT, 1, POWER_MODE_INVALID);
    CHECK_NAMES(record_kind, record_kind, RECORD_KIND_COUNT, 1, RECORD_INVALID);
    CHECK_NAMES(phase, phase, PHASE_COUNT, 1, PHASE_NONE);
    CHECK_NAMES(side_role, side_role, SIDE_COUNT, 1, SIDE_INVALID);
    CHECK_NAMES(verdict, verdict, VERDICT_COUNT, 0, VERDICT_NONE);
    CHECK_NAMES(reason, reason, REASON_COUNT, 0, REASON_NONE);
    CHECK_NAMES(invalid_cause, invalid_cause, INVALID_CAUSE_COUNT, 0, INVALID_CAUSE_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_work_order),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
