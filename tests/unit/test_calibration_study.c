// SPDX-License-Identifier: Apache-2.0
//
// A/A studies: figures of one run, and over all runs the spreads, what is detectable, false alarms, power.
#include <errno.h>

#include "base/rng.h"
#include "unit/made_result.h"
#include "verdict/calibration/calibration_summary.h"
#include "verdict/rounds/rounds_rule.h"

#define P128 "attention/fp32/b1/h2/s128/d64"
#define P256 "attention/fp32/b1/h2/s256/d64"

static const struct rounds_sides both = {.base = 0, .cand = 1};
static const struct calibration_conditions any = {0};

static void study_of(const struct result *result, struct arena *arena, struct calibration_study *ret) {
    struct err err = {0};
    if (calibration_study_make(result, both, arena, ret, &err) < 0) fail_msg("%s", err.text);
}

static void assert_near(double value, double wanted, double share) {
    if (!(fabs(value - wanted) <= share * fabs(wanted))) fail_msg("%.9g, wanted %.9g", value, wanted);
}

static void figures_of_a_run(void **state) {
    (void)state;
    struct result result;
    struct arena arena = {0};
    struct calibration_study study;
    made_init(&result);
    result.sides[0].build.code_hash = "00aa";
    made_rounds_add(&result, made_case_add(&result, "s128", P128), 20, 0, 0.005);
    struct result_case *shifted = made_case_add(&result, "s256", P256);
    made_rounds_add(&result, shifted, 20, 0.05, 0.005);
    struct result_round *bad = result_case_add_round(&result, shifted, 20, 0);
    bad->has_state = true;
    bad->invalid_reason = "steal";
    study_of(&result, &arena, &study);
    assert_int_equal(study.problem_count, 2);
    assert_string_equal(study.driver, "6.1.0");
    assert_string_equal(study.cache_mode, "rotate");
    const struct calibration_problem *problem = &study.problems[0];
    assert_string_equal(problem->name, P128);
    assert_int_equal(problem->round_count, 20);
    assert_near(problem->median_ns, 1e6, 0.01);
    assert_near(problem->spread_pct, 0.5 * sqrt(16 / 19.0), 0.001); // 20 values whose squares sum to 16
    assert_true(fabs(problem->offset_pct) < 1e-4);
    // the pattern of 21 samples: 1 + 0.01 u with u = -0.35, 0 and 0.35, seven times each
    assert_near(problem->within_cv_pct, 100 * 0.01 * 0.35 * sqrt(14 / 20.0), 1e-3);
    assert_near(problem->pair_count, 21, 1e-12);
    // and its quartiles lie 0.7 u apart; its samples are not autocorrelated
    assert_near(problem->within_sd_pct, sqrt(2) * 1.2533141 * 100 * 0.01 * 0.7 / 1.349 / sqrt(21), 1e-2);
    assert_string_equal(study.code_hash, "00aa");
    assert_int_equal(problem->verdict, VERDICT_MAINTAINED);
    assert_int_equal(study.problems[1].verdict, VERDICT_REGRESSION);
    assert_near(study.problems[1].offset_pct, 100 * log1p(0.05), 1e-4);
    assert_int_equal(study.problems[1].invalid_round_count, 1);
    assert_string_equal(study.problems[1].invalid_reason, "steal");
    arena_fini(&arena);
    result_fini(&result);
}

static void few_rounds_are_no_comparison(void **state) {
    (void)state;
    struct result result;
    struct arena arena = {0};
    struct calibration_study study;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "s128", P128), 1, 0, 0.005);
    made_rounds_add(&result, made_case_add(&result, "s256", P256), 7, 0, 0.08);
    struct result_case *wrong = made_case_add(&result, "w", "attention/fp32/b1/h2/s64/d64");
    made_rounds_add(&result, wrong, 20, 0, 0.005);
    wrong->checks[1].outcome = OUTCOME_FAIL;
    study_of(&result, &arena, &study);
    assert_int_equal(study.problem_count, 2); // a wrong kernel has no times
    assert_true(isnan(study.problems[0].spread_pct));
    assert_int_equal(study.problems[0].verdict, VERDICT_NONE);
    assert_int_equal(study.problems[1].verdict, VERDICT_NONE); // it would have gone on
    arena_fini(&arena);
    result_fini(&result);
}

