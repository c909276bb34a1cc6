// SPDX-License-Identifier: Apache-2.0
//
// A gate is stopped exactly if the rounds planned cannot detect its threshold, and says what would help.
#include "unit/made_result.h"
#include "verdict/calibration/calibration_summary.h"
#include "verdict/rounds/rounds_rule.h"

#define P128 "attention/fp32/b1/h2/s128/d64"
#define P256 "attention/fp32/b1/h2/s256/d64"
#define P512 "attention/fp32/b1/h2/s512/d64"

// A study with a spread of each of two problems; a third one of the gate is in none.
static void add_study(struct calibration *calibration, double quiet_pct, double noisy_pct) {
    struct calibration_problem problems[2];
    for (size_t i = 0; i < 2; ++i)
        problems[i] = (struct calibration_problem){.name = i ? P256 : P128,
                                                   .short_name = i ? "s256" : NULL,
                                                   .median_ns = 1e5,
                                                   .spread_pct = i ? noisy_pct : quiet_pct,
                                                   .within_cv_pct = 1,
                                                   .pair_count = 20,
                                                   .round_count = 20};
    struct calibration_study study = {.run_id = "a",
                                      .driver = "6.1.0",
                                      .power_mode = "cool",
                                      .cache_mode = "rotate",
                                      .kernel = "noisy",
                                      .round_count = 20,
                                      .problem_count = 2,
                                      .problems = problems};
    calibration_add_study(calibration, &study);
}

struct world {
    struct result result;
    struct calibration calibration;
    struct calibration_question question;
};

static void world_make(struct world *world, double quiet_pct, double noisy_pct) {
    *world = (struct world){0};
    made_init(&world->result);
    made_case_add(&world->result, "s128", P128);
    made_case_add(&world->result, "s256", P256);
    made_case_add(&world->result, "s512", P512);
    add_study(&world->calibration, quiet_pct, noisy_pct);
    world->question = (struct calibration_question){
        .calibration = &world->calibration,
        .conditions = {.driver = "6.1.0", .power_mode = "cool", .cache_mode = "rotate"},
        .spec = {.regression_pct = 3, .improvement_pct = 10},
        .round_count = 20};
}

static void world_fini(struct world *world) {
    calibration_fini(&world->calibration);
    result_fini(&world->result);
}

