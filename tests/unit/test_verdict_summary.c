// SPDX-License-Identifier: Apache-2.0
//
// Figures of one problem from its raw samples; every warning at its limit and not below.
#include "base/strbuf.h"
#include "report/result/case_lines.h"
#include "unit/made_result.h"
#include "verdict/summary.h"

#define S512 "attention/fp32/b2/h8/s512/d64"

static struct result_case *made_one(struct result *result, size_t count, double centre_ns, double width) {
    made_init(result);
    struct result_case *item = made_case_add(result, "s512", S512);
    struct result_round *round = made_round_add(result, item, centre_ns, centre_ns);
    round->samples[0] = made_samples(result, count, centre_ns, width);
    round->samples[1] = made_samples(result, count, centre_ns, width);
    round->state = device_state_unknown();
    return item;
}

static struct summary take(const struct result *result, uint32_t side) {
    struct summary summary;
    assert_int_equal(summary_get(result, &result->cases[0], side, &summary), 0);
    return summary;
}

static void only_the_interval_is_left_out(void **state) {
    (void)state;
    struct result result;
    struct summary brief;
    made_one(&result, 100, 1e6, 0.02);
    struct summary whole = take(&result, 1);
    assert_int_equal(summary_describe(&result, &result.cases[0], 1, &brief), 0);
    assert_true(isnan(brief.figures.median_low_ns) && isnan(brief.figures.median_high_ns));
    assert_true(whole.figures.median_low_ns < whole.figures.median_high_ns);
    assert_true(brief.figures.is_set && brief.figures.median_ns == whole.figures.median_ns);
    assert_true(brief.figures.gb_per_s == whole.figures.gb_per_s);
    assert_true(brief.describe.drift_p == whole.describe.drift_p);
    assert_true(brief.considered_count == whole.considered_count && brief.considered_count > 0);
    result_fini(&result);
}

static size_t count_warnings(struct result *result, const char *part) {
    struct warning_list list;
    size_t count = 0;
    assert_int_equal(warnings_get(result, &result->arena, &list), 0);
    for (size_t i = 0; i < list.count; ++i) count += strstr(list.texts[i], part) != NULL;
    return count;
}

static void figures_come_from_the_samples(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 101, 1e6, 0.02);
    struct summary summary = take(&result, 0);
    const struct case_summary *figures = &summary.figures;
    assert_true(figures->is_set);
    assert_int_equal(figures->sample_count, 101);
    assert_true(figures->median_ns == 1e6 && figures->p50_ns == 1e6);
    assert_true(figures->median_low_ns < 1e6 && figures->median_high_ns > 1e6);
    assert_true(fabs(figures->mean_ns - 1e6) < 1);
    assert_true(figures->p95_ns > figures->p50_ns && figures->p99_ns > figures->p95_ns);
    assert_true(figures->gflop_per_s == problem_flops(&item->problem) / 1e6);
    assert_true(figures->gb_per_s == problem_bytes(&item->problem) / 1e6);
    assert_true(figures->flop_per_byte == problem_flops(&item->problem) / problem_bytes(&item->problem));
    // Four fp32 tensors of b2 h8 s512 d64 and the workspace.
    assert_true(figures->peak_memory_bytes == 4.0 * 2 * 8 * 512 * 64 * 4 + 65536);
    assert_true(isnan(figures->ceiling_pct)); // none measured
    assert_false(summary.is_over_ceiling);
    result_fini(&result);
}

static void launches_divide(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 21, 1e6, 0);
    for (size_t i = 0; i < 21; ++i) item->rounds[0].samples[0].items[i].launches = 4;
    assert_true(take(&result, 0).figures.median_ns == 0.25e6);
    result_fini(&result);
}

static void discarded_and_invalid_samples_do_not_count(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 40, 1e6, 0.01);
    struct samples *samples = &item->rounds[0].samples[0];
    samples->items[0].discard = DISCARD_FIRST_PAIR;
    samples->items[1].discard = DISCARD_AUDIT;
    samples->items[2].discard = DISCARD_STEAL;
    samples->items[2].duration_ns = 900000000;
    struct summary summary = take(&result, 0);
    assert_int_equal(summary.figures.sample_count, 37);
    assert_int_equal(summary.figures.discarded_count, 1); // first pairs and audits are no loss
    assert_int_equal(summary.considered_count, 38);
    assert_true(summary.describe.max < 2e6);
    assert_int_equal(count_warnings(&result, "discarded"), 0); // 2.6 %
    samples->items[3].discard = DISCARD_PREEMPTED;
    assert_int_equal(count_warnings(&result, "discarded"), 1); // 5.3 %
    item->rounds[0].is_valid = false;
    item->rounds[0].invalid_reason = "busy";
    assert_false(take(&result, 0).figures.is_set);
    assert_int_equal(count_warnings(&result, "no valid measurement: busy"), 2);
    result_fini(&result);
}

