// SPDX-License-Identifier: Apache-2.0
//
// The classic rule on two results: which problems meet, which guards refuse, what lifts them.
#include "base/strbuf.h"
#include "unit/made_result.h"
#include "verdict/classic/classic.h"
#include "verdict/gate_rule.h"

#define S512 "attention/fp32/b2/h8/s512/d64"

// One kernel, one problem, one round of 40 samples around centre_ns.
static void made_file(struct result *result, double centre_ns) {
    made_init(result);
    result->side_count = 1;
    result->sides[0] = result->sides[1];
    struct result_case *item = made_case_add(result, "s512", S512);
    struct result_round *round = made_round_add(result, item, centre_ns, centre_ns);
    round->samples[0] = made_samples(result, 40, centre_ns, 0.01);
    round->samples[1].count = 0;
}

static struct decision compare(struct result *base, struct result *cand,
                               const struct classic_options *options) {
    struct decision decision;
    struct err err = {0};
    struct gate_options gate = {.kind = GATE_COMPARE};
    struct classic_side a = {base, 0}, b = {cand, 0};
    if (verdict_classic(a, b, options, &cand->arena, &decision, &err) < 0) fail_msg("%s", err.text);
    if (gate_rule_apply(&gate, &(struct gate_events){0}, &cand->arena, &decision, &err) < 0)
        fail_msg("%s", err.text);
    return decision;
}

static bool has_note(const struct decision *decision, const char *part) {
    for (size_t i = 0; i < decision->note_count; ++i)
        if (strstr(decision->notes[i], part)) return true;
    return false;
}

static void a_slower_file_is_a_regression(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1.1e6);
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.verdict, VERDICT_REGRESSION);
    assert_int_equal(decision.exit_code, 1);
    assert_true(decision.cases[0].change_pct > 9);
    assert_true(decision.geomean_speedup < 1);
    decision = compare(&cand, &base, &options); // the other way round it is 9.1 % faster: in the band
    assert_int_equal(decision.verdict, VERDICT_MAINTAINED);
    assert_int_equal(decision.exit_code, 0);
    assert_true(has_note(&decision, "no measured ceiling"));
    result_fini(&base);
    result_fini(&cand);
}

struct fingerprint_case {
    size_t offset;
    enum reason reason;
    const char *allow;
};

static void each_fingerprint_refuses_and_is_lifted(void **state) {
    (void)state;
    static const struct fingerprint_case all[] = {
        {offsetof(struct environment, device_uuid), REASON_DIFFERENT_DEVICE, "device"},
        {offsetof(struct environment, driver), REASON_DIFFERENT_DEVICE, "driver"},
        {offsetof(struct environment, clock_policy), REASON_DIFFERENT_SETTINGS, "clock_policy"},
        {offsetof(struct environment, power_mode), REASON_DIFFERENT_SETTINGS, "power_mode"},
        {offsetof(struct environment, cache_mode), REASON_DIFFERENT_SETTINGS, "cache_mode"},
    };
    static const char *const values[] = {"other", NULL}; // another one, and one that is not recorded
    for (size_t i = 0; i < 2 * sizeof all / sizeof *all; ++i) {
        struct result base, cand;
        struct err err = {0};
        struct classic_options options = classic_options_default();
        made_file(&base, 1e6);
        made_file(&cand, 1.1e6);
        const char **member = (const char **)(void *)((char *)&cand.environment + all[i / 2].offset);
        *member = values[i % 2];
        struct decision decision = compare(&base, &cand, &options);
        assert_int_equal(decision.exit_code, 3);
        assert_int_equal(decision.cases[0].reason, all[i / 2].reason);
        assert_int_equal(decision.cases[0].unguarded_verdict, VERDICT_REGRESSION);
        assert_int_equal(classic_allow_parse(all[i / 2].allow, &options.allowed, &err), 0);
        decision = compare(&base, &cand, &options);
        assert_int_equal(decision.exit_code, 1);
        assert_true(has_note(&decision, "let through"));
        options = classic_options_default();
        options.has_guards = false;
        decision = compare(&base, &cand, &options);
        assert_int_equal(decision.exit_code, 1);
        assert_non_null(decision.cases[0].guard); // printed beside
        result_fini(&base);
        result_fini(&cand);
    }
}