// Every comparison has all rounds: leaving out problems still open at 15 rounds would leave out the noisy
// ones.
static void comparisons_have_all_rounds(void **state) {
    (void)state;
    struct result result;
    struct arena arena = {0};
    struct calibration_study study;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "s128", P128), 19, 0, 0.005);
    made_rounds_add(&result, made_case_add(&result, "s256", P256), 20, 0, 0.15);
    study_of(&result, &arena, &study);
    assert_int_equal(study.problems[0].verdict, VERDICT_NONE); // although its first look decides
    assert_int_equal(study.problems[1].verdict, VERDICT_UNDECIDABLE);
    struct calibration calibration = {0};
    calibration_add_study(&calibration, &study);
    assert_int_equal(calibration_false_alarms(&calibration).comparison_count, 1);
    calibration.studies[0].problems[0].verdict = VERDICT_REGRESSION; // of a file that says so all the same
    assert_int_equal(calibration_false_alarms(&calibration).comparison_count, 1);
    assert_int_equal(calibration_false_alarms(&calibration).false_alarm_count, 0);
    calibration_fini(&calibration);
    arena_fini(&arena);
    result_fini(&result);
}

// Neither a coarse threshold nor a large suite hides a false alarm of 4 %: comparisons are always decided at
// 3 %, each problem alone.
static void accusations_cannot_be_bought(void **state) {
    (void)state;
    struct result result;
    struct arena arena = {0};
    struct calibration_study study;
    char names[200][48];
    made_init(&result);
    for (int i = 0; i < 200; ++i) {
        snprintf(names[i], sizeof names[i], "attention/fp32/b1/h2/s%d/d64", i + 1);
        made_rounds_add(&result, made_case_add(&result, "s", names[i]), i ? 1 : 20, 0.07, 0.073);
    }
    study_of(&result, &arena, &study);
    assert_int_equal(study.problems[0].verdict, VERDICT_REGRESSION);
    struct rounds_options options = rounds_options_default();
    struct decision decision;
    struct err err = {0};
    options.is_final = true; // what the gate of all 200 says of it
    assert_int_equal(verdict_rounds(&result, both, &options, &arena, &decision, &err), 0);
    assert_int_equal(decision.cases[0].verdict, VERDICT_UNDECIDABLE);
    arena_fini(&arena);
    result_fini(&result);
}

static double within_of(const double *times_ns, size_t count, double *ret_cv_pct) {
    struct result result;
    struct arena arena = {0};
    struct calibration_study study;
    made_init(&result);
    struct result_case *item = made_case_add(&result, "s128", P128);
    for (int r = 0; r < 5; ++r) {
        struct result_round *round = made_round_add(&result, item, 1e6, 1e6);
        for (size_t side = 0; side < 2; ++side) {
            round->samples[side] = made_samples(&result, count, 1e6, 0);
            for (size_t i = 0; i < count; ++i)
                round->samples[side].items[i].duration_ns = (uint64_t)times_ns[i];
        }
    }
    study_of(&result, &arena, &study);
    double within_pct = study.problems[0].within_sd_pct;
    *ret_cv_pct = study.problems[0].within_cv_pct;
    arena_fini(&arena);
    result_fini(&result);
    return within_pct;
}

// The error of a median: tails move it less than their CV suggests, autocorrelated samples move it more.
static void what_samples_explain(void **state) {
    (void)state;
    double even[20], tailed[20], slow[20], cv_pct = 0;
    for (size_t i = 0; i < 20; ++i) {
        tailed[i] = even[i] = 1e6 + 1000 * (double)((i * 7) % 20);
        slow[i] = 1e6 + 1000 * (double)i;
    }
    tailed[17] = 3e6;
    double plain = within_of(even, 20, &cv_pct);
    assert_near(cv_pct, 0.58, 0.05);
    assert_near(within_of(tailed, 20, &cv_pct), plain, 0.15);
    assert_true(cv_pct > 30);
    assert_true(within_of(slow, 20, &cv_pct) > 3 * plain);
    assert_near(cv_pct, 0.58, 0.05);
}

// ---- what all studies say ----

struct made_study {
    const char *run_id, *driver;
    double spread_pct, within_pct;
    uint32_t round_count;
    enum verdict verdict;
    const char *kernel, *code_hash;
    uint32_t sample_count;
};