static void what_fails_its_check_has_no_time(void **state) {
    (void)state;
    struct result result;
    made_one(&result, 40, 1e6, 0.01)->checks[1].outcome = OUTCOME_FAIL;
    assert_true(take(&result, 0).figures.is_set);
    struct summary summary = take(&result, 1);
    assert_false(summary.figures.is_set);
    assert_true(isnan(summary.figures.median_ns));
    result_fini(&result);
}

static void ceilings_are_checked_where_they_are_known(void **state) {
    (void)state;
    struct result result;
    made_one(&result, 40, 1e6, 0.01);
    double gflop = take(&result, 0).figures.gflop_per_s, gb = take(&result, 0).figures.gb_per_s;
    result.environment.ceiling_gflop_per_s = 2 * gflop;
    assert_true(fabs(take(&result, 0).figures.ceiling_pct - 50) < 1e-9);
    result.environment.ceiling_gb_per_s = gb / 1.5; // rotating sets may lie in a processor's third level
    assert_true(fabs(take(&result, 0).figures.ceiling_pct - 50) < 1e-9);
    assert_false(take(&result, 0).is_over_ceiling);
    result.environment.cache_mode = "cold";
    result.environment.ceiling_gb_per_s = gb / 0.8; // nearer to its memory ceiling
    assert_true(fabs(take(&result, 0).figures.ceiling_pct - 80) < 1e-9);
    result.environment.ceiling_gb_per_s = gb / 1.019;
    assert_false(take(&result, 0).is_over_ceiling);
    result.environment.ceiling_gb_per_s = gb / 1.021;
    assert_true(take(&result, 0).is_over_ceiling);
    assert_int_equal(count_warnings(&result, "not valid"), 2);
    result.environment.cache_mode = "warm";
    assert_false(take(&result, 0).is_over_ceiling);
    result_fini(&result);
}

// Of all samples from the given one on.
static void set_clock(struct samples *samples, size_t begin, double ratio) {
    for (size_t i = begin; i < samples->count; ++i) samples->items[i].clock_hz = ratio * MADE_GHZ;
}

static void warnings_begin_at_their_limits(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 41, 1e6, 0.30);
    struct device_state *device = &item->rounds[0].state;
    assert_int_equal(count_warnings(&result, ""), 0);
    const double of_1_pct = 0.30 / take(&result, 0).figures.cv_pct;
    item->rounds[0].samples[0] = made_samples(&result, 41, 1e6, 11.95 * of_1_pct);
    assert_int_equal(count_warnings(&result, "vary"), 0);
    item->rounds[0].samples[0] = made_samples(&result, 41, 1e6, 12.05 * of_1_pct);
    assert_int_equal(count_warnings(&result, "vary"), 1);
    device->temperature_c = 80;
    assert_int_equal(count_warnings(&result, "80 C"), 0);
    device->temperature_c = 81;
    assert_int_equal(count_warnings(&result, "81 C"), 1); // once, not of every side
    strcpy(device->throttle, "none");
    assert_int_equal(count_warnings(&result, "throttled"), 0);
    strcpy(device->throttle, "sw_power_cap,application_clocks");
    assert_int_equal(count_warnings(&result, "1 of 1 problems: sw_power_cap,application_clocks"), 1);
    strcpy(device->throttle, "something_new");
    assert_int_equal(count_warnings(&result, "something_new"), 1);
    strcpy(device->throttle, "none");
    assert_int_equal(count_warnings(&result, "limited"), 0);
    struct samples *samples = &item->rounds[0].samples[1];
    set_clock(samples, 0, 0.9971); // 0.29 % slower
    assert_int_equal(count_warnings(&result, "different clocks"), 0);
    set_clock(samples, 0, 0.9969);
    assert_int_equal(count_warnings(&result, "different clocks: tiled 2500 MHz, simd 2492 MHz"), 1);
    set_clock(samples, 20, 0.9969 / 1.0099);
    assert_int_equal(count_warnings(&result, "clock drifted"), 0);
    set_clock(samples, 20, 0.9969 / 1.0101);
    assert_int_equal(count_warnings(&result, "clock drifted"), 1);
    for (size_t i = 0; i < 41; ++i) samples->items[i].duration_ns = 1000000 + 1000 * i;
    assert_int_equal(count_warnings(&result, "drift upwards"), 1);
    *samples = made_samples(&result, 1000, 1e6, 0.01);
    for (size_t i = 0; i < 50; ++i) samples->items[i].discard = DISCARD_PREEMPTED;
    assert_int_equal(count_warnings(&result, "were discarded"), 0);
    samples->items[50].discard = DISCARD_PREEMPTED;
    assert_int_equal(count_warnings(&result, "51 of 1000 samples were discarded"), 1);
    result_fini(&result);
}

