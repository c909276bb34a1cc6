// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on a result: which rounds count, which problems are still open, outcomes before times,
// Holm, the cross-check, signs of the figures.
#include "record/round_count.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/round_medians.h"
#include "verdict/rounds/rounds.h"
#include "verdict/rounds/rounds_rule.h"

#define S512 "attention/fp32/b2/h8/s512/d64"

static struct rounds_options all_in(void) {
    struct rounds_options options = rounds_options_default();
    options.family_count = 0;
    options.is_final = true;
    return options;
}

static struct decision decide(struct result *result, const struct rounds_options *options) {
    struct decision decision;
    struct err err = {0};
    if (verdict_rounds(result, (struct rounds_sides){0, 1}, options, &result->arena, &decision, &err) < 0)
        fail_msg("%s", err.text);
    return decision;
}

static void verdicts_signs_and_counts(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "slow", S512), 10, 0.10, 0.004);
    made_rounds_add(&result, made_case_add(&result, "fast", S512 "/causal"), 10, -0.20, 0.004);
    made_rounds_add(&result, made_case_add(&result, "same", "attention/fp32/b1/h8/s512/d64"), 5, 0, 0.004);
    struct decision decision = decide(&result, &options);
    const struct decision_case *slow = &decision.cases[0], *fast = &decision.cases[1],
                               *same = &decision.cases[2];
    assert_int_equal(slow->verdict, VERDICT_REGRESSION);
    assert_true(fabs(slow->change_pct - 10) < 0.1);
    assert_true(slow->change_low_pct > 8 && slow->change_high_pct < 12);
    assert_true(decision_case_speedup(slow) < 1 && slow->cliffs_delta == 1);
    assert_true(slow->median_cand_ns > slow->median_base_ns);
    // The figures belong together: the times' ratio is about the estimate, the speed-up exactly.
    assert_true(fabs(slow->median_cand_ns / slow->median_base_ns - 1 - slow->change_pct / 100) < 1e-6);
    assert_true(fabs(1 / decision_case_speedup(slow) - 1 - slow->change_pct / 100) < 1e-12);
    assert_int_equal(fast->verdict, VERDICT_IMPROVEMENT);
    assert_true(fast->change_pct < -19 && fast->change_high_pct < 0 && decision_case_speedup(fast) > 1.2);
    assert_int_equal(same->verdict, VERDICT_MAINTAINED);
    assert_int_equal(same->reason, REASON_IN_BAND);
    assert_true(same->p_not_slower < 0.001 && same->p_raw > 0.5);
    assert_true(same->smallest_detectable_pct > 0.5 && same->smallest_detectable_pct < 2);
    assert_true(fabs(same->interval_level - 0.9818) < 1e-12);
    assert_int_equal(decision.counts[VERDICT_REGRESSION], 1);
    assert_string_equal(decision.best_name, "fast");
    assert_string_equal(decision.worst_name, "slow");
    // Holm: the smallest of three p times three, and never below the raw one.
    assert_true(slow->p_holm >= slow->p_raw && slow->p_holm <= 3 * slow->p_raw * (1 + 1e-12));
    assert_int_equal(decision.round_count, 10);
    result_fini(&result);
}

static void open_problems_are_named(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    options.is_final = false;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "sure", S512), 5, 0, 0.002);
    made_rounds_add(&result, made_case_add(&result, "open", S512 "/causal"), 5, 0.03, 0.01);
    struct decision decision = decide(&result, &options);
    assert_false(rounds_case_is_open(&decision.cases[0]));
    assert_true(rounds_case_is_open(&decision.cases[1]));
    assert_int_equal(rounds_open_count(&decision), 1);
    options.is_final = true;
    decision = decide(&result, &options);
    assert_int_equal(rounds_open_count(&decision), 0);
    assert_int_equal(decision.cases[1].verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(decision.cases[1].reason, REASON_TOO_FEW_ROUNDS);
    result_fini(&result);
}