static void add_made(struct calibration *calibration, const struct made_study *made) {
    struct calibration_problem problem = {.name = P128,
                                          .short_name = "s128",
                                          .median_ns = 1e5,
                                          .offset_pct = 0,
                                          .spread_pct = made->spread_pct,
                                          .within_cv_pct = 1,
                                          .within_sd_pct = made->within_pct,
                                          .pair_count = 20,
                                          .round_count = made->round_count,
                                          .verdict = made->verdict};
    struct calibration_study study = {.run_id = made->run_id,
                                      .driver = made->driver,
                                      .power_mode = "cool",
                                      .cache_mode = "rotate",
                                      .kernel = made->kernel,
                                      .code_hash = made->code_hash,
                                      .sample_count = made->sample_count,
                                      .round_count = made->round_count,
                                      .problem_count = 1,
                                      .problems = &problem};
    calibration_add_study(calibration, &study);
}

static void spreads_are_pooled_by_their_degrees(void **state) {
    (void)state;
    struct calibration calibration = {0};
    struct calibration_pooled pooled;
    add_made(&calibration, &(struct made_study){"a", "6.1", 1.0, 1, 20, VERDICT_MAINTAINED, NULL, NULL, 0});
    add_made(&calibration, &(struct made_study){"b", "6.1", 2.0, 1, 20, VERDICT_REGRESSION, NULL, NULL, 0});
    add_made(&calibration, &(struct made_study){"c", "6.2", 9.0, 3, 20, VERDICT_NONE, NULL, NULL, 0});
    struct calibration_conditions old = {.driver = "6.1", .power_mode = "cool", .cache_mode = "rotate"};
    assert_true(calibration_pool(&calibration, &old, P128, &pooled));
    assert_near(pooled.spread_pct, sqrt((19 * 1.0 + 19 * 4.0) / 38), 1e-12);
    assert_int_equal(pooled.degrees, 38);
    assert_int_equal(pooled.study_count, 2);
    assert_int_equal(pooled.comparison_count, 2);
    assert_int_equal(pooled.false_alarm_count, 1);
    assert_near(pooled.within_cv_pct, 1, 1e-12);
    assert_near(pooled.within_sd_pct, 1, 1e-12);
    // chi-square on 38 degrees: 5 % below 24.88, 95 % below 53.38
    assert_near(pooled.spread_high_pct, pooled.spread_pct * sqrt(38 / 24.88), 1e-3);
    assert_near(pooled.spread_low_pct, pooled.spread_pct * sqrt(38 / 53.38), 1e-3);
    assert_near(pooled.detectable_pct, rounds_needed_detectable_pct(pooled.spread_high_pct / 100, 20), 1e-12);
    old.cache_mode = "cold";
    assert_false(calibration_pool(&calibration, &old, P128, &pooled));
    old.cache_mode = "rotate";
    old.locked_clock_mhz = 1500; // held clocks spread less: no study of free ones answers for them
    assert_false(calibration_pool(&calibration, &old, P128, &pooled));
    for (size_t i = 0; i < calibration.study_count; ++i) calibration.studies[i].locked_clock_mhz = 1500;
    assert_true(calibration_pool(&calibration, &old, P128, &pooled));
    for (size_t i = 0; i < calibration.study_count; ++i) calibration.studies[i].locked_clock_mhz = 0;
    assert_false(calibration_pool(&calibration, &any, P256, &pooled));
    struct calibration_false_alarms all = calibration_false_alarms(&calibration);
    assert_int_equal(all.comparison_count, 2);
    assert_int_equal(all.run_count, 2);
    assert_int_equal(all.false_alarm_count, 1);
    assert_int_equal(all.false_alarm_run_count, 1);
    calibration_fini(&calibration);
}