static void a_busy_machine_is_one_sentence(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 40, 1e6, 0.01);
    item->rounds[0].state.others_pct = 1;
    item->rounds[0].state.steal_pct = 0.95;
    assert_int_equal(count_warnings(&result, "busy"), 0);
    item->rounds[0].state.steal_pct = 1.05;
    assert_int_equal(count_warnings(&result, "busy"), 1);
    item->rounds[0].state.steal_pct = 1.5;
    assert_int_equal(count_warnings(&result, "the machine was busy in 1 of 1 measurements"), 1);
    assert_int_equal(count_warnings(&result, "hypervisor up to 1.5 %"), 1);
    assert_int_equal(count_warnings(&result, "did not count"), 0);
    item->rounds[0].state.other_process_count = 2;
    assert_int_equal(count_warnings(&result, "up to 2 other processes used the device"), 1);
    result_fini(&result);
}

static void invalid_measurements_are_counted_by_cause(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 40, 1e6, 0.01);
    for (uint32_t attempt = 1; attempt < 4; ++attempt) {
        struct result_round *round = result_case_add_round(&result, item, 0, attempt);
        round->has_state = true;
        for (size_t side = 0; side < 2; ++side) round->samples[side] = made_samples(&result, 21, 1e6, 0.01);
        round->invalid_reason = "unfit";
    }
    strcpy(item->rounds[1].state.throttle, "sw_power_cap,hw_thermal_slowdown");
    for (size_t i = 0; i < 21; ++i) item->rounds[2].samples[1].items[i].clock_hz = 0.98 * MADE_GHZ;
    strcpy(item->rounds[3].state.throttle, "sw_power_cap"); // a power cap alone is not what made it invalid
    assert_int_equal(
        count_warnings(&result,
                       "3 of 4 measurements did not count (1 throttled, 1 clocks apart, 1 busy machine)"),
        1);
    // What the file says stands before what the state suggests.
    item->rounds[1].invalid_cause = INVALID_CAUSE_TOO_FEW_SAMPLES;
    item->rounds[2].invalid_cause = INVALID_CAUSE_OTHER_PROCESS;
    item->rounds[3].invalid_cause = INVALID_CAUSE_WORKER_DIED;
    assert_int_equal(
        count_warnings(
            &result, "3 of 4 measurements did not count (1 too few samples, 1 busy machine, 1 not measured)"),
        1);
    result_fini(&result);
}

static void what_the_decision_says_is_not_said_again(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 40, 1e6, 0.01);
    item->rounds[0].is_valid = false;
    item->rounds[0].invalid_reason = "busy";
    struct decision_case decided = {
        .name = S512, .verdict = VERDICT_UNDECIDABLE, .sentence = "too few rounds"};
    struct decision decision = {.case_count = 1, .cases = &decided};
    result.decision = &decision;
    assert_int_equal(count_warnings(&result, "no valid measurement"), 2);
    decided.verdict = VERDICT_NOT_VALID;
    assert_int_equal(count_warnings(&result, "no valid measurement"), 0);
    result_fini(&result);
}

static void summaries_go_into_the_document(void **state) {
    (void)state;
    struct result result;
    struct strbuf text = {0};
    made_one(&result, 40, 1e6, 0.01);
    assert_int_equal(summary_set_all(&result), 0);
    assert_true(result.cases[0].summaries[1].is_set);
    result_write(&result, &text);
    assert_non_null(strstr(strbuf_text(&text), "\"median_low_ns\""));
    strbuf_fini(&text);
    result_fini(&result);
}

