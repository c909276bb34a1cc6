// SPDX-License-Identifier: Apache-2.0
//
// A run after a failure is called a rerun, both runs stand, and the mean is that of all their rounds.
#include "control/flow/gate/gate_rerun_text_internal.h"
#include "stats/round_stats.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/rounds/rounds.h"

#define S512 "attention/fp32/b2/h8/s512/d64"

static struct decision decide(struct result *result, double change, double spread, size_t rounds) {
    struct rounds_options options = rounds_options_default();
    struct decision decision;
    struct err err = {0};
    options.is_final = true;
    made_init(result);
    made_rounds_add(result, made_case_add(result, "s512", S512), rounds, change, spread);
    made_rounds_add(result, made_case_add(result, "quiet", S512 "/causal"), rounds, 0, 0.001);
    if (verdict_rounds(result, (struct rounds_sides){0, 1}, &options, &result->arena, &decision, &err) < 0)
        fail_msg("%s", err.text);
    decision.sentence = "said by the rule";
    return decision;
}

static size_t count_notes(const struct decision *decision, const char *part) {
    size_t count = 0;
    for (size_t i = 0; i < decision->note_count; ++i) count += strstr(decision->notes[i], part) != NULL;
    return count;
}

static void both_runs_stand(void **state) {
    (void)state;
    struct result before, now;
    struct decision earlier = decide(&before, 0.05, 0.005, 10), decision = decide(&now, 0, 0.005, 10);
    earlier.exit_code = 1;
    struct rerun rerun = {
        .earlier_id = "run-1", .earlier = &earlier, .earlier_run_count = 3, .failed_run_count = 1};
    assert_int_equal(earlier.cases[0].verdict, VERDICT_REGRESSION);
    assert_int_equal(decision.cases[0].verdict, VERDICT_MAINTAINED);
    rerun_note(&rerun, &now.arena, &decision);
    result_fini(&before); // what is said must not point into the earlier run
    assert_string_equal(decision.sentence, "rerun 4: said by the rule");
    assert_int_equal(count_notes(&decision, "1 of 3 earlier runs of this code decided against it; "
                                            "run run-1 failed (s512: regression (+5.0 %"),
                     1);
    assert_int_equal(count_notes(&decision, "all of them stand in the record"), 1);
    assert_int_equal(count_notes(&decision, "disagree (exit 1 then, 0 now)"), 1);
    assert_int_equal(count_notes(&decision, "s512: the two runs disagree: regression"), 1);
    assert_int_equal(
        count_notes(&decision,
                    "; the mean of all 15 rounds is +3.3 %, and the first run was chosen for its outcome"),
        1);
    assert_int_equal(count_notes(&decision, "95 %"), 0);    // no interval: its rounds were chosen
    assert_int_equal(count_notes(&decision, "quiet: "), 0); // the same both times
    assert_int_equal(decision.exit_code, 0);                // this run's own
    result_fini(&now);
}

static void runs_that_agree_are_not_set_against_each_other(void **state) {
    (void)state;
    struct result before, now;
    struct decision earlier = decide(&before, 0.05, 0.005, 5), decision = decide(&now, 0.06, 0.005, 5);
    earlier.exit_code = decision.exit_code = 1;
    struct rerun rerun = {.earlier_id = "run-2",
                          .earlier = &earlier,
                          .earlier_run_count = 2,
                          .failed_run_count = 2,
                          .question = "regression 3 % (now 3.5 %)"};
    rerun_note(&rerun, &now.arena, &decision);
    assert_int_equal(count_notes(&decision, "rerun 3: 2 of 2 earlier runs of this code decided "
                                            "against it; the newest of them, run run-2 failed"),
                     1);
    assert_int_equal(count_notes(&decision, "; it asked otherwise: regression 3 % (now 3.5 %); this run"), 1);
    assert_int_equal(count_notes(&decision, "the two runs"), 0);
    result_fini(&before);
    result_fini(&now);
}