// What a result calls its driver is the operating system's kernel where it runs on a processor.
static void a_processors_driver_is_a_kernel(void **state) {
    (void)state;
    static const char *const drivers[][2] = {{"Linux 6.1", "kernel of the system: baseline Linux 6.0"},
                                             {"580.1", "driver: baseline 570.2"}};
    for (size_t i = 0; i < 2; ++i) {
        struct result base, cand;
        const struct classic_options options = classic_options_default();
        made_file(&base, 1e6);
        made_file(&cand, 1e6);
        base.environment.driver = i ? "570.2" : "Linux 6.0";
        cand.environment.driver = drivers[i][0];
        struct decision decision = compare(&base, &cand, &options);
        assert_non_null(strstr(decision.cases[0].guard, drivers[i][1]));
        result_fini(&base);
        result_fini(&cand);
    }
}

// A GPU's result has no number of threads: that is no difference. A file that lost it still is one.
static void gpus_record_no_threads(void **state) {
    (void)state;
    for (int accelerators = 0; accelerators <= 2; ++accelerators) {
        struct result base, cand;
        const struct classic_options options = classic_options_default();
        made_file(&base, 1e6);
        made_file(&cand, 1.1e6);
        base.environment.thread_count = cand.environment.thread_count = 0;
        base.environment.is_accelerator = accelerators > 0;
        cand.environment.is_accelerator = accelerators > 1;
        struct decision decision = compare(&base, &cand, &options);
        assert_int_equal(decision.exit_code, accelerators == 2 ? 1 : 3);
        result_fini(&base);
        result_fini(&cand);
    }
}

static void another_metric_refuses_and_is_not_lifted(void **state) {
    (void)state;
    struct result base, cand;
    struct err err = {0};
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    cand.environment.metric = "call_time";
    options.allowed = UINT32_MAX;
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.exit_code, 3);
    assert_int_equal(decision.cases[0].reason, REASON_DIFFERENT_SETTINGS);
    assert_string_equal(decision.cases[0].guard,
                        "not comparable, another metric: baseline time, candidate call_time");
    base.environment.metric = "call_time";
    decision = compare(&base, &cand, &options);
    assert_int_not_equal(decision.exit_code, 3);
    assert_true(classic_allow_parse("metric", &options.allowed, &err) < 0);
    result_fini(&base);
    result_fini(&cand);
}

static void another_number_of_threads_refuses_and_is_lifted(void **state) {
    (void)state;
    for (int64_t count = 0; count <= 1; ++count) { // not recorded, and another one
        struct result base, cand;
        struct err err = {0};
        struct classic_options options = classic_options_default();
        made_file(&base, 1e6);
        made_file(&cand, 1.1e6);
        cand.environment.thread_count = count;
        struct decision decision = compare(&base, &cand, &options);
        assert_int_equal(decision.exit_code, 3);
        assert_int_equal(decision.cases[0].reason, REASON_DIFFERENT_SETTINGS);
        assert_non_null(strstr(decision.cases[0].guard, "number of threads: baseline 2"));
        assert_int_equal(classic_allow_parse("driver,threads", &options.allowed, &err), 0);
        assert_int_equal(compare(&base, &cand, &options).exit_code, 1);
        result_fini(&base);
        result_fini(&cand);
    }
}

static void throttling_and_clocks_refuse(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    struct samples *samples = &cand.cases[0].rounds[0].samples[0];
    for (size_t i = 0; i < samples->count; ++i) samples->items[i].clock_hz = MADE_GHZ * 1.02;
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.cases[0].reason, REASON_CLOCKS_APART);
    base.environment.power_mode = cand.environment.power_mode = "sustained"; // clocks follow from the kernels
    assert_int_not_equal(compare(&base, &cand, &options).cases[0].reason, REASON_CLOCKS_APART);
    base.environment.power_mode = cand.environment.power_mode = "cool";
    for (size_t i = 0; i < samples->count; ++i) samples->items[i].clock_hz = MADE_GHZ * 1.009;
    assert_true(compare(&base, &cand, &options).cases[0].verdict != VERDICT_NOT_VALID);
    *samples = made_samples(&cand, 1000, 1e6, 0);
    for (size_t i = 0; i < 50; ++i) samples->items[i].discard = DISCARD_THROTTLED; // 5 %: allowed
    assert_true(compare(&base, &cand, &options).cases[0].verdict != VERDICT_NOT_VALID);
    samples->items[50].discard = DISCARD_THROTTLED;
    decision = compare(&base, &cand, &options);
    assert_int_equal(decision.cases[0].reason, REASON_THROTTLED);
    assert_int_equal(decision.exit_code, 3);
    result_fini(&base);
    result_fini(&cand);
}