// An invalid attempt does not count; its repetition does.
static void invalid_rounds_are_left_out(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s512", S512);
    made_rounds_add(&result, item, 5, 0, 0.002);
    item->rounds[2].is_valid = false; // was far off, and the machine was busy
    item->rounds[2].invalid_reason = "other processes took 40 %";
    item->rounds[2].samples[1] = made_samples(&result, 21, 2e6, 0.01);
    assert_int_equal(decide(&result, &options).cases[0].verdict, VERDICT_UNDECIDABLE);
    struct result_round *again = result_case_add_round(&result, item, 2, 1);
    again->has_state = again->is_valid = true;
    again->samples[0] = made_samples(&result, 21, 1e6, 0.01);
    again->samples[1] = made_samples(&result, 21, 1e6, 0.01);
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].verdict, VERDICT_MAINTAINED);
    assert_int_equal(decision.cases[0].round_count, 5);
    assert_int_equal(decision.cases[0].invalid_round_count, 1);
    assert_int_equal(decision.cases[0].base_count, 5 * 21);
    result_fini(&result);
}

static void a_machine_that_stays_busy_is_not_valid(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s512", S512);
    made_rounds_add(&result, item, 3, 0, 0.002);
    for (uint32_t attempt = 0; attempt <= ROUNDS_REPEAT_MAX; ++attempt) {
        struct result_round *round = result_case_add_round(&result, item, 3, attempt);
        round->has_state = true;
        round->invalid_reason = "steal time";
    }
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].verdict, VERDICT_NOT_VALID);
    assert_int_equal(decision.cases[0].reason, REASON_BUSY_MACHINE);
    assert_non_null(strstr(decision.cases[0].sentence, "steal time"));
    result_fini(&result);
}

// What had been decided before the machine became busy stays decided.
static void a_decision_stands_whatever_comes_later(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s512", S512);
    made_rounds_add(&result, item, 5, 0, 0.002);
    for (uint32_t attempt = 0; attempt <= ROUNDS_REPEAT_MAX; ++attempt)
        result_case_add_round(&result, item, 5, attempt)->invalid_reason = "steal time";
    assert_int_equal(decide(&result, &options).cases[0].verdict, VERDICT_MAINTAINED);
    result_fini(&result);
}

static void outcomes_come_before_times(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    static const struct {
        enum outcome base, cand;
        enum verdict verdict;
    } expected[] = {
        {OUTCOME_OK, OUTCOME_FAIL, VERDICT_WRONG},
        {OUTCOME_OK, OUTCOME_CRASHED, VERDICT_WRONG},
        {OUTCOME_OK, OUTCOME_TIMEOUT, VERDICT_WRONG},
        {OUTCOME_FAIL, OUTCOME_FAIL, VERDICT_WRONG},
        {OUTCOME_FAIL, OUTCOME_OK, VERDICT_NOT_VALID},
        {OUTCOME_OK, OUTCOME_UNSUPPORTED, VERDICT_REMOVED},
        {OUTCOME_UNSUPPORTED, OUTCOME_OK, VERDICT_ADDED},
        {OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, VERDICT_NONE},
        {OUTCOME_OK, OUTCOME_NOT_VALID, VERDICT_NOT_VALID},
        {OUTCOME_SKIPPED, OUTCOME_OK, VERDICT_NOT_VALID},
        {OUTCOME_NOT_VALID, OUTCOME_FAIL, VERDICT_WRONG},
        {OUTCOME_OK, OUTCOME_OK, VERDICT_MAINTAINED},
    };
    size_t count = sizeof expected / sizeof *expected;
    for (size_t i = 0; i < count; ++i) {
        struct result_case *item = made_case_add(&result, "s512", S512);
        made_rounds_add(&result, item, 5, 0, 0.002);
        item->checks[0].outcome = expected[i].base;
        item->checks[1].outcome = expected[i].cand;
    }
    struct decision decision = decide(&result, &options);
    for (size_t i = 0; i < count; ++i) assert_int_equal(decision.cases[i].verdict, expected[i].verdict);
    result_fini(&result);
}