// 300 comparisons without a false alarm bound the rate at 1 %; 299 do not.
static void the_bound_on_the_false_rate(void **state) {
    (void)state;
    struct calibration calibration = {0};
    assert_true(calibration_false_alarms(&calibration).upper_bound_pct == 100);
    struct calibration_problem problems[300];
    for (size_t i = 0; i < 300; ++i)
        problems[i] =
            (struct calibration_problem){.name = P128, .round_count = 20, .verdict = VERDICT_UNDECIDABLE};
    struct calibration_study study = {.run_id = "a", .problem_count = 300, .problems = problems};
    calibration_add_study(&calibration, &study);
    struct calibration_false_alarms all = calibration_false_alarms(&calibration);
    assert_true(all.upper_bound_pct < 1);
    assert_int_equal(all.run_count, 1);
    assert_near(all.run_upper_bound_pct, 95, 1e-9); // the bound by runs, of which there is one
    study.problem_count = 298;
    calibration_add_study(&calibration, &study);
    assert_true(calibration_false_alarms(&calibration).upper_bound_pct > 1);
    problems[0].verdict = problems[1].verdict = VERDICT_REGRESSION;
    study.run_id = "b";
    calibration_add_study(&calibration, &study);
    all = calibration_false_alarms(&calibration);
    assert_int_equal(all.false_alarm_count, 2);
    assert_int_equal(all.false_alarm_run_count, 1); // two false alarms in one run count as one run
    assert_near(all.run_upper_bound_pct, 100 * sqrt(0.95), 1e-6);
    calibration_fini(&calibration);
}

// ---- for a gate ----

static struct calibration_pooled pooled_for(const struct calibration *calibration, const char *kernel,
                                            const char *code_hash, uint32_t sample_count) {
    const struct calibration_conditions conditions = {.driver = "6.1", .sample_count = sample_count};
    struct calibration_pooled pooled;
    struct result result;
    made_init(&result);
    result.sides[0].kernel = "old";
    result.sides[1].kernel = kernel;
    result.sides[1].build.code_hash = code_hash;
    assert_true(calibration_pool_for(calibration, &conditions, &result, P128, &pooled));
    result_fini(&result);
    return pooled;
}

static void kernels_are_not_pooled(void **state) {
    (void)state;
    struct calibration calibration = {0};
    enum verdict none = VERDICT_NONE;
    add_made(&calibration, &(struct made_study){"a", "6.1", 0.5, 1, 20, none, "quiet", "11", 20});
    add_made(&calibration, &(struct made_study){"b", "6.1", 8.0, 1, 20, none, "noisy", "22", 20});
    add_made(&calibration, &(struct made_study){"c", "6.1", 0.5, 1, 20, none, "quiet", "33", 20});
    add_made(&calibration, &(struct made_study){"d", "6.1", 1.5, 1, 20, none, "quiet", "11", 100});
    struct calibration_pooled pooled = pooled_for(&calibration, "quiet", NULL, 20);
    assert_near(pooled.spread_pct, 0.5, 1e-12); // its own, whatever else was calibrated
    assert_int_equal(pooled.study_count, 2);
    assert_string_equal(pooled.kernel, "quiet");
    assert_near(pooled_for(&calibration, "renamed", "11", 20).spread_pct, 0.5, 1e-12); // the same code
    assert_near(pooled_for(&calibration, "quiet", "11", 100).spread_pct, 1.5, 1e-12);  // its own pairs
    pooled = pooled_for(&calibration, "new", "99", 20); // none of its own: the largest, not the mean
    assert_near(pooled.spread_pct, 8, 1e-12);
    assert_string_equal(pooled.kernel, "noisy");
    // one of three rounds says nothing, so the others answer
    add_made(&calibration, &(struct made_study){"e", "6.1", 0.1, 1, 3, none, "new", "99", 20});
    assert_near(pooled_for(&calibration, "new", "99", 20).spread_pct, 8, 1e-12);
    calibration_fini(&calibration);
}

// ---- samples ----

static uint32_t pairs_for(double spread_pct, double within_pct) {
    const struct calibration_pooled problem = {
        .spread_pct = spread_pct, .within_sd_pct = within_pct, .pair_count = 20, .degrees = 19};
    return calibration_pair_count(&problem, 1);
}

static void samples_that_are_worth_their_time(void **state) {
    (void)state;
    // What 20 pairs explain is a quarter of the variance at twice its spread.
    assert_int_equal(pairs_for(0.81, 0.4), 20);
    assert_int_equal(pairs_for(0.79, 0.4), 50);
    assert_int_equal(pairs_for(0.41, 0.4), 100);
    assert_int_equal(pairs_for(0.30, 0.4), 100); // all of it, and more than that
    assert_int_equal(pairs_for(0.80, 0), 20);
    assert_int_equal(pairs_for(NAN, 0.4), 0);
    // Ten equal problems whose estimates scatter: one answer.
    struct calibration_pooled problems[10];
    for (size_t i = 0; i < 10; ++i)
        problems[i] = (struct calibration_pooled){
            .spread_pct = 0.7 + 0.07 * (double)i, .within_sd_pct = 0.4, .pair_count = 20, .degrees = 19};
    assert_int_equal(calibration_pair_count(problems, 1), 50);
    assert_int_equal(calibration_pair_count(problems + 9, 1), 20);
    assert_int_equal(calibration_pair_count(problems, 10), 20);
}