static void a_ceiling_that_is_exceeded_refuses(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    double gb_per_s = problem_bytes(&base.cases[0].problem) / 1e6;
    base.environment.ceiling_gb_per_s = cand.environment.ceiling_gb_per_s = gb_per_s / 1.1;
    assert_true(compare(&base, &cand, &options).cases[0].verdict !=
                VERDICT_NOT_VALID); // a cache may be that fast
    base.environment.cache_mode = cand.environment.cache_mode = "warm";
    assert_true(compare(&base, &cand, &options).cases[0].verdict != VERDICT_NOT_VALID);
    base.environment.cache_mode = cand.environment.cache_mode = "cold";
    assert_int_equal(compare(&base, &cand, &options).cases[0].reason, REASON_ACCOUNTING_ERROR);
    base.environment.cache_mode = cand.environment.cache_mode = "rotate";
    base.environment.is_accelerator = cand.environment.is_accelerator =
        true; // rotates over more than its last cache
    assert_int_equal(compare(&base, &cand, &options).cases[0].reason, REASON_ACCOUNTING_ERROR);
    base.environment.is_accelerator = cand.environment.is_accelerator = false;
    options.ceiling_gflop_per_s = 1; // said on the command line
    assert_int_equal(compare(&base, &cand, &options).cases[0].reason, REASON_ACCOUNTING_ERROR);
    result_fini(&base);
    result_fini(&cand);
}

static void one_sided_problems_are_listed(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    made_round_add(&base, made_case_add(&base, "gone", "attention/fp32/b1/h8/s512/d64"), 1e6, 1e6);
    made_round_add(&cand, made_case_add(&cand, "new", "attention/fp32/b1/h8/s256/d64"), 1e6, 1e6);
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.case_count, 3);
    assert_int_equal(decision.cases[1].verdict, VERDICT_REMOVED);
    assert_string_equal(decision.cases[1].short_name, "gone");
    assert_int_equal(decision.cases[2].verdict, VERDICT_ADDED);
    assert_int_equal(decision.exit_code, 3); // what went missing is no success
    assert_int_equal(decision.verdict, VERDICT_REMOVED);
    assert_non_null(strstr(decision.sentence, "a problem was removed"));
    decision = compare(&cand, &base, &options); // the other way round one is added, the other removed
    assert_int_equal(decision.exit_code, 3);
    base.case_count = 1;
    assert_int_equal(compare(&base, &cand, &options).exit_code, 2); // what was added decides nothing
    result_fini(&base);
    result_fini(&cand);
}

static void nothing_in_common_is_not_success(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    struct err err = {0};
    assert_int_equal(
        problem_parse(&operators_compiled, "attention/fp32/b1/h8/s512/d64", &cand.cases[0].problem, &err), 0);
    // The same short name for another problem: refused as such, and let through when asked.
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.exit_code, 3);
    assert_int_equal(decision.cases[0].reason, REASON_DIFFERENT_SETTINGS);
    options.allowed = CLASSIC_ALLOW_PROBLEM;
    assert_int_equal(compare(&base, &cand, &options).exit_code, 2);
    cand.cases[0].short_name = "other";
    decision = compare(&base, &cand, &options);
    assert_int_equal(decision.exit_code, 3);
    assert_true(has_note(&decision, "no problem in common"));
    result_fini(&base);
    result_fini(&cand);
}

static void a_wrong_candidate_is_worse_than_slow(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 0.5e6);
    cand.cases[0].checks[0].outcome = OUTCOME_FAIL;
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.verdict, VERDICT_WRONG);
    assert_int_equal(decision.exit_code, 1);
    assert_true(isnan(decision.cases[0].median_cand_ns)); // what is wrong has no time
    result_fini(&base);
    result_fini(&cand);
}

static void sides_are_found_by_name(void **state) {
    (void)state;
    struct result result;
    struct err err = {0};
    uint32_t side = 99;
    made_init(&result);
    assert_int_equal(classic_side_find(&result, "tiled", &side, &err), 0);
    assert_int_equal(side, 0);
    assert_int_equal(classic_side_find(&result, NULL, &side, &err), 0); // the candidate
    assert_int_equal(side, 1);
    assert_int_equal(classic_side_find(&result, "naive", &side, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "tiled, simd"));
    result.sides[1].role = SIDE_PEER;
    assert_int_equal(classic_side_find(&result, NULL, &side, &err), -ERR_USAGE);
    result_fini(&result);
}