// No memory in a later round is not "too few rounds": the sentence is the one that the side said.
static void what_could_not_be_measured_says_why(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    for (size_t i = 0; i < 3; ++i) {
        struct result_case *item = made_case_add(&result, "s512", S512);
        made_rounds_add(&result, item, 3, 0, 0.002);
        struct check_result *check = &item->checks[i == 1 ? 0 : 1];
        check->outcome = i == 2 ? OUTCOME_UNSUPPORTED : OUTCOME_NOT_VALID;
        strcpy(check->message, i == 2 ? "only causal" : "no memory for 12 GB of inputs");
    }
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].reason, REASON_NOT_MEASURED);
    assert_string_equal(decision.cases[0].sentence,
                        "the candidate could not be checked and measured: no memory for 12 GB of inputs");
    assert_string_equal(decision.cases[1].sentence,
                        "the baseline could not be checked and measured: no memory for 12 GB of inputs");
    assert_string_equal(decision.cases[2].sentence,
                        "the candidate does not support this problem: only causal");
    result_fini(&result);
}

static const char *sentence_of(double change, double spread, size_t rounds, double width, bool is_late) {
    static char sentence[1024];
    struct result result;
    struct rounds_options options = all_in();
    options.is_out_of_time = is_late;
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s512", S512);
    made_rounds_add(&result, item, rounds, change, spread);
    for (size_t r = 0; width > 0 && r < rounds; ++r)
        for (size_t side = 0; side < 2; ++side)
            item->rounds[r].samples[side] = made_samples(
                &result, 21, side ? 1e6 * exp(r % 2 ? spread : -spread) : 1e6, side ? width : -width);
    struct decision decision = decide(&result, &options);
    snprintf(sentence, sizeof sentence, "%s", decision.cases[0].sentence ? decision.cases[0].sentence : "");
    result_fini(&result);
    return sentence;
}

static void an_open_problem_says_what_would_help(void **state) {
    (void)state;
    const char *said = sentence_of(0, 0.06, 20, 0, false);
    assert_non_null(strstr(said, "after 20 rounds, which differ by 5.5 %"));
    uint32_t rounds = 0;
    assert_int_equal(sscanf(strstr(said, "--rounds"), "--rounds %u", &rounds), 1);
    assert_in_range(rounds, 30, 50);
    assert_null(strstr(said, "--iters")); // the samples within a round agree: rounds are what differs
    said = sentence_of(0, 0.06, 20, 0.42, false);
    assert_non_null(strstr(said, "more samples halve (--iters 84)"));
    assert_non_null(strstr(said, "would probably decide"));
    said = sentence_of(0.028, 0.01, 20, 0, false); // narrow, but on the threshold
    assert_non_null(strstr(said, "is too near to 3 %"));
    assert_int_equal(sscanf(strstr(said, "--rounds"), "--rounds %u", &rounds), 1);
    assert_in_range(rounds, 150, 300); // 0.2 % from it at a spread of 0.9 %
    said = sentence_of(0, 3, 20, 0, false);
    assert_non_null(strstr(said, "up to 1000 rounds would probably not decide"));
    said = sentence_of(0, 0.06, 3, 0, true);
    assert_string_equal(
        said, "the time of the run was over after 3 valid rounds: resume it, or raise limits.gate_s");
    assert_string_equal(sentence_of(0, 0.002, 5, 0, false), "");
}