// ---- what is detectable ----

static enum calibration_fitness fitness_of(double low_pct, double high_pct, double threshold_pct,
                                           uint32_t round_count, bool is_fixed) {
    const struct calibration_pooled problem = {
        .spread_pct = 2, .spread_low_pct = low_pct, .spread_high_pct = high_pct, .degrees = 19};
    return calibration_judge(&problem, &(struct calibration_gate){threshold_pct, round_count, is_fixed});
}

static void what_is_detectable(void **state) {
    (void)state;
    assert_int_equal(fitness_of(1.6, 2.7, 3, 20, false), CALIBRATION_DETECTS);
    assert_int_equal(fitness_of(1.6, 3.7, 3, 20, false), CALIBRATION_UNCERTAIN); // 2 alone would do
    assert_int_equal(fitness_of(3.6, 5.7, 3, 20, false), CALIBRATION_REFUSES);
    assert_int_equal(fitness_of(1.6, 2.7, 1, 20, false), CALIBRATION_REFUSES);
    uint32_t fixed = rounds_needed_fixed(0.027, 1);
    assert_int_equal(fitness_of(1.6, 2.7, 1, fixed, true), CALIBRATION_DETECTS);
    assert_int_equal(fitness_of(1.6, 2.7, 1, fixed - 1, true), CALIBRATION_UNCERTAIN);
    // A fixed number of rounds looks once, so fewer do.
    fixed = rounds_needed_fixed(0.027, 3);
    assert_true(fixed < rounds_needed(0.027, 3));
    assert_int_equal(fitness_of(1.6, 2.7, 3, fixed, true), CALIBRATION_DETECTS);
    assert_int_equal(fitness_of(1.6, 2.7, 3, fixed, false), CALIBRATION_UNCERTAIN);
    struct calibration_pooled few = {.spread_pct = 2, .degrees = 3}; // four rounds: nothing is known
    assert_int_equal(calibration_judge(&few, &(struct calibration_gate){1, 5, false}), CALIBRATION_UNKNOWN);
}

// Studies of five rounds on a machine that detects 3.6 %: at most one in twenty says that it detects 3 %, and
// about as few gates of a machine that detects 3 % are refused it.
static void detectable_thresholds_are_rarely_wrong(void **state) {
    (void)state;
    const struct calibration_gate gate = {3, CALIBRATION_ROUNDS, .is_fixed = false};
    const double noisy_sd = 0.0401, quiet_sd = 0.0331;
    size_t wrong = 0, refused = 0;
    assert_near(rounds_needed_detectable_pct(noisy_sd, 20), 3.6, 0.05);
    assert_near(rounds_needed_detectable_pct(quiet_sd, 20), 2.97, 0.05);
    for (uint64_t i = 0; i < 400; ++i) {
        double d[5];
        struct round_stats stats;
        struct calibration_pooled problem;
        for (uint64_t r = 0; r < 5; ++r) d[r] = rng_normal(1, rng_stream("five rounds"), 5 * i + r);
        assert_int_equal(round_stats_get(d, 5, &stats), 0);
        for (int k = 0; k < 2; ++k) {
            struct calibration calibration = {0};
            double spread_pct = 100 * stats.sd * (k ? quiet_sd : noisy_sd);
            add_made(&calibration,
                     &(struct made_study){"a", "6.1", spread_pct, 1, 5, VERDICT_NONE, NULL, NULL, 0});
            assert_true(calibration_pool(&calibration, &any, P128, &problem));
            enum calibration_fitness fitness = calibration_judge(&problem, &gate);
            wrong += k == 0 && fitness == CALIBRATION_DETECTS;
            refused += k == 1 && fitness == CALIBRATION_REFUSES;
            calibration_fini(&calibration);
        }
    }
    if (wrong > 20 + 14 || refused > 20 + 14) // 5 % of 400 and three standard deviations
        fail_msg("%zu wrong promises, %zu wrong refusals of 400", wrong, refused);
}

