// SPDX-License-Identifier: Apache-2.0
//
// Problems of the check that a candidate gives up: each once, whatever its inputs; those that the baseline
// supports are removed and cost the exit code, unless that is allowed; of others it is said that it is not
// known.
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"
#include "verdict/removed_checks.h"

#define SMALL "attention/fp32/b1/h2/s33/d16"
#define LARGE "attention/fp32/b1/h2/s40/d16"

// Only side 1 has an outcome.
static void set_outcome(struct result_case *item, enum outcome outcome) {
    memset(item->checks, 0, sizeof item->checks);
    item->checks[1].outcome = outcome;
}

// Four problems of a check, of three shapes, which side 1 does or does not support.
static void make(struct result *result, enum outcome small, enum outcome padded, enum outcome large) {
    static const char *const names[] = {SMALL, SMALL, SMALL, LARGE};
    const enum outcome outcomes[] = {small, small, padded, large};
    made_init(result);
    for (int i = 0; i < 4; ++i) {
        struct result_case *item = made_case_add(result, NULL, names[i]);
        item->memory_layout = i == 2 ? MEMORY_LAYOUT_PADDED : MEMORY_LAYOUT_DENSE;
        item->distribution = i == 1 ? "very_negative" : OP_DISTRIBUTION_DEFAULT;
        set_outcome(item, outcomes[i]);
    }
    result->checks = result->cases;
    result->check_count = result->case_count;
    result->cases = NULL;
    result->case_count = 0;
}