// For a problem that looks slower than the threshold, the number of rounds is that which would call a
// regression.
static void chance_is_said_as_one_in_so_many(void **state) {
    (void)state;
    const char *said = sentence_of(0.08, 0.10, 20, 0, false);
    unsigned in = 0, rounds = 0;
    const char *chance = strstr(said, "one unchanged problem in ");
    if (!chance || !strstr(said, "--rounds")) fail_msg("%s", said);
    assert_non_null(strstr(said, "it looks 8.0 % slower after 20 rounds, but one unchanged problem in"));
    assert_int_equal(sscanf(chance, "one unchanged problem in %u would show as much by chance", &in), 1);
    assert_in_range(in, 100, 900);
    assert_non_null(strstr(said, "(one in 1000 may)"));
    assert_int_equal(sscanf(strstr(said, "--rounds"), "--rounds %u", &rounds), 1);
    uint32_t wanted = rounds_needed_call(0.0918, log1p(0.08), 3, 1);
    assert_in_range(rounds, wanted - 1, wanted + 1);
}

static void a_suite_is_told_once(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "a", S512), 20, 0, 0.06);
    made_rounds_add(&result, made_case_add(&result, "b", S512 "/causal"), 20, 0, 0.09);
    struct decision decision = decide(&result, &options);
    char line[128];
    snprintf(line, sizeof line,
             "--rounds %u would probably decide each of the 2 open problems, if their changes are what "
             "they look like",
             (unsigned)rounds_needed_fixed(decision.cases[1].spread_pct / 100, 3));
    assert_int_equal(decision.note_count, 1);
    assert_string_equal(decision.notes[0], line);
    made_rounds_add(&result, made_case_add(&result, "c", "attention/fp32/b1/h8/s512/d64"), 20, 0, 3);
    made_rounds_add(&result, made_case_add(&result, "d", "attention/fp32/b1/h8/s256/d64"), 5, 0, 0.002);
    decision = decide(&result, &options);
    assert_non_null(strstr(decision.notes[decision.note_count - 1],
                           "would probably decide 2 of the 3 open problems, if"));
    result_fini(&result);
}

static void a_fixed_number_that_was_cut_says_so(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    options.fixed_round_count = 8;
    options.is_out_of_time = true;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "s512", S512), 6, 0.10, 0.004);
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].verdict, VERDICT_UNDECIDABLE);
    assert_string_equal(decision.cases[0].sentence, "the time of the run was over after 6 of 8 valid rounds: "
                                                    "resume it, or raise limits.gate_s");
    result_fini(&result);
}