// Several modules name their kernels alike, and one may have the name that another has in the manifest.
static void sides_have_names_of_their_own(void **state) {
    (void)state;
    struct result result;
    struct err err = {0};
    uint32_t side = 99;
    made_init(&result);
    result.sides[0].label = result.sides[0].kernel = "tiled";
    result.sides[1].label = result.sides[1].kernel = "simd";
    result.sides[0].kernel_name = result.sides[1].kernel_name = "simd";
    assert_int_equal(classic_side_find(&result, "simd", &side, &err), 0);
    assert_int_equal(side, 1);
    result.sides[0].kernel_name = result.sides[1].kernel_name = "mine"; // of both: the candidate
    assert_int_equal(classic_side_find(&result, "mine", &side, &err), 0);
    assert_int_equal(side, 1);
    result.sides[1].role = SIDE_PEER;
    assert_int_equal(classic_side_find(&result, "mine", &side, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "2 kernels 'mine'"));
    result.sides[0].label = "simd (baseline)"; // as a gate on a revision labels them
    result.sides[1].label = "simd (candidate)";
    result.sides[0].kernel = result.sides[1].kernel = "simd";
    result.sides[1].role = SIDE_CANDIDATE;
    assert_int_equal(classic_side_find(&result, "simd", &side, &err), 0);
    assert_int_equal(side, 1);
    assert_int_equal(classic_side_find(&result, "simd (baseline)", &side, &err), 0);
    assert_int_equal(side, 0);
    result_fini(&result);
}

// Two foreign files of the same format: what they state of each benchmark.
static void made_external(struct result *result, double centre_ns) {
    made_file(result, centre_ns);
    result->external_format = "nvbench";
    result->environment.thread_count = 0;
}

static void a_external_clock_belongs_to_the_result(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_external(&base, 1e6);
    made_external(&cand, 1e6);
    struct samples *samples = &cand.cases[0].rounds[0].samples[0];
    struct decision decision = compare(&base, &cand, &options);
    assert_false(has_note(&decision, "clock under the kernel"));
    for (size_t i = 0; i < samples->count; ++i) samples->items[i].clock_hz = MADE_GHZ * 1.02;
    decision = compare(&base, &cand, &options);
    assert_true(decision.cases[0].verdict != VERDICT_NOT_VALID);
    assert_true(has_note(&decision, "clock under the kernel was"));
    for (size_t i = 0; i < samples->count; ++i) samples->items[i].clock_hz = NAN;
    decision = compare(&base, &cand, &options);
    assert_true(decision.cases[0].verdict != VERDICT_NOT_VALID);
    assert_true(has_note(&decision, "only the baseline has clocks"));
    assert_true(has_note((const struct decision[]){compare(&cand, &base, &options)},
                         "only the candidate has clocks"));
    result_fini(&base);
    result_fini(&cand);
}

static void external_threads_and_times_are_of_one_kind(void **state) {
    (void)state;
    struct result base, cand;
    struct err err = {0};
    struct classic_options options = classic_options_default();
    made_external(&base, 1e6);
    made_external(&cand, 1e6);
    assert_true(has_note((const struct decision[]){compare(&base, &cand, &options)},
                         "number of threads: not checked"));
    base.cases[0].external_thread_count = cand.cases[0].external_thread_count = 2;
    struct decision decision = compare(&base, &cand, &options);
    assert_int_equal(decision.exit_code, 2);
    assert_false(has_note(&decision, "number of threads"));
    for (int64_t count = 0; count < 2; ++count) {
        cand.cases[0].external_thread_count = count;
        decision = compare(&base, &cand, &options);
        assert_int_equal(decision.cases[0].reason, REASON_DIFFERENT_SETTINGS);
        assert_non_null(strstr(decision.cases[0].guard, "number of threads: baseline 2, candidate "));
    }
    assert_int_equal(classic_allow_parse("threads", &options.allowed, &err), 0);
    assert_int_equal(compare(&base, &cand, &options).exit_code, 2);
    base.cases[0].time_kind = "GPU times";
    assert_int_equal(compare(&base, &cand, &options).exit_code, 2); // one file says nothing
    cand.cases[0].time_kind = "CPU times";
    decision = compare(&base, &cand, &options);
    assert_int_equal(decision.exit_code, 3);
    assert_non_null(
        strstr(decision.cases[0].guard, "the baseline has GPU times and the candidate CPU times"));
    result_fini(&base);
    result_fini(&cand);
}

