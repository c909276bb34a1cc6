// SPDX-License-Identifier: Apache-2.0
//
// Is a run of identical code described rightly, and what all runs say together: spreads, what is certified, false
// accusations, power?
#include "unit/made_result.h"

#include "verdict/calibration_summary.h"
#include "verdict/rounds_needed.h"

#define P128 "attention/fp32/b1/h2/s128/d64"
#define P256 "attention/fp32/b1/h2/s256/d64"

static const struct rounds_sides both = {.base = 0, .cand = 1};
static const struct calibration_conditions any = {0};

static void study_of(const struct result *result, struct arena *arena, struct calibration_study *ret) {
    struct rounds_options options = rounds_options_default();
    struct err err = {0};
    if (calibration_study_make(result, both, &options, arena, ret, &err) < 0) fail_msg("%s", err.text);
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

// ---- what all studies say ----

struct made_study {
    const char *run_id, *driver;
    double spread_pct, cv_pct;
    uint32_t round_count;
    enum verdict verdict;
};

static void add_made(struct calibration *calibration, const struct made_study *made) {
    struct calibration_problem problem = {.name = P128,
                                          .short_name = "s128",
                                          .median_ns = 1e5,
                                          .offset_pct = 0,
                                          .spread_pct = made->spread_pct,
                                          .within_cv_pct = made->cv_pct,
                                          .pair_count = 20,
                                          .round_count = made->round_count,
                                          .verdict = made->verdict};
    struct calibration_study study = {.run_id = made->run_id,
                                      .driver = made->driver,
                                      .regime = "cool",
                                      .cache_mode = "rotate",
                                      .round_count = made->round_count,
                                      .problem_count = 1,
                                      .problems = &problem};
    calibration_add_study(calibration, &study);
}

static void spreads_are_pooled_by_their_degrees(void **state) {
    (void)state;
    struct calibration calibration = {0};
    struct calibration_pooled pooled;
    add_made(&calibration, &(struct made_study){"a", "6.1", 1.0, 1, 20, VERDICT_MAINTAINED});
    add_made(&calibration, &(struct made_study){"b", "6.1", 2.0, 1, 6, VERDICT_REGRESSION});
    add_made(&calibration, &(struct made_study){"c", "6.2", 9.0, 3, 20, VERDICT_NONE});
    struct calibration_conditions old = {.driver = "6.1", .regime = "cool", .cache_mode = "rotate"};
    assert_true(calibration_pool(&calibration, &old, P128, &pooled));
    assert_near(pooled.spread_pct, sqrt((19 * 1.0 + 5 * 4.0) / 24), 1e-12);
    assert_int_equal(pooled.degrees, 24);
    assert_int_equal(pooled.study_count, 2);
    assert_int_equal(pooled.comparison_count, 2);
    assert_int_equal(pooled.accusation_count, 1);
    assert_near(pooled.within_cv_pct, 1, 1e-12);
    assert_near(pooled.certified_pct, rounds_needed_detectable_pct(pooled.spread_pct / 100, 20), 1e-12);
    old.cache_mode = "cold";
    assert_false(calibration_pool(&calibration, &old, P128, &pooled));
    assert_false(calibration_pool(&calibration, &any, P256, &pooled));
    struct calibration_accusations all = calibration_accusations(&calibration);
    assert_int_equal(all.comparison_count, 2);
    assert_int_equal(all.run_count, 2);
    assert_int_equal(all.accusation_count, 1);
    calibration_fini(&calibration);
}

// 300 comparisons without one bound the rate at 1 %, 299 do not.
static void the_bound_on_the_false_rate(void **state) {
    (void)state;
    struct calibration calibration = {0};
    assert_true(calibration_accusations(&calibration).upper_bound_pct == 100);
    struct calibration_problem problems[300];
    for (size_t i = 0; i < 300; i++)
        problems[i] = (struct calibration_problem){.name = P128, .verdict = VERDICT_UNDECIDABLE};
    struct calibration_study study = {.run_id = "a", .problem_count = 300, .problems = problems};
    calibration_add_study(&calibration, &study);
    assert_true(calibration_accusations(&calibration).upper_bound_pct < 1);
    study.problem_count = 298;
    calibration_add_study(&calibration, &study);
    assert_true(calibration_accusations(&calibration).upper_bound_pct > 1);
    calibration_fini(&calibration);
}

static uint32_t pairs_for(double spread_pct, double cv_pct) {
    struct calibration calibration = {0};
    struct calibration_pooled pooled;
    add_made(&calibration, &(struct made_study){"a", "6.1", spread_pct, cv_pct, 20, VERDICT_MAINTAINED});
    assert_true(calibration_pool(&calibration, &any, P128, &pooled));
    calibration_fini(&calibration);
    return pooled.pair_count_recommended;
}

static void samples_that_are_worth_their_time(void **state) {
    (void)state;
    // 20 pairs of CV 1 % explain 0.396 % of d_r: a quarter of the variance at a spread of 0.793 %.
    assert_int_equal(pairs_for(0.80, 1), 20);
    assert_int_equal(pairs_for(0.78, 1), 50);
    assert_int_equal(pairs_for(0.41, 1), 100);
    assert_int_equal(pairs_for(0.30, 1), 100); // all of it, and more than that
    assert_int_equal(pairs_for(0.80, 0), 20);
}

static void what_is_certified(void **state) {
    (void)state;
    struct calibration_pooled problem = {.spread_pct = 2, .degrees = 19};
    assert_true(calibration_certifies(&problem, 3, 20));
    assert_false(calibration_certifies(&problem, 1, 20));
    assert_true(calibration_certifies(&problem, 1, rounds_needed(0.02, 1)));
    assert_false(calibration_certifies(&problem, 1, rounds_needed(0.02, 1) - 1));
    problem.degrees = 3; // four rounds: nothing is known
    assert_true(calibration_certifies(&problem, 1, 5));
    assert_true(calibration_round_up_pct(0.2) == 1 && calibration_round_up_pct(1.8) == 2 &&
                calibration_round_up_pct(3) == 3);
}

static struct calibration_summary summary_of(double spread_pct, double threshold_pct, struct arena *arena) {
    static const char *const names[] = {P128}, *const short_names[] = {"s128"};
    struct calibration calibration = {0};
    struct calibration_summary summary;
    struct rounds_options options = rounds_options_default();
    struct err err = {0};
    uint32_t rounds = isfinite(spread_pct) ? 20 : 0;
    add_made(&calibration, &(struct made_study){"a", "6.1", spread_pct, 1, rounds, VERDICT_NONE});
    options.regression_pct = threshold_pct;
    struct calibration_wanted wanted = {.count = 1, .names = names, .short_names = short_names};
    if (calibration_summarize(&calibration, &wanted, &options, arena, &summary, &err) < 0)
        fail_msg("%s", err.text);
    calibration_fini(&calibration);
    return summary;
}

static void one_sentence_and_a_code(void **state) {
    (void)state;
    struct arena arena = {0};
    struct calibration_summary summary = summary_of(0.5, 3, &arena);
    assert_int_equal(summary.exit_code, 0);
    assert_string_equal(summary.sentence, "this machine certifies 1 % on the problem in 20 rounds");
    assert_int_equal(summary.view_count, 1);
    summary = summary_of(8, 3, &arena);
    assert_int_equal(summary.exit_code, 3);
    assert_string_equal(
        summary.sentence,
        arena_format(&arena,
                     "this machine cannot certify 3 %% on 1 of 1 problems: 20 rounds certify %.1f %%; gate "
                     "--rounds %u would do, or a quieter machine",
                     ceil(10 * rounds_needed_detectable_pct(0.08, 20)) / 10, rounds_needed(0.08, 3)));
    summary = summary_of(5, 10, &arena); // 10 % would be seen, but the interval stays too wide
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

// An unchanged kernel is proved unchanged within the effect that is said to be certified, in at least 90 %.
static void the_certified_effect_is_the_rules(void **state) {
    (void)state;
    struct rounds_options options = rounds_options_default();
    struct calibration_shares shares;
    options.regression_pct = rounds_needed_detectable_pct(0.02, CALIBRATION_ROUNDS);
    assert_int_equal(calibration_power(0.02, 0, &options, 1000, 1, &shares), 0);
    assert_true(shares.maintained > 0.87);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_run),
        cmocka_unit_test(few_rounds_are_no_comparison),
        cmocka_unit_test(spreads_are_pooled_by_their_degrees),
        cmocka_unit_test(the_bound_on_the_false_rate),
        cmocka_unit_test(samples_that_are_worth_their_time),
        cmocka_unit_test(what_is_certified),
        cmocka_unit_test(one_sentence_and_a_code),
        cmocka_unit_test(power_is_that_of_the_rule),
        cmocka_unit_test(the_certified_effect_is_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