static void each_shape_is_found_once(void **state) {
    (void)state;
    static const struct {
        enum outcome small, padded, large;
        size_t count, indices[3];
    } rows[] = {
        {OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, 3, {0, 2, 3}},
        {OUTCOME_OK, OUTCOME_UNSUPPORTED, OUTCOME_FAIL, 1, {2}},
        {OUTCOME_CRASHED, OUTCOME_TIMEOUT, OUTCOME_NOT_VALID, 0, {0}},
        {OUTCOME_NONE, OUTCOME_SKIPPED, OUTCOME_UNSUPPORTED, 1, {3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct result result;
        size_t found[4];
        make(&result, rows[i].small, rows[i].padded, rows[i].large);
        assert_int_equal(removed_checks_find(&result, 1, found), rows[i].count);
        for (size_t k = 0; k < rows[i].count; ++k) assert_int_equal(found[k], rows[i].indices[k]);
        result_fini(&result);
    }
}

static void a_stored_result_tells_by_check_or_time(void **state) {
    (void)state;
    static const struct {
        enum outcome checked, timed, wanted;
    } rows[] = {
        {OUTCOME_OK, OUTCOME_NONE, OUTCOME_OK},
        {OUTCOME_FAIL, OUTCOME_NONE, OUTCOME_OK}, // wrong, and it says that it supports it
        {OUTCOME_UNSUPPORTED, OUTCOME_NONE, OUTCOME_UNSUPPORTED},
        {OUTCOME_NONE, OUTCOME_OK, OUTCOME_OK},
        {OUTCOME_NOT_VALID, OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED},
        {OUTCOME_NONE, OUTCOME_NONE, OUTCOME_NONE},
        {OUTCOME_SKIPPED, OUTCOME_NOT_VALID, OUTCOME_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct result stored, asked;
        make(&asked, OUTCOME_UNSUPPORTED, OUTCOME_OK, OUTCOME_OK);
        make(&stored, rows[i].checked, OUTCOME_NONE, OUTCOME_OK);
        set_outcome(made_case_add(&stored, NULL, SMALL), rows[i].timed);
        assert_int_equal(removed_checks_stored(&stored, 1, &asked.checks[0]), rows[i].wanted);
        assert_int_equal(removed_checks_stored(&stored, 0, &asked.checks[0]), OUTCOME_NONE); // another side
        assert_int_equal(removed_checks_stored(&stored, 1, &asked.checks[2]), OUTCOME_NONE); // another layout
        result_fini(&stored);
        result_fini(&asked);
    }
}

// A gate with one maintained problem, and a check of which the candidate supports the last shape alone.
static struct decision decide(enum outcome small, enum outcome padded, bool allows_removed, const char *timed,
                              enum verdict timed_verdict, struct arena *arena) {
    struct result result;
    struct err err = {0};
    make(&result, OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, OUTCOME_OK);
    snprintf(result.checks[0].checks[1].message, sizeof result.checks[0].checks[1].message, "too odd");
    size_t indices[4];
    const enum outcome baseline[] = {small, padded};
    const struct removed_checks removed = {.result = &result,
                                           .cand_side = 1,
                                           .count = removed_checks_find(&result, 1, indices),
                                           .indices = indices,
                                           .baseline = baseline,
                                           .unknown_reason = "old.json says nothing of it"};
    struct decision decision = decision_empty("rounds", NULL);
    decision.cases = arena_alloc(arena, sizeof *decision.cases);
    decision.case_count = 1;
    *decision.cases = decision_case_empty();
    decision.cases->name = timed;
    decision_case_set(decision.cases, timed_verdict, REASON_NONE, NULL);
    decision_summarize(&decision, arena);
    removed_checks_add(&removed, arena, &decision);
    const struct gate_options options = {.kind = GATE_GATE, .spec = {.allows_removed = allows_removed}};
    const struct gate_events events = {.result = &result, .cand_side = 1};
    assert_int_equal(gate_rule_apply(&options, &events, arena, &decision, &err), 0);
    result_fini(&result);
    return decision;
}

static void what_the_baseline_supports_is_removed(void **state) {
    (void)state;
    static const struct {
        enum outcome small, padded;
        bool allows_removed;
        int exit_code;
        size_t removed_count, unknown_count;
    } rows[] = {
        {OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, false, 0, 0, 0},
        {OUTCOME_OK, OUTCOME_OK, false, 3, 2, 0},
        {OUTCOME_UNSUPPORTED, OUTCOME_OK, false, 3, 1, 0},
        {OUTCOME_OK, OUTCOME_OK, true, 0, 2, 0},
        {OUTCOME_NONE, OUTCOME_UNSUPPORTED, false, 0, 0, 1},
        {OUTCOME_NONE, OUTCOME_OK, false, 3, 1, 1},
        {OUTCOME_CRASHED, OUTCOME_NOT_VALID, false, 0, 0, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct arena arena = {0};
        const struct decision decision =
            decide(rows[i].small, rows[i].padded, rows[i].allows_removed, LARGE, VERDICT_MAINTAINED, &arena);
        assert_int_equal(decision.exit_code, rows[i].exit_code);
        assert_int_equal(decision.counts[VERDICT_REMOVED], rows[i].removed_count);
        assert_int_equal(decision.case_count, 1 + rows[i].removed_count);
        size_t unknown_count = 0;
        for (size_t k = 0; k < decision.note_count; ++k)
            if (strstr(decision.notes[k], "it is not known"))
                unknown_count += strstr(decision.notes[k], "of 1 problem ") ? 1 : 2;
        assert_int_equal(unknown_count, rows[i].unknown_count);
        for (size_t k = 1; k < decision.case_count; ++k) {
            assert_int_equal(decision.cases[k].verdict, VERDICT_REMOVED);
            assert_int_equal(decision.cases[k].reason, REASON_UNSUPPORTED);
            assert_int_equal(decision.cases[k].let_through != NULL, rows[i].allows_removed);
        }
        arena_fini(&arena);
    }
}

static void each_has_a_name_and_the_kernels_words(void **state) {
    (void)state;
    struct arena arena = {0};
    struct decision decision = decide(OUTCOME_OK, OUTCOME_OK, false, LARGE, VERDICT_MAINTAINED, &arena);
    assert_string_equal(decision.cases[1].name, SMALL);
    assert_non_null(strstr(decision.cases[1].sentence, "which the baseline supports: too odd"));
    assert_string_equal(decision.cases[2].name, SMALL " (padded)");
    // What is removed where it is timed is not listed twice; what is timed and refused in the check is.
    decision = decide(OUTCOME_OK, OUTCOME_UNSUPPORTED, false, SMALL, VERDICT_REMOVED, &arena);
    assert_int_equal(decision.case_count, 1);
    decision = decide(OUTCOME_OK, OUTCOME_UNSUPPORTED, false, SMALL, VERDICT_MAINTAINED, &arena);
    assert_int_equal(decision.case_count, 2);
    assert_string_equal(decision.cases[1].name, SMALL " (in the check)");
    assert_int_equal(decision.exit_code, 3);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_is_found_once),
        cmocka_unit_test(a_stored_result_tells_by_check_or_time),
        cmocka_unit_test(what_the_baseline_supports_is_removed),
        cmocka_unit_test(each_has_a_name_and_the_kernels_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