static void few_samples_of_both_are_said(void **state) {
    (void)state;
    struct result base, cand;
    struct classic_options options = classic_options_default();
    made_file(&base, 1e6);
    made_file(&cand, 1e6);
    cand.cases[0].rounds[0].samples[0].count = 9;
    assert_true(has_note((const struct decision[]){compare(&base, &cand, &options)},
                         "only 9 samples of the candidate; below 20"));
    base.cases[0].rounds[0].samples[0].count = 8;
    assert_true(has_note((const struct decision[]){compare(&base, &cand, &options)},
                         "only 8 samples of the baseline and 9 samples of the candidate; below 20"));
    result_fini(&base);
    result_fini(&cand);
}

// One kernel in rounds; within each, times rise by 2 % over 100 samples, so that they count as few.
static void made_baseline(struct result *result, size_t round_count, double centre_ns) {
    made_file(result, centre_ns);
    struct result_case *item = &result->cases[0];
    item->round_count = 0;
    for (size_t r = 0; r < round_count; ++r) {
        const double shift = 1 + 0.004 * ((double)(r % 5) - 2) / 2; // between processes
        struct result_round *round = made_round_add(result, item, centre_ns, centre_ns);
        round->samples[0] = made_samples(result, 100, centre_ns, 0);
        for (size_t i = 0; i < 100; ++i)
            round->samples[0].items[i].duration_ns =
                (uint64_t)(centre_ns * shift * (0.99 + 0.02 * (double)i / 99));
        round->samples[1].count = 0;
    }
}

static void rounds_of_a_baseline_decide(void **state) {
    (void)state;
    static const struct {
        size_t rounds;
        double now_ns;
        int exit_code;
        bool is_told;
    } all[] = {
        {REPRODUCED_ROUNDS, 1.004e6, 0, false},       // the intervals of round medians overlap
        {REPRODUCED_ROUNDS, 1.06e6, 1, false},        // 6 % slower
        {REPRODUCED_ROUNDS, 0.94e6, 1, false},        // faster is no reproduction, either
        {CLASSIC_SAMPLES_MIN, 1.004e6, 0, false},     // as few rounds as have an interval
        {CLASSIC_SAMPLES_MIN - 1, 1.004e6, 3, false}, // their samples, which depend on each other
        {1, 1.004e6, 3, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct result reference, measured;
        struct reproduced answer;
        struct err err = {0};
        made_baseline(&reference, all[i].rounds, 1e6);
        made_baseline(&measured, all[i].rounds, all[i].now_ns);
        assert_int_equal(reproduced_get(&reference, &measured, &measured.arena, &answer, &err), 0);
        assert_int_equal(answer.exit_code, all[i].exit_code);
        assert_int_equal(answer.row_count, 1);
        assert_true((strstr(answer.sentence, "write it anew") != NULL) == all[i].is_told);
        result_fini(&reference);
        result_fini(&measured);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slower_file_is_a_regression),
        cmocka_unit_test(each_fingerprint_refuses_and_is_lifted),
        cmocka_unit_test(gpus_record_no_threads),
        cmocka_unit_test(a_processors_driver_is_a_kernel),
        cmocka_unit_test(another_metric_refuses_and_is_not_lifted),
        cmocka_unit_test(another_number_of_threads_refuses_and_is_lifted),
        cmocka_unit_test(throttling_and_clocks_refuse),
        cmocka_unit_test(a_ceiling_that_is_exceeded_refuses),
        cmocka_unit_test(one_sided_problems_are_listed),
        cmocka_unit_test(nothing_in_common_is_not_success),
        cmocka_unit_test(a_wrong_candidate_is_worse_than_slow),
        cmocka_unit_test(sides_are_found_by_name),
        cmocka_unit_test(sides_have_names_of_their_own),
        cmocka_unit_test(a_external_clock_belongs_to_the_result),
        cmocka_unit_test(external_threads_and_times_are_of_one_kind),
        cmocka_unit_test(few_samples_of_both_are_said),
        cmocka_unit_test(rounds_of_a_baseline_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