static void the_noisy_problems_are_refused(void **state) {
    (void)state;
    struct world world;
    world_make(&world, 0.5, 8);
    struct calibration_survey survey = calibration_survey(&world.question, &world.result);
    assert_int_equal(survey.case_count, 3);
    assert_int_equal(survey.known_count, 2);
    assert_int_equal(survey.refused_count, 1);
    assert_string_equal(survey.worst.name, P256);
    struct arena *arena = &world.result.arena;
    struct decision decision = calibration_refuse(&world.question, &world.result, arena);
    assert_string_equal(decision.rule, "rounds");
    assert_int_equal(decision.case_count, 3);
    assert_int_equal(decision.counts[VERDICT_UNDECIDABLE], 1);
    assert_int_equal(decision.cases[0].verdict, VERDICT_NONE);
    assert_int_equal(decision.cases[2].verdict, VERDICT_NONE);
    const struct decision_case *refused = &decision.cases[1];
    assert_int_equal(refused->verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(refused->reason, REASON_TOO_NOISY);
    assert_true(refused->spread_pct == 8);
    assert_true(refused->smallest_detectable_pct == rounds_needed_detectable_pct(0.08, 20));
    const double high = survey.worst.spread_high_pct / 100;
    assert_true(high > 0.1 && high < 0.12);
    const char *help =
        arena_format(arena, "20 rounds detect %.1f %%; gate --rounds %u would do, or a quieter machine",
                     ceil(10 * rounds_needed_detectable_pct(high, 20)) / 10, rounds_needed_fixed(high, 3));
    const char *spread =
        arena_format(arena, "8.00 %% (at most %.2f %%), measured with noisy", survey.worst.spread_high_pct);
    assert_string_equal(
        refused->sentence,
        arena_format(arena, "not measured: the spread between rounds is %s, so %s", spread, help));
    assert_int_equal(decision.note_count, 1);
    assert_string_equal(
        decision.notes[0],
        arena_format(
            arena,
            "nothing was measured: a threshold of 3 %% is smaller than this machine can detect on 1 of 3 "
            "problems; on s256 (spread between rounds %s) %s; --ignore-calibration measures all the same",
            spread, help));
    world_fini(&world);
}

static void what_is_not_known_is_not_refused(void **state) {
    (void)state;
    struct world world;
    world_make(&world, 8, 8);
    world.question.conditions.cache_mode = "cold";
    struct calibration_survey survey = calibration_survey(&world.question, &world.result);
    assert_int_equal(survey.known_count, 0);
    assert_int_equal(survey.refused_count, 0);
    assert_non_null(strstr(calibration_note_text(&world.question, &survey, false, &world.result.arena),
                           "none of these problems was calibrated"));
    world_fini(&world);
    world_make(&world, 8, 8);
    // Refused by the lower limit of the spread: only what is surely beyond the machine.
    double low = calibration_survey(&world.question, &world.result).worst.spread_low_pct / 100;
    assert_true(low > 0.06 && low < 0.07);
    world.question.is_fixed = true;
    world.question.round_count = rounds_needed_fixed(low, 3);
    survey = calibration_survey(&world.question, &world.result);
    assert_int_equal(survey.refused_count, 0);
    assert_int_equal(survey.uncertain_count, 2);
    const char *words = calibration_note_text(&world.question, &survey, false, &world.result.arena);
    assert_non_null(strstr(
        words, "calibrated: whether this machine can detect 3 % is uncertain on 2 of 3 problems; on "));
    --world.question.round_count;
    assert_int_equal(calibration_survey(&world.question, &world.result).refused_count, 2);
    world_fini(&world);
}

static void a_measured_gate_says_what_is_known(void **state) {
    (void)state;
    struct world world;
    world_make(&world, 0.5, 1);
    struct arena *arena = &world.result.arena;
    struct calibration_survey survey = calibration_survey(&world.question, &world.result);
    assert_string_equal(
        calibration_note_text(&world.question, &survey, false, arena),
        arena_format(
            arena,
            "calibrated: on 2 of 3 problems 20 rounds detect %.2f %% (worst problem: s256, spread between "
            "rounds 1.00 %% (at most %.2f %%), measured with noisy)",
            rounds_needed_detectable_pct(survey.worst.spread_high_pct / 100, 20),
            survey.worst.spread_high_pct));
    world_fini(&world);
    world_make(&world, 0, 0);
    survey = calibration_survey(&world.question, &world.result);
    assert_string_equal(calibration_note_text(&world.question, &survey, false, &world.result.arena),
                        "calibrated: on 2 of 3 problems rounds differ by less than the timer shows");
    world_fini(&world);
    world_make(&world, 8, 8);
    survey = calibration_survey(&world.question, &world.result);
    const char *words = calibration_note_text(&world.question, &survey, true, &world.result.arena);
    assert_non_null(strstr(
        words, "measured all the same (--ignore-calibration): by the calibration, a threshold of 3 %"));
    assert_non_null(strstr(words, "on " P128)); // a problem without a short name
    world_fini(&world);
}

static void help_in_text(void **state) {
    (void)state;
    struct arena arena = {0};
    struct calibration_shortfall shortfall = {
        .threshold_pct = 3, .round_count = 20, .detectable_pct = 3.01, .rounds_needed = 21};
    assert_string_equal(calibration_help_text(&shortfall, &arena),
                        "20 rounds detect 3.1 %; gate --rounds 21 would do, or a quieter machine");
    shortfall.detectable_pct = 2.9; // the effect would be seen, but the interval stays too wide
    assert_string_equal(
        calibration_help_text(&shortfall, &arena),
        "20 rounds leave an interval of more than 2 % either way; gate --rounds 21 would do, or a "
        "quieter machine");
    shortfall.rounds_needed = 0;
    assert_string_equal(
        calibration_help_text(&shortfall, &arena),
        "20 rounds leave an interval of more than 2 % either way; not even 1000 rounds would do, only "
        "a quieter machine or a coarser threshold than 3 %");
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_noisy_problems_are_refused),
        cmocka_unit_test(what_is_not_known_is_not_refused),
        cmocka_unit_test(a_measured_gate_says_what_is_known),
        cmocka_unit_test(help_in_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