static void an_earlier_run_that_is_gone_is_said(void **state) {
    (void)state;
    struct result now;
    struct decision decision = decide(&now, 0, 0.005, 5);
    struct rerun rerun = {
        .earlier_id = "run-1", .earlier_run_count = 1, .failed_run_count = 1, .device_uuid = "cpu-1"};
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "rerun 2: said by the rule");
    assert_int_equal(count_notes(&decision, "1 of 1 earlier run of this code decided against it; the result "
                                            "of run run-1 cannot be read; this run has fresh data"),
                     1);
    result_fini(&now);
}

static void another_device_confirms_nothing(void **state) {
    (void)state;
    struct result before, now;
    struct decision earlier = decide(&before, 0.05, 0.005, 10), decision = decide(&now, 0, 0.005, 10);
    earlier.exit_code = 3;
    struct rerun rerun = {.earlier_id = "run-1",
                          .earlier = &earlier,
                          .earlier_run_count = 1,
                          .earlier_device_uuid = "cpu-1",
                          .device_uuid = "cpu-2"};
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "said by the rule");
    assert_int_equal(count_notes(&decision, "could not be decided in run run-1, but on another device"), 1);
    assert_int_equal(count_notes(&decision, "stand in the record"), 0);
    result_fini(&before);
    result_fini(&now);
}

static void the_mean_is_of_all_rounds(void **state) {
    (void)state;
    static const double d[] = {0.01, 0.03, 0.02, 0.05, 0.04, -0.01, 0.00, 0.02};
    struct round_stats first, second, all;
    assert_int_equal(round_stats_get(d, 5, &first), 0);
    assert_int_equal(round_stats_get(d + 5, 3, &second), 0);
    assert_int_equal(round_stats_get(d, 8, &all), 0);
    struct decision_case a = decision_case_empty(), b = decision_case_empty();
    assert_true(isnan(rerun_mean_pct(&a, &b)));
    a.round_count = 5, a.change_pct = 100 * expm1(first.mean);
    assert_true(isnan(rerun_mean_pct(&a, &b)));
    b.round_count = 3, b.change_pct = 100 * expm1(second.mean);
    assert_true(fabs(rerun_mean_pct(&a, &b) - 100 * expm1(all.mean)) < 1e-9);
}

// What a code host counts and this machine does not know is a rerun, too; runs that both know count once.
static void attempts_count_as_runs(void **state) {
    (void)state;
    struct result before, now;
    struct decision earlier = decide(&before, 0.05, 0.005, 10), decision = decide(&now, 0, 0.005, 10);
    earlier.exit_code = 1;
    struct rerun rerun = {.earlier_attempt_count = 2, .attempt_host = "GitHub"};
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "rerun 3: said by the rule");
    assert_int_equal(count_notes(&decision,
                                 "rerun 3: GitHub says that this is attempt 3 of the job, and this "
                                 "machine does not know what the earlier ones decided; this run has "
                                 "fresh data and says: said by the rule"),
                     1);
    assert_int_equal(decision.note_count, 1);
    decision.sentence = "said by the rule";
    rerun.earlier_id = "run-1";
    rerun.earlier = &earlier;
    rerun.earlier_run_count = 4;
    rerun.failed_run_count = 1;
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "rerun 5: said by the rule");
    assert_int_equal(count_notes(&decision, "rerun 5: 1 of 4 earlier runs of this code decided against it"),
                     1);
    decision.sentence = "said by the rule";
    rerun.earlier_run_count = 1;
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "rerun 3: said by the rule");
    assert_int_equal(count_notes(&decision, "; GitHub says that this is attempt 3 of the job; this run"), 1);
    decision.sentence = "said by the rule"; // a run elsewhere confirms nothing, and the attempts stay
    rerun.earlier_device_uuid = "cpu-2";
    rerun.device_uuid = "cpu-1";
    rerun_note(&rerun, &now.arena, &decision);
    assert_string_equal(decision.sentence, "rerun 3: said by the rule");
    result_fini(&before);
    result_fini(&now);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_runs_stand),
        cmocka_unit_test(runs_that_agree_are_not_set_against_each_other),
        cmocka_unit_test(an_earlier_run_that_is_gone_is_said),
        cmocka_unit_test(another_device_confirms_nothing),
        cmocka_unit_test(the_mean_is_of_all_rounds),
        cmocka_unit_test(attempts_count_as_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