static void a_lock_that_does_not_hold_is_said(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 41, 1e6, 0.02);
    result.sampling.locked_clock_mhz = 2500;
    assert_int_equal(count_warnings(&result, "to be held"), 0);
    for (size_t i = 0; i < 41; ++i) item->rounds[0].samples[0].items[i].clock_hz = 2.42e9;
    assert_int_equal(count_warnings(&result, "to be held at 2500 MHz, but 2420 MHz were seen"), 1);
    result.sampling.locked_clock_mhz = 0;
    assert_int_equal(count_warnings(&result, "to be held"), 0);
    result_fini(&result);
}

static void a_gpu_says_its_clock_and_its_calls(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 41, 1e6, 0.02);
    assert_true(isnan(take(&result, 0).figures.kernel_clock_hz));
    assert_true(isnan(take(&result, 0).figures.call_wall_ns));
    struct result_round *bad = made_round_add(&result, item, 1e6, 1e6);
    bad->is_valid = false;
    bad->samples[0].call_wall_ns = 1;
    for (size_t i = 0; i < 21; ++i) bad->samples[0].items[i].kernel_clock_hz = 1e9;
    struct samples *samples = &item->rounds[0].samples[0];
    samples->call_wall_ns = 21300;
    for (size_t i = 0; i < 41; ++i) samples->items[i].kernel_clock_hz = i < 11 ? 1.5e9 : 1.65e9;
    samples->items[0].discard = DISCARD_FIRST_PAIR;
    samples->items[20].kernel_clock_hz = NAN;
    item->rounds[0].samples[1].items[3].kernel_clock_hz = 1.785e9; // a side's own
    struct summary summary = take(&result, 0);
    assert_true(summary.figures.kernel_clock_hz == 1.65e9);
    assert_true(summary.figures.call_wall_ns == 21300);
    assert_true(take(&result, 1).figures.kernel_clock_hz == 1.785e9);
    assert_false(summary_has_call(&result, &summary)); // on a processor it is the time of a launch
    result.environment.is_accelerator = true;
    assert_true(summary_has_call(&result, &summary));
    summary.figures.call_wall_ns = NAN;
    assert_false(summary_has_call(&result, &summary));
    assert_int_equal(count_warnings(&result, "different clocks"), 0); // of the kernels: no guard
    result_fini(&result);
}

static void a_gpu_has_a_third_line(void **state) {
    (void)state;
    struct result result;
    struct result_case *item = made_one(&result, 41, 1e6, 0.02);
    item->rounds[0].samples[0].call_wall_ns = 21300;
    item->rounds[0].samples[0].items[1].kernel_clock_hz = 1.65e9;
    item->rounds[0].state.clock_hz = 1.98e9;
    const struct case_line line = {.result = &result, .item = item};
    struct summary summary = take(&result, 0);
    struct strbuf text = {0};
    case_line_bench(&line, &summary, &text);
    assert_non_null(strstr(strbuf_text(&text), "1650 MHz SM"));
    assert_null(strstr(strbuf_text(&text), "1980"));
    assert_null(strstr(strbuf_text(&text), "single call"));
    strbuf_fini(&text);
    result.environment.is_accelerator = true;
    case_line_bench(&line, &summary, &text);
    assert_non_null(strstr(strbuf_text(&text), "\nsingle call 21.3 us (wall)\n"));
    strbuf_fini(&text);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_from_the_samples),
        cmocka_unit_test(only_the_interval_is_left_out),
        cmocka_unit_test(launches_divide),
        cmocka_unit_test(discarded_and_invalid_samples_do_not_count),
        cmocka_unit_test(what_fails_its_check_has_no_time),
        cmocka_unit_test(ceilings_are_checked_where_they_are_known),
        cmocka_unit_test(warnings_begin_at_their_limits),
        cmocka_unit_test(a_busy_machine_is_one_sentence),
        cmocka_unit_test(invalid_measurements_are_counted_by_cause),
        cmocka_unit_test(what_the_decision_says_is_not_said_again),
        cmocka_unit_test(summaries_go_into_the_document),
        cmocka_unit_test(a_lock_that_does_not_hold_is_said),
        cmocka_unit_test(a_gpu_says_its_clock_and_its_calls),
        cmocka_unit_test(a_gpu_has_a_third_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