static struct calibration_summary summary_of_rounds(double spread_pct, double threshold_pct, uint32_t rounds,
                                                    struct arena *arena) {
    static const char *const names[] = {P128}, *const short_names[] = {"s128"};
    struct calibration calibration = {0};
    struct calibration_summary summary;
    struct rounds_options options = rounds_options_default();
    struct err err = {0};
    add_made(&calibration,
             &(struct made_study){"a", "6.1", spread_pct, 1, rounds, VERDICT_NONE, NULL, NULL, 0});
    options.spec.regression_pct = threshold_pct;
    struct calibration_wanted wanted = {.count = 1, .names = names, .short_names = short_names};
    if (calibration_summarize(&calibration, &wanted, &options, arena, &summary, &err) < 0)
        fail_msg("%s", err.text);
    calibration_fini(&calibration);
    return summary;
}

static struct calibration_summary summary_of(double spread_pct, double threshold_pct, struct arena *arena) {
    return summary_of_rounds(spread_pct, threshold_pct, isfinite(spread_pct) ? 20 : 0, arena);
}

static void one_sentence_and_a_code(void **state) {
    (void)state;
    struct arena arena = {0};
    struct calibration_summary summary = summary_of(0.5, 1.9, &arena);
    const double factor = sqrt(19 / 10.117); // upper limit of a spread of 20 rounds
    assert_int_equal(summary.exit_code, 0);
    assert_string_equal(summary.sentence, arena_format(&arena,
                                                       "this machine can detect 1 %% on the problem in 20 "
                                                       "rounds (the threshold is 1.9 %%); the smallest "
                                                       "change it can detect is %.2f %%",
                                                       rounds_needed_detectable_pct(0.005 * factor, 20)));
    assert_int_equal(summary.view_count, 1);
    summary = summary_of(0, 3, &arena);
    assert_int_equal(summary.exit_code, 0);
    assert_non_null(strstr(summary.sentence, "; its rounds differ by less than the timer shows"));
    summary = summary_of(8, 3, &arena);
    assert_int_equal(summary.exit_code, 3);
    assert_int_equal(summary.refused_count, 1);
    assert_string_equal(
        summary.sentence,
        arena_format(&arena,
                     "this machine cannot detect 3 %% on 1 of 1 problems: 20 rounds detect %.1f %%; gate "
                     "--rounds %u would do, or a quieter machine",
                     ceil(10 * rounds_needed_detectable_pct(0.08 * factor, 20)) / 10, summary.rounds_needed));
    assert_near(summary.rounds_needed, rounds_needed_fixed(0.08 * factor, 3), 0.01);
    summary = summary_of(3.5, 10, &arena); // 10 % would be seen, but the interval stays too wide
    assert_int_equal(summary.exit_code, 3);
    assert_non_null(strstr(summary.sentence, "20 rounds leave an interval of more than 2 % either way"));
    summary = summary_of(300, 3, &arena);
    assert_non_null(strstr(summary.sentence, "not even 1000 rounds would do"));
    summary = summary_of(NAN, 3, &arena);
    assert_int_equal(summary.exit_code, 3);
    assert_int_equal(summary.view_count, 0);
    assert_non_null(strstr(summary.sentence, "the problem has fewer than 5 valid rounds"));
    arena_fini(&arena);
}

// A quiet spread that rests on five rounds detects nothing: it may be 2.4 times as large.
static void few_rounds_detect_little(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_int_equal(summary_of_rounds(2, 3, 5, &arena).exit_code, 3);
    assert_int_equal(summary_of_rounds(2, 3, 100, &arena).exit_code, 0);
    struct calibration_summary summary = summary_of_rounds(2, 3, 5, &arena);
    assert_int_equal(summary.uncertain_count, 1);
    assert_int_equal(summary.refused_count, 0);
    assert_non_null(strstr(summary.sentence, "whether this machine can detect 3 % is uncertain on 1 of 1"));
    arena_fini(&arena);
}

// ---- power ----

static struct calibration_shares shares_of(double sd, double change_pct) {
    struct rounds_options options = rounds_options_default();
    struct calibration_shares shares;
    options.family_count = 27;
    assert_int_equal(calibration_power(sd, change_pct, &options, 1000, 1, &shares), 0);
    assert_near(shares.regression + shares.maintained + shares.improvement + shares.undecidable, 1, 1e-9);
    return shares;
}

