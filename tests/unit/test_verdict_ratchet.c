// SPDX-License-Identifier: Apache-2.0
//
// Ratchets: what an allowance is, which of two is the stricter one, what is judged, and what a gate makes of
// it.
#include <math.h>

#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"
#include "verdict/ratchet_rule.h"

static struct arena arena;

static struct ratchet allowed(const char *text) {
    struct ratchet ratchet = {0};
    if (!ratchet_parse(text, &ratchet)) fail_msg("'%s' is no allowance", text);
    return ratchet;
}

static void test_parse(void **state) {
    (void)state;
    static const char *const right[][2] = {
        {"0", "0"}, {"5 %", "5 %"}, {"5%", "5 %"}, {"1.5", "1.5"}, {"1e3", "1000"}};
    static const char *const wrong[] = {
        "",    "%",         " ",    "-1",    "nan",
        "inf", "5 percent", "1e99", "5 % %", "00000000000000000000000000000000000001"};
    struct ratchet ratchet;
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
        ratchet = allowed(right[i][0]);
        assert_string_equal(ratchet_text(&ratchet, &arena), right[i][1]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        if (ratchet_parse(wrong[i], &ratchet)) fail_msg("'%s' is an allowance", wrong[i]);
    assert_null(ratchet_text(&(struct ratchet){0}, &arena));
}

static void test_stricter(void **state) {
    (void)state;
    const struct ratchet none = {0}, zero = allowed("0"), two = allowed("2"), five = allowed("5 %");
    assert_true(ratchet_is_stricter(&two, &none) && !ratchet_is_stricter(&none, &two));
    assert_true(ratchet_is_stricter(&zero, &two) && !ratchet_is_stricter(&two, &zero));
    assert_true(ratchet_is_stricter(&zero, &five) && !ratchet_is_stricter(&five, &zero));
    assert_false(ratchet_is_stricter(&two, &five) || ratchet_is_stricter(&five, &two));
    assert_false(ratchet_is_stricter(&none, &none) || ratchet_is_stricter(&two, &two));
}

static struct decision judged(const char *allowance, enum compiler_figure figure,
                              const struct build_report *base, const struct build_report *cand) {
    struct ratchets ratchets = {0};
    struct decision decision = decision_empty("rounds", NULL);
    ratchets.of[figure] = allowed(allowance);
    ratchet_judge(&ratchets, base, cand, &arena, &decision);
    assert_int_equal(decision.ratchet_count, 1);
    return decision;
}

static enum ratchet_outcome registers(const char *allowance, int64_t base, int64_t cand) {
    struct build_report a = build_report_unknown(), b = build_report_unknown();
    a.registers = base;
    b.registers = cand;
    return judged(allowance, COMPILER_REGISTERS, &a, &b).ratchets[0].outcome;
}

static void test_outcomes(void **state) {
    (void)state;
    assert_int_equal(registers("0", 64, 64), RATCHET_HELD);
    assert_int_equal(registers("0", 64, 65), RATCHET_WORSE);
    assert_int_equal(registers("0", 64, 32), RATCHET_HELD); // and no improvement
    assert_int_equal(registers("8", 64, 72), RATCHET_HELD);
    assert_int_equal(registers("8", 64, 73), RATCHET_WORSE);
    assert_int_equal(registers("25 %", 64, 80), RATCHET_HELD);
    assert_int_equal(registers("25 %", 64, 81), RATCHET_WORSE);
    assert_int_equal(registers("25 %", 0, 1), RATCHET_WORSE); // of nothing
    assert_int_equal(registers("0", -1, 64), RATCHET_UNKNOWN);
    assert_int_equal(registers("0", 64, -1), RATCHET_UNKNOWN);
    struct build_report a = build_report_unknown(), b = build_report_unknown();
    a.build_s = 1;
    b.build_s = 1.5;
    assert_int_equal(judged("20 %", COMPILER_COMPILE_S, &a, &b).ratchets[0].outcome, RATCHET_WORSE);
    a.is_from_ccache = true; // no compiler ran
    const struct decision decision = judged("20 %", COMPILER_COMPILE_S, &a, &b);
    assert_int_equal(decision.ratchets[0].outcome, RATCHET_UNKNOWN);
    assert_string_equal(decision.ratchets[0].sentence,
                        "compilation: not known -> 1.5 s; not judged, since the baseline has no such figure");
}

// A worse build fails a gate that measured nothing worse, under its own verdict; a regression has priority.
static void test_gate(void **state) {
    (void)state;
    struct build_report a = build_report_unknown(), b = build_report_unknown();
    struct decision_case cases[1] = {decision_case_empty()};
    const struct gate_options options = {.kind = GATE_GATE};
    struct err err = {0};
    a.spill_bytes = 0;
    b.spill_bytes = 64;
    for (int is_slower = 0; is_slower < 2; ++is_slower) {
        struct decision decision = judged("0", COMPILER_SPILLS, &a, &b);
        const enum verdict verdict = is_slower ? VERDICT_REGRESSION : VERDICT_IMPROVEMENT;
        decision_case_set(&cases[0], verdict, REASON_NONE, NULL);
        decision.cases = cases;
        decision.case_count = 1;
        decision_summarize(&decision, &arena);
        assert_int_equal(gate_rule_apply(&options, &(struct gate_events){0}, &arena, &decision, &err), 0);
        assert_int_equal(decision.exit_code, 1);
        assert_int_equal(decision.verdict, is_slower ? VERDICT_REGRESSION : VERDICT_WORSE_BUILD);
        assert_string_equal(decision.sentence,
                            is_slower ? "the candidate is slower: 1 regression"
                                      : "the compiler made it worse (spills 0 bytes -> 64 bytes): "
                                        "1 improvement");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_stricter),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_gate),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