static void an_unfit_machine_is_named_by_its_cause(void **state) {
    (void)state;
    static const struct {
        const char *throttle;
        double cand_clock;
        enum reason reason;
        const char *help;
    } expected[] = {
        {"none", 1, REASON_BUSY_MACHINE, "nothing else runs"},
        {"sw_power_cap", 1, REASON_BUSY_MACHINE, "nothing else runs"},
        {"hw_slowdown,sw_power_cap", 1, REASON_THROTTLED, "cool"},
        {"", 0.97, REASON_CLOCKS_APART, "fix the device's clock"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        struct result result;
        struct rounds_options options = all_in();
        made_init(&result);
        struct result_case *item = made_case_add(&result, "s512", S512);
        for (uint32_t attempt = 0; attempt <= ROUNDS_REPEAT_MAX; ++attempt) {
            struct result_round *round = result_case_add_round(&result, item, 0, attempt);
            round->has_state = true;
            round->invalid_reason = "unfit";
            strcpy(round->state.throttle, expected[i].throttle);
            for (size_t side = 0; side < 2; ++side)
                round->samples[side] = made_samples(&result, 21, 1e6, 0.01);
            for (size_t k = 0; k < 21; ++k)
                round->samples[1].items[k].clock_hz = expected[i].cand_clock * MADE_GHZ;
        }
        struct decision decision = decide(&result, &options);
        assert_int_equal(decision.cases[0].verdict, VERDICT_NOT_VALID);
        assert_int_equal(decision.cases[0].reason, expected[i].reason);
        assert_non_null(strstr(decision.cases[0].sentence, expected[i].help));
        assert_int_equal(decision.cases[0].invalid_round_count, 4);
        result_fini(&result);
    }
}

static void an_outlier_round_is_said(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s512", S512);
    made_rounds_add(&result, item, 20, 0, 0.002);
    assert_false(decide(&result, &options).cases[0].is_outlier_round); // five rounds: no cross-check
    for (size_t r = 0; r < 20; ++r) item->rounds[r].samples[1] = made_samples(&result, 21, 1.028e6, 0.01);
    item->rounds[1].samples[1] = made_samples(&result, 21, 1.9e6, 0.01);
    struct decision decision = decide(&result, &options);
    assert_true(decision.cases[0].is_outlier_round);
    assert_true(decision.cases[0].hodges_lehmann_pct < decision.cases[0].change_pct);
    assert_true(decision.note_count >= 1);
    assert_non_null(strstr(decision.notes[0], "outlier_round: the rounds are not alike: "));
    assert_true(decision.cases[0].verdict != VERDICT_REGRESSION);
    result_fini(&result);
}

// The mean of equal rounds and the cross-check differ by rounding, and so does their spread from 0.
static void equal_rounds_are_alike(void **state) {
    (void)state;
    static const size_t counts[] = {6, 10, 11, 20};
    for (size_t i = 0; i < 40; ++i) {
        struct result result;
        struct rounds_options options = all_in();
        options.fixed_round_count = counts[i % 4];
        made_init(&result);
        struct result_case *item = made_case_add(&result, "s512", S512);
        made_rounds_add(&result, item, counts[i % 4], 0, 0);
        for (size_t r = 0; r < item->round_count; ++r)
            item->rounds[r].samples[1] = made_samples(&result, 21, (1 + 0.0007 * (double)i) * 1e6, 0.01);
        struct decision decision = decide(&result, &options);
        assert_true(isfinite(decision.cases[0].hodges_lehmann_pct));
        assert_false(decision.cases[0].is_outlier_round);
        result_fini(&result);
    }
}

static void an_impossible_throughput_is_not_valid(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "s512", S512), 5, 0, 0.002);
    result.environment.ceiling_gflop_per_s = 100; // the problem does 1074 GFLOP/s
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].verdict, VERDICT_NOT_VALID);
    assert_int_equal(decision.cases[0].reason, REASON_ACCOUNTING_ERROR);
    assert_int_equal(decision.cases[0].unguarded_verdict, VERDICT_MAINTAINED);
    result_fini(&result);
}

static void nothing_measured_is_undecidable(void **state) {
    (void)state;
    struct result result;
    struct rounds_options options = all_in();
    made_init(&result);
    made_case_add(&result, "s512", S512);
    struct decision decision = decide(&result, &options);
    assert_int_equal(decision.cases[0].verdict, VERDICT_UNDECIDABLE);
    assert_true(isnan(decision.cases[0].change_pct) && isnan(decision.geomean_speedup));
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_signs_and_counts),
        cmocka_unit_test(open_problems_are_named),
        cmocka_unit_test(invalid_rounds_are_left_out),
        cmocka_unit_test(a_machine_that_stays_busy_is_not_valid),
        cmocka_unit_test(a_decision_stands_whatever_comes_later),
        cmocka_unit_test(outcomes_come_before_times),
        cmocka_unit_test(what_could_not_be_measured_says_why),
        cmocka_unit_test(an_open_problem_says_what_would_help),
        cmocka_unit_test(chance_is_said_as_one_in_so_many),
        cmocka_unit_test(a_suite_is_told_once),
        cmocka_unit_test(a_fixed_number_that_was_cut_says_so),
        cmocka_unit_test(an_unfit_machine_is_named_by_its_cause),
        cmocka_unit_test(an_outlier_round_is_said),
        cmocka_unit_test(equal_rounds_are_alike),
        cmocka_unit_test(an_impossible_throughput_is_not_valid),
        cmocka_unit_test(nothing_measured_is_undecidable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