static void power_is_that_of_the_rule(void **state) {
    (void)state;
    // The promises of the rule at a spread of 1 %: unchanged is proved unchanged, 5 % slower is caught.
    assert_true(shares_of(0.01, 0).maintained > 0.99);
    assert_true(shares_of(0.01, 0).regression < 0.005);
    assert_true(shares_of(0.01, 5).regression > 0.99);
    assert_true(shares_of(0.01, 3).maintained < 0.08);
    assert_true(shares_of(0.01, -20).improvement > 0.99);
    assert_true(shares_of(0.1, 0).undecidable > 0.95);
    double before = 0;
    for (double change = 0; change <= 10; change += 1) {
        double now = shares_of(0.05, change).regression;
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 0.9);
}

// With the threshold at the effect reported as detectable, an unchanged kernel is proved unchanged in 90 % of
// the gates. A slowdown of that size is called a regression in about half of them: power is reported
// separately.
static void the_detectable_effect_is_the_rules(void **state) {
    (void)state;
    struct rounds_options options = rounds_options_default();
    struct calibration_shares shares;
    double detected_pct = 0;
    options.spec.regression_pct = rounds_needed_detectable_pct(0.02, CALIBRATION_ROUNDS);
    assert_int_equal(calibration_power(0.02, 0, &options, 1000, 1, &shares), 0);
    assert_true(shares.maintained > 0.87);
    assert_int_equal(calibration_power(0.02, options.spec.regression_pct, &options, 1000, 1, &shares), 0);
    assert_true(shares.regression < 0.7);
    assert_int_equal(calibration_power_detected_pct(0.02, &options, 1, &detected_pct), 0);
    assert_true(detected_pct > options.spec.regression_pct * 1.3);
    assert_int_equal(calibration_power(0.02, detected_pct, &options, 1000, 2, &shares), 0);
    if (fabs(shares.regression - 0.9) > 0.05)
        fail_msg("%.3f of gates catch %.3f %%", shares.regression, detected_pct);
    struct arena arena = {0};
    struct calibration_summary summary = summary_of(1, 3, &arena);
    assert_true(summary.detected_pct[0] > 3 && summary.detected_pct[0] < 4);
    arena_fini(&arena);
}

static void what_cannot_be_played_says_so(void **state) {
    (void)state;
    struct rounds_options options = rounds_options_default();
    struct calibration_shares shares;
    double detected_pct = 0;
    assert_int_equal(calibration_power(CALIBRATION_POWER_SD_MAX + 1, 3, &options, 10, 1, &shares), -EINVAL);
    assert_int_equal(calibration_power_detected_pct(NAN, &options, 1, &detected_pct), -EINVAL);
    assert_int_equal(calibration_power(CALIBRATION_POWER_SD_MAX, 3, &options, 1000, 1, &shares), 0);
    assert_int_equal(calibration_power_detected_pct(CALIBRATION_POWER_SD_MAX, &options, 1, &detected_pct), 0);
    struct arena arena = {0};
    // The largest that a file may hold, at its upper limit.
    assert_int_equal(summary_of_rounds(CALIBRATION_SPREAD_MAX_PCT, 3, 5, &arena).exit_code, 3);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_run),
        cmocka_unit_test(few_rounds_are_no_comparison),
        cmocka_unit_test(comparisons_have_all_rounds),
        cmocka_unit_test(accusations_cannot_be_bought),
        cmocka_unit_test(what_samples_explain),
        cmocka_unit_test(kernels_are_not_pooled),
        cmocka_unit_test(few_rounds_detect_little),
        cmocka_unit_test(detectable_thresholds_are_rarely_wrong),
        cmocka_unit_test(what_cannot_be_played_says_so),
        cmocka_unit_test(spreads_are_pooled_by_their_degrees),
        cmocka_unit_test(the_bound_on_the_false_rate),
        cmocka_unit_test(samples_that_are_worth_their_time),
        cmocka_unit_test(what_is_detectable),
        cmocka_unit_test(one_sentence_and_a_code),
        cmocka_unit_test(power_is_that_of_the_rule),
        cmocka_unit_test(the_detectable_effect_is_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
