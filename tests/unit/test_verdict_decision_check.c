// SPDX-License-Identifier: Apache-2.0
//
// A decision that its file's samples do not give is found out; what cannot be computed anew is not doubted.
#include "unit/made_result.h"
#include "verdict/decision_check.h"
#include "verdict/rounds/rounds.h"

// Two problems, decided: s512 8 % slower, small unchanged.
static void begin(struct result *result, struct decision *decision) {
    struct rounds_options options = rounds_options_default();
    struct err err = {0};
    made_init(result);
    made_rounds_add(result, made_case_add(result, "s512", "attention/fp32/b2/h8/s512/d64"), 12, 0.08, 0.003);
    made_rounds_add(result, made_case_add(result, "small", "attention/fp32/b2/h8/s256/d64"), 5, 0, 0.003);
    options.is_final = true;
    assert_int_equal(
        verdict_rounds(result, (struct rounds_sides){0, 1}, &options, &result->arena, decision, &err), 0);
    assert_int_equal(decision->cases[0].verdict, VERDICT_REGRESSION);
    assert_int_equal(decision->cases[0].round_count, 10); // of twelve: the look that decided
    assert_int_equal(decision->cases[1].verdict, VERDICT_MAINTAINED);
    decision->exit_code = 1;
    result->decision = decision;
}

static const char *said(struct result *result) {
    const char *ret;
    assert_int_equal(decision_check(result, &result->arena, &ret), 0);
    return ret;
}

static void what_was_decided_is_what_samples_give(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    begin(&result, &decision);
    assert_null(said(&result));
    decision.cases[0].median_cand_ns *= 1 + 1e-6; // written again with six digits
    decision.cases[0].accepted = "label";
    assert_null(said(&result));
    result_fini(&result);
}

static void changed_figures_are_found(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    begin(&result, &decision);
    struct decision_case *item = &decision.cases[0];
    const struct decision_case before = *item;
    item->median_cand_ns = 1;
    assert_non_null(said(&result));
    *item = before;
    item->change_pct = -40;
    item->verdict = VERDICT_IMPROVEMENT;
    assert_non_null(strstr(said(&result), "on 1 of 2 problems: the file was changed, or another version"));
    assert_non_null(strstr(said(&result), "(s512: recorded medians 1e+06 and 1.08e+06, change -40.00 %, "
                                          "improvement; by its samples 1e+06 and 1.08e+06, +8.00 %)"));
    *item = before;
    item->verdict = VERDICT_MAINTAINED; // with the change of a regression
    assert_non_null(said(&result));
    *item = before;
    item->change_pct = NAN;
    item->verdict = VERDICT_IMPROVEMENT;
    assert_non_null(said(&result));
    *item = before;
    item->round_count = 13;
    assert_non_null(strstr(said(&result), "recorded of 13 rounds, and 12 have samples"));
    result_fini(&result);
}

// Verdicts of what was not measured, over samples of both sides: whatever else is taken out of the decision.
static void measured_problems_were_measured(void **state) {
    (void)state;
    const enum verdict verdicts[] = {VERDICT_SAME_CODE, VERDICT_ADDED, VERDICT_REMOVED, VERDICT_NONE,
                                     VERDICT_NO_DIFFERENCE};
    struct result result;
    struct decision decision;
    begin(&result, &decision);
    struct decision_case *item = &decision.cases[0];
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; ++i) {
        item->verdict = verdicts[i];
        assert_non_null(strstr(said(&result), "+8.00 %"));
    }
    item->change_pct = NAN;
    item->verdict = VERDICT_SAME_CODE;
    assert_non_null(strstr(said(&result), "(s512: recorded as same machine code; by its samples 1e+06 and "
                                          "1.08e+06, +8.00 %)"));
    decision.rule = "same_code";
    decision.cases[1].verdict = VERDICT_SAME_CODE;
    assert_non_null(strstr(said(&result), "on 2 of 2 problems"));
    result.cases[0].round_count = result.cases[1].round_count = 0;
    assert_null(said(&result));
    result_fini(&result);
}

static void a_regression_has_no_exit_code_0(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    begin(&result, &decision);
    decision.exit_code = 1;
    assert_null(said(&result));
    decision.exit_code = 0;
    assert_non_null(
        strstr(said(&result), "exit code is 0, and s512 is recorded as regression, which nothing"));
    decision.cases[0].let_through = "gate.undecided: warn"; // no regression
    assert_non_null(said(&result));
    decision.cases[0].accepted = "64-bit offsets";
    assert_null(said(&result));
    decision.cases[1].verdict = VERDICT_UNDECIDABLE;
    assert_non_null(strstr(said(&result), "small is recorded as undecidable"));
    decision.cases[1].let_through = "gate.undecided: warn";
    assert_null(said(&result));
    decision.cases[1].verdict = VERDICT_WRONG;
    assert_non_null(said(&result));
    result_fini(&result);
}

static void what_has_no_samples_is_as_recorded(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    begin(&result, &decision);
    decision.cases[0].change_pct = -40;
    decision.cases[0].name = "simd: attention/fp32/b2/h8/s512/d64"; // of a family: in another document
    assert_null(said(&result));
    decision.cases[0].name = decision.cases[1].name;
    decision.rule = "classic";
    assert_null(said(&result));
    decision.rule = "rounds";
    assert_non_null(said(&result));
    result.cases[1].round_count = 0;
    assert_null(said(&result));
    result.sides[0].role = SIDE_PEER;
    assert_null(said(&result));
    result.decision = NULL;
    assert_null(said(&result));
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_decided_is_what_samples_give),
        cmocka_unit_test(changed_figures_are_found),
        cmocka_unit_test(measured_problems_were_measured),
        cmocka_unit_test(a_regression_has_no_exit_code_0),
        cmocka_unit_test(what_has_no_samples_is_as_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
