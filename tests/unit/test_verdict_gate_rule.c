// SPDX-License-Identifier: Apache-2.0
//
// Exit codes that follow from verdicts: the whole table, all orders of precedence, expectations, removed
// problems.
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule_internal.h"

static const struct gate_options compare_kind = {.kind = GATE_COMPARE}, gate_kind = {.kind = GATE_GATE};
static const struct gate_events no_events = {0};

static int code_of(enum verdict a, enum verdict b, const struct gate_options *options) {
    struct gate_tally tally = {0};
    ++tally.counts[a];
    ++tally.counts[b];
    return gate_rule_exit_code(&tally, options, &no_events);
}

static void compare_puts_invalid_first(void **state) {
    (void)state;
    const enum verdict good = VERDICT_MAINTAINED;
    assert_int_equal(code_of(good, good, &compare_kind), 0);
    assert_int_equal(code_of(VERDICT_IMPROVEMENT, good, &compare_kind), 0);
    assert_int_equal(code_of(VERDICT_NO_DIFFERENCE, good, &compare_kind), 2);
    assert_int_equal(code_of(VERDICT_REGRESSION, VERDICT_NO_DIFFERENCE, &compare_kind), 1);
    assert_int_equal(code_of(VERDICT_WRONG, good, &compare_kind), 1);
    assert_int_equal(code_of(VERDICT_REGRESSION, VERDICT_NOT_VALID, &compare_kind), 3);
    assert_int_equal(code_of(VERDICT_ADDED, VERDICT_REMOVED, &compare_kind), 3); // nothing compared
    assert_int_equal(code_of(VERDICT_ADDED, good, &compare_kind), 0);
    struct gate_options lenient = compare_kind;
    lenient.spec.fails_on_regression_only = true;
    assert_int_equal(code_of(VERDICT_NO_DIFFERENCE, good, &lenient), 0);
    assert_int_equal(code_of(VERDICT_NO_DIFFERENCE, VERDICT_REGRESSION, &lenient), 1);
    assert_int_equal(code_of(VERDICT_NO_DIFFERENCE, VERDICT_NOT_VALID, &lenient), 3);
}

static void gate_puts_worse_first(void **state) {
    (void)state;
    const enum verdict good = VERDICT_MAINTAINED;
    assert_int_equal(code_of(good, VERDICT_IMPROVEMENT, &gate_kind), 0);
    assert_int_equal(code_of(VERDICT_SAME_CODE, VERDICT_SAME_CODE, &gate_kind), 0);
    assert_int_equal(code_of(VERDICT_REGRESSION, VERDICT_NOT_VALID, &gate_kind), 1);
    assert_int_equal(code_of(VERDICT_WRONG, VERDICT_UNDECIDABLE, &gate_kind), 1);
    assert_int_equal(code_of(VERDICT_UNDECIDABLE, good, &gate_kind), 3);
    assert_int_equal(code_of(VERDICT_NOT_VALID, good, &gate_kind), 3);
    assert_int_equal(code_of(VERDICT_REMOVED, good, &gate_kind), 3);
    assert_int_equal(code_of(VERDICT_ADDED, good, &gate_kind), 0);
    assert_int_equal(code_of(VERDICT_NO_DIFFERENCE, good, &gate_kind), 3);
    struct gate_options options = gate_kind;
    options.spec.allows_removed = true;
    assert_int_equal(code_of(VERDICT_REMOVED, good, &options), 0);
    assert_int_equal(code_of(VERDICT_REMOVED, VERDICT_REMOVED, &options), 3); // nothing is left
    const struct gate_events stored = {.is_stored_baseline = true};
    const struct gate_tally same = {.counts = {[VERDICT_NO_DIFFERENCE] = 1}};
    assert_int_equal(gate_rule_exit_code(&same, &gate_kind, &stored), 0);
    struct gate_tally nothing = {0};
    assert_int_equal(gate_rule_exit_code(&nothing, &gate_kind, &no_events), 3);
    assert_int_equal(gate_rule_exit_code(&nothing, &compare_kind, &no_events), 3);
}

// One of ten without a decision may cost nothing, if the manifest says so; two of ten, or all of them, do.
static void undecided_problems_may_be_let_through(void **state) {
    (void)state;
    static const enum verdict open[] = {VERDICT_UNDECIDABLE, VERDICT_NO_DIFFERENCE, VERDICT_NOT_VALID};
    struct gate_options warns = gate_kind;
    warns.spec.warns_of_undecided = true;
    struct gate_options compares = compare_kind;
    compares.spec.warns_of_undecided = true;
    for (size_t i = 0; i < sizeof open / sizeof *open; ++i) {
        struct gate_tally one = {.counts = {[VERDICT_MAINTAINED] = 9}},
                          two = {.counts = {[VERDICT_MAINTAINED] = 8}};
        struct gate_tally all = {.counts = {[VERDICT_ADDED] = 5}};
        one.counts[open[i]] = all.counts[open[i]] = 1;
        two.counts[open[i]] = 2;
        struct gate_tally slower = one, removed = one, unmet = one;
        slower.counts[VERDICT_REGRESSION] = 1;
        removed.counts[VERDICT_REMOVED] = 1;
        unmet.unmet_count = 1;
        assert_int_equal(gate_rule_exit_code(&one, &gate_kind, &no_events), 3);
        assert_int_equal(gate_rule_exit_code(&one, &warns, &no_events), 0);
        assert_int_equal(gate_rule_exit_code(&two, &warns, &no_events), 3);
        assert_int_equal(gate_rule_exit_code(&all, &warns, &no_events), 3);
        assert_int_equal(gate_rule_exit_code(&slower, &warns, &no_events), 1);
        assert_int_equal(gate_rule_exit_code(&removed, &warns, &no_events), 3);
        assert_int_equal(gate_rule_exit_code(&unmet, &warns, &no_events), 1);
        assert_true(gate_rule_exit_code(&one, &compares, &no_events) != 0);
    }
    const struct gate_tally eleven = {.counts = {[VERDICT_MAINTAINED] = 9, [VERDICT_UNDECIDABLE] = 2}};
    assert_int_equal(gate_rule_exit_code(&eleven, &warns, &no_events), 0);
    const struct gate_tally unchecked = {.counts = {[VERDICT_MAINTAINED] = 9, [VERDICT_UNDECIDABLE] = 1},
                                         .unchecked = "not checked"};
    assert_int_equal(gate_rule_exit_code(&unchecked, &warns, &no_events), 3);
}

// The table of gate_rule.h, typed again: what each row asks for when nothing else came about.
static void every_row_has_the_documented_code(void **state) {
    (void)state;
    static const struct {
        enum gate_event event;
        enum verdict verdict;
        int compare_code, gate_code; // -1: no such row
    } documented[] = {
        {GATE_EVENT_NOTHING, VERDICT_NOT_VALID, 3, 3},
        {GATE_EVENT_NONE, VERDICT_MAINTAINED, 0, 0},
        {GATE_EVENT_NONE, VERDICT_IMPROVEMENT, 0, 0},
        {GATE_EVENT_NONE, VERDICT_SAME_CODE, 0, 0},
        {GATE_EVENT_STORED_DRAW, VERDICT_NO_DIFFERENCE, -1, 0},
        {GATE_EVENT_NONE, VERDICT_REGRESSION, 1, 1},
        {GATE_EVENT_NONE, VERDICT_WRONG, 1, 1},
        {GATE_EVENT_WRONG_CHECK, VERDICT_WRONG, -1, 1},
        {GATE_EVENT_RATCHET, VERDICT_WORSE_BUILD, -1, 1},
        {GATE_EVENT_ACCEPTED, VERDICT_REGRESSION, -1, 0},
        {GATE_EVENT_UNMET, VERDICT_NONE, -1, 1},
        {GATE_EVENT_NONE, VERDICT_NO_DIFFERENCE, 2, 3},
        {GATE_EVENT_NONE, VERDICT_UNDECIDABLE, 2, 3},
        {GATE_EVENT_NONE, VERDICT_NOT_VALID, 3, 3},
        {GATE_EVENT_NONE, VERDICT_REMOVED, 3, 3},
        {GATE_EVENT_UNCHECKED, VERDICT_NOT_VALID, -1, 3},
        {GATE_EVENT_NOT_JUDGED, VERDICT_UNDECIDABLE, -1, 3},
        {GATE_EVENT_OUT_OF_TIME, VERDICT_NONE, -1, 3},
        {GATE_EVENT_REFUSED, VERDICT_NONE, -1, 3},
    };
    const size_t count = sizeof documented / sizeof *documented;
    assert_int_equal(count, GATE_ROW_COUNT);
    for (size_t i = 0; i < GATE_ROW_COUNT; ++i) {
        const struct gate_row *row = &gate_rows[i];
        size_t k = 0;
        while (k < count && (documented[k].event != row->event || documented[k].verdict != row->verdict)) ++k;
        assert_true(k < count);
        assert_int_equal(row->gate.code, documented[k].gate_code);
        if (documented[k].compare_code < 0)
            assert_true(row->compare.rank == 0 && !row->compare.headline);
        else
            assert_int_equal(row->compare.code, documented[k].compare_code);
        assert_true(row->gate.headline || row->event == GATE_EVENT_UNCHECKED ||
                    row->event == GATE_EVENT_RATCHET);
    }
}

// Where a row stands among those that cause an exit code: the first of them decides.
static int code_order(int code, enum gate_kind kind) {
    static const int compare[] = {[3] = 0, [1] = 1, [2] = 2, [0] = 3}, gate[] = {[1] = 0, [3] = 1, [0] = 2};
    return kind == GATE_COMPARE ? compare[code] : gate[code];
}

// The lower rank has the code that comes first, so the first row decides whatever else is present. "Nothing
// was judged" comes last: it excludes all rows of a higher code.
static void ranks_keep_the_order_of_the_codes(void **state) {
    (void)state;
    for (int kind = GATE_COMPARE; kind <= GATE_GATE; ++kind)
        for (size_t i = 0; i < GATE_ROW_COUNT; ++i)
            for (size_t k = 0; k < GATE_ROW_COUNT; ++k) {
                const bool is_compare = kind == GATE_COMPARE;
                const struct gate_row_kind *a = is_compare ? &gate_rows[i].compare : &gate_rows[i].gate;
                const struct gate_row_kind *b = is_compare ? &gate_rows[k].compare : &gate_rows[k].gate;
                const bool is_any_nothing =
                    gate_rows[i].event == GATE_EVENT_NOTHING || gate_rows[k].event == GATE_EVENT_NOTHING;
                if (!a->rank || !b->rank || is_any_nothing || i == k) continue;
                // The two rows of "no significant difference" never meet.
                const bool is_same_verdict = gate_rows[i].verdict == VERDICT_NO_DIFFERENCE &&
                                             gate_rows[k].verdict == VERDICT_NO_DIFFERENCE;
                assert_true(a->rank != b->rank || is_same_verdict);
                if (a->rank < b->rank)
                    assert_true(code_order(a->code, (enum gate_kind)kind) <=
                                code_order(b->code, (enum gate_kind)kind));
            }
}

// Every pair of verdicts against the order of the header: 3 before 1 before 2 in a compare, 1 before 3 in a
// gate.
static void every_pair_has_the_documented_code(void **state) {
    (void)state;
    for (int kind = GATE_COMPARE; kind <= GATE_GATE; ++kind)
        for (size_t i = 0; i < GATE_ROW_COUNT; ++i)
            for (size_t k = 0; k < GATE_ROW_COUNT; ++k) {
                const struct gate_row *a = &gate_rows[i], *b = &gate_rows[k];
                if (a->event || b->event) continue;
                if (a->verdict == VERDICT_REMOVED && b->verdict == VERDICT_REMOVED) continue;
                const struct gate_options options = {.kind = (enum gate_kind)kind};
                const bool is_compare = kind == GATE_COMPARE;
                const int x = is_compare ? a->compare.code : a->gate.code;
                const int y = is_compare ? b->compare.code : b->gate.code;
                const bool is_x = code_order(x, options.kind) <= code_order(y, options.kind);
                assert_int_equal(code_of(a->verdict, b->verdict, &options), is_x ? x : y);
            }
}

// Who is to blame: the kernel, or the measurement.
static void only_three_outcomes_are_wrong(void **state) {
    (void)state;
    for (int i = 0; i < OUTCOME_COUNT; ++i)
        assert_int_equal(outcome_is_wrong((enum outcome)i),
                         i == OUTCOME_FAIL || i == OUTCOME_CRASHED || i == OUTCOME_TIMEOUT);
}

static struct decision decision_of(struct decision_case *cases, size_t count, struct arena *arena) {
    static const char *const names[] = {"s512", "mission", "long"};
    struct decision decision = decision_empty("rounds", NULL);
    decision.cases = cases;
    decision.case_count = count;
    for (size_t i = 0; i < count; ++i) cases[i].name = cases[i].short_name = names[i];
    decision_summarize(&decision, arena);
    return decision;
}

static int apply(const char *expect, enum verdict first, enum verdict second, const char **ret_sentence) {
    static struct arena arena; // sentences outlive the call
    struct err err = {0};
    struct decision_case cases[2] = {decision_case_empty(), decision_case_empty()};
    struct gate_options options = gate_kind;
    cases[0].verdict = first;
    cases[1].verdict = second;
    struct decision decision = decision_of(cases, 2, &arena);
    if (expect && gate_spec_parse_expect(expect, &arena, &options.spec, &err) < 0) return -1;
    if (gate_rule_apply(&options, &no_events, &arena, &decision, &err) < 0) return -(int)err.code;
    if (ret_sentence) *ret_sentence = decision.sentence;
    return decision.exit_code;
}

static void a_claim_must_be_proved(void **state) {
    (void)state;
    const char *sentence = NULL;
    assert_int_equal(apply(NULL, VERDICT_MAINTAINED, VERDICT_MAINTAINED, NULL), 0);
    assert_int_equal(apply("improvement", VERDICT_MAINTAINED, VERDICT_MAINTAINED, &sentence), 1);
    assert_non_null(strstr(sentence, "claimed improvement"));
    assert_int_equal(apply("improvement", VERDICT_IMPROVEMENT, VERDICT_MAINTAINED, NULL), 0);
    assert_int_equal(apply("improvement:s512", VERDICT_IMPROVEMENT, VERDICT_MAINTAINED, NULL), 0);
    assert_int_equal(apply("improvement:s512,mission", VERDICT_IMPROVEMENT, VERDICT_MAINTAINED, NULL), 1);
    assert_int_equal(apply("improvement:mission", VERDICT_IMPROVEMENT, VERDICT_UNDECIDABLE, NULL),
                     1); // 1 before 3
    assert_int_equal(apply("improvement", VERDICT_SAME_CODE, VERDICT_SAME_CODE, NULL), 1);
    assert_int_equal(apply("improvement:s513", VERDICT_IMPROVEMENT, VERDICT_MAINTAINED, NULL), -ERR_USAGE);
    assert_int_equal(apply("regression", VERDICT_MAINTAINED, VERDICT_MAINTAINED, NULL), -1);
    assert_int_equal(apply("improvement:", VERDICT_MAINTAINED, VERDICT_MAINTAINED, NULL), -1);
}

// A check that a known wrong result passes too proves nothing that is good, and undoes nothing that is bad.
static void what_is_not_judged_decides_only_what_is_worse(void **state) {
    (void)state;
    static const struct {
        enum verdict first, second;
        int code;
        enum verdict decided;
        const char *sentence;
    } rows[] = {
        {VERDICT_MAINTAINED, VERDICT_IMPROVEMENT, 3, VERDICT_UNDECIDABLE,
         "not judged, since a known wrong result would pass the check: 1 improvement, 1 maintained"},
        {VERDICT_REGRESSION, VERDICT_MAINTAINED, 1, VERDICT_REGRESSION,
         "the candidate is slower: 1 regression, 1 maintained"},
        {VERDICT_WRONG, VERDICT_MAINTAINED, 1, VERDICT_WRONG,
         "the candidate is wrong: 1 maintained, 1 wrong result"},
    };
    struct gate_options lax = gate_kind;
    const char *why = "paged gives the same result whatever 'page_len' is";
    lax.spec.warns_of_undecided = lax.spec.allows_removed = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct decision_case cases[2] = {decision_case_empty(), decision_case_empty()};
        cases[0].verdict = rows[i].first;
        cases[1].verdict = rows[i].second;
        struct decision decision = decision_of(cases, 2, &arena);
        decision.not_judged = &why;
        decision.not_judged_count = 1;
        assert_int_equal(gate_rule_apply(&lax, &no_events, &arena, &decision, &err), 0);
        assert_int_equal(decision.exit_code, rows[i].code);
        assert_int_equal(decision.verdict, rows[i].decided);
        assert_string_equal(decision.sentence, rows[i].sentence);
        arena_fini(&arena);
    }
}

// What lets the second of two problems through, in the words of the decision; NULL: nothing.
static void expect_let_through(const struct gate_options *options, const struct gate_events *events,
                               enum verdict verdict, const char *wanted) {
    struct arena arena = {0};
    struct err err = {0};
    struct decision_case cases[2] = {decision_case_empty(), decision_case_empty()};
    cases[0].verdict = VERDICT_MAINTAINED;
    cases[1].verdict = verdict;
    struct decision decision = decision_of(cases, 2, &arena);
    assert_int_equal(gate_rule_apply(options, events, &arena, &decision, &err), 0);
    assert_null(cases[0].let_through);
    if (!wanted)
        assert_null(cases[1].let_through);
    else
        assert_string_equal(cases[1].let_through, wanted);
    arena_fini(&arena);
}

static void what_lets_a_problem_through_is_said(void **state) {
    (void)state;
    const struct gate_events stored = {.is_stored_baseline = true};
    struct gate_options lax = gate_kind;
    lax.spec.warns_of_undecided = lax.spec.allows_removed = true;
    expect_let_through(&lax, &no_events, VERDICT_REMOVED, "removed problems are allowed");
    expect_let_through(&lax, &no_events, VERDICT_UNDECIDABLE, "gate.undecided: warn");
    expect_let_through(&lax, &no_events, VERDICT_NOT_VALID, "gate.undecided: warn");
    expect_let_through(&lax, &no_events, VERDICT_REGRESSION, NULL);
    expect_let_through(&lax, &stored, VERDICT_NO_DIFFERENCE, NULL); // it would fail nothing
    expect_let_through(&gate_kind, &no_events, VERDICT_REMOVED, NULL);
    expect_let_through(&gate_kind, &no_events, VERDICT_UNDECIDABLE, NULL);
}

// Only regressions are taken on; what else fails a gate still does.
static void only_regressions_are_accepted(void **state) {
    (void)state;
    static const struct {
        const char *what; // NULL: all
        enum verdict first, second;
        int code;
        const char *sentence;
    } rows[] = {
        {NULL, VERDICT_REGRESSION, VERDICT_REGRESSION, 0,
         "the candidate is slower, which was accepted: 2 regressions"},
        {"s512", VERDICT_REGRESSION, VERDICT_MAINTAINED, 0,
         "the candidate is slower, which was accepted: 1 regression, 1 maintained"},
        {"mission", VERDICT_REGRESSION, VERDICT_MAINTAINED, 1,
         "the candidate is slower: 1 regression, 1 maintained"},
        {"s512", VERDICT_REGRESSION, VERDICT_REGRESSION, 1, "the candidate is slower: 2 regressions"},
        {NULL, VERDICT_REGRESSION, VERDICT_WRONG, 1, "the candidate is wrong: 1 regression, 1 wrong result"},
        {NULL, VERDICT_REGRESSION, VERDICT_UNDECIDABLE, 3, "undecidable: 1 regression, 1 undecidable"},
        {NULL, VERDICT_MAINTAINED, VERDICT_MAINTAINED, 0, "nothing got worse: 2 maintained"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct decision_case cases[2] = {decision_case_empty(), decision_case_empty()};
        const struct acceptance taken = {rows[i].what, "since the offsets have 64 bits"};
        const struct gate_events events = {.accepted = {1, &taken}};
        cases[0].verdict = rows[i].first;
        cases[1].verdict = rows[i].second;
        struct decision decision = decision_of(cases, 2, &arena);
        assert_int_equal(gate_rule_apply(&gate_kind, &events, &arena, &decision, &err), 0);
        assert_int_equal(decision.exit_code, rows[i].code);
        assert_string_equal(decision.sentence, rows[i].sentence);
        arena_fini(&arena);
    }
}

static void the_sentence_says_the_worst_and_counts(void **state) {
    (void)state;
    const char *sentence = NULL;
    apply(NULL, VERDICT_REGRESSION, VERDICT_IMPROVEMENT, &sentence);
    assert_string_equal(sentence, "the candidate is slower: 1 regression, 1 improvement");
    apply(NULL, VERDICT_MAINTAINED, VERDICT_IMPROVEMENT, &sentence);
    assert_string_equal(sentence, "nothing got worse, and something got faster: 1 improvement, 1 maintained");
    apply(NULL, VERDICT_SAME_CODE, VERDICT_SAME_CODE, &sentence);
    assert_string_equal(sentence, "same machine code, nothing to measure: 2 same machine code");
    apply(NULL, VERDICT_UNDECIDABLE, VERDICT_MAINTAINED, &sentence);
    assert_string_equal(sentence, "undecidable: 1 maintained, 1 undecidable");
    // What causes exit code 1 is named, also where nothing could be compared.
    assert_int_equal(apply("improvement", VERDICT_ADDED, VERDICT_REMOVED, &sentence), 1);
    assert_string_equal(sentence, "the claimed improvement is not proved: 1 added, 1 removed");
}

// "No significant difference" against a stored baseline is not what fails the gate: the removed problem is.
static void a_removed_problem_is_named_before_a_draw(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct decision_case cases[2] = {decision_case_empty(), decision_case_empty()};
    cases[0].verdict = VERDICT_NO_DIFFERENCE;
    cases[1].verdict = VERDICT_REMOVED;
    struct decision decision = decision_of(cases, 2, &arena);
    const struct gate_events stored = {.is_stored_baseline = true};
    assert_int_equal(gate_rule_apply(&gate_kind, &stored, &arena, &decision, &err), 0);
    assert_int_equal(decision.exit_code, 3);
    assert_int_equal(decision.verdict, VERDICT_REMOVED);
    assert_string_equal(decision.sentence, "a problem was removed: 1 no significant difference, 1 removed");
    arena_fini(&arena);
}

// A gate of two improved problems whose matrix of three has these outcomes.
static int apply_matrix(enum outcome first, enum outcome others, struct result *result,
                        struct decision *ret) {
    struct err err = {0};
    made_init(result);
    result->check_suite = "fuzz";
    for (int i = 0; i < 3; ++i) made_case_add(result, "s512", "attention/fp32/b2/h8/s512/d64");
    for (int i = 0; i < 3; ++i)
        result->cases[i].checks[1] = (struct check_result){.outcome = i ? others : first};
    result->checks = result->cases;
    result->check_count = result->case_count;
    struct decision_case *cases = arena_array(&result->arena, 2, sizeof *cases);
    for (int i = 0; i < 2; ++i) {
        cases[i] = decision_case_empty();
        cases[i].verdict = VERDICT_IMPROVEMENT;
    }
    *ret = decision_of(cases, 2, &result->arena);
    if (gate_rule_apply(&gate_kind, &(struct gate_events){.result = result, .cand_side = 1}, &result->arena,
                        ret, &err) < 0)
        fail_msg("%s", err.text);
    return ret->exit_code;
}

static void made_check_add(struct result *result, enum outcome outcome) {
    struct result_case *grown = arena_array(&result->arena, result->check_count + 1, sizeof *grown);
    if (result->check_count) memcpy(grown, result->checks, result->check_count * sizeof *grown);
    grown[result->check_count++].checks[1].outcome = outcome;
    result->checks = grown;
}

// Time that was over in the middle of the matrix is no fault of the suite; what was found wrong before stays
// wrong.
static void out_of_time_is_said_as_such(void **state) {
    (void)state;
    for (int is_wrong = 0; is_wrong < 2; ++is_wrong) {
        struct result result;
        struct err err = {0};
        struct decision_case open = {.name = "a", .verdict = VERDICT_UNDECIDABLE};
        struct decision decision = {.case_count = 1, .cases = &open};
        decision.counts[VERDICT_UNDECIDABLE] = 1;
        made_init(&result);
        made_check_add(&result, is_wrong ? OUTCOME_FAIL : OUTCOME_UNSUPPORTED);
        made_check_add(&result, OUTCOME_NONE);
        const struct gate_events events = {.result = &result, .cand_side = 1, .is_out_of_time = true};
        assert_int_equal(gate_rule_apply(&gate_kind, &events, &result.arena, &decision, &err), 0);
        assert_int_equal(decision.exit_code, is_wrong ? 1 : 3);
        assert_int_equal(decision.verdict, is_wrong ? VERDICT_WRONG : VERDICT_UNDECIDABLE);
        if (!is_wrong) {
            assert_string_equal(decision.sentence, "the time of the run was over: 1 undecidable");
            assert_non_null(strstr(decision.notes[0], "passed 0 of the 2 problems"));
        }
        result_fini(&result);
    }
}

// A check that could not be made is not one that was passed.
static void what_could_not_be_checked_is_not_valid(void **state) {
    (void)state;
    static const enum outcome outcomes[] = {OUTCOME_NOT_VALID, OUTCOME_SKIPPED};
    for (size_t i = 0; i < 2; ++i) {
        struct result result;
        struct err err = {0};
        struct decision_case fine = {.name = "a", .verdict = VERDICT_MAINTAINED};
        struct decision decision = {.case_count = 1, .cases = &fine};
        decision.counts[VERDICT_MAINTAINED] = 1;
        made_init(&result);
        result.check_suite = "fuzz";
        made_check_add(&result, OUTCOME_OK);
        assert_int_equal(gate_rule_apply(&gate_kind, &(struct gate_events){.result = &result, .cand_side = 1},
                                         &result.arena, &decision, &err),
                         0);
        assert_int_equal(decision.exit_code, 0);
        made_check_add(&result, outcomes[i]);
        strcpy(result.checks[1].checks[1].message, "no memory for 80 GB");
        assert_int_equal(gate_rule_apply(&gate_kind, &(struct gate_events){.result = &result, .cand_side = 1},
                                         &result.arena, &decision, &err),
                         0);
        assert_int_equal(decision.exit_code, 3);
        assert_int_equal(decision.verdict, VERDICT_NOT_VALID);
        assert_string_equal(decision.notes[decision.note_count - 1],
                            "the candidate could not be checked on 1 of the 2 problems of suite fuzz; the "
                            "first: no memory for 80 GB");
        result_fini(&result);
    }
}

static void what_passed_no_check_is_no_success(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    assert_int_equal(apply_matrix(OUTCOME_OK, OUTCOME_OK, &result, &decision), 0);
    assert_int_equal(decision.note_count, 0);
    result_fini(&result);
    assert_int_equal(apply_matrix(OUTCOME_UNSUPPORTED, OUTCOME_UNSUPPORTED, &result, &decision), 3);
    assert_int_equal(decision.verdict, VERDICT_NOT_VALID);
    assert_string_equal(decision.sentence,
                        "the candidate supports none of the 3 problems of suite fuzz: 2 improvements");
    assert_non_null(strstr(decision.notes[0], "gate.check"));
    result_fini(&result);
    assert_int_equal(apply_matrix(OUTCOME_NONE, OUTCOME_UNSUPPORTED, &result, &decision), 3);
    assert_non_null(strstr(decision.sentence, "was checked on none of the 3 problems"));
    result_fini(&result);
    assert_int_equal(apply_matrix(OUTCOME_OK, OUTCOME_UNSUPPORTED, &result, &decision), 0);
    assert_non_null(strstr(decision.notes[0], "does not support 2 of the 3 problems of suite fuzz"));
    result_fini(&result);
    assert_int_equal(apply_matrix(OUTCOME_FAIL, OUTCOME_UNSUPPORTED, &result, &decision), 1);
    assert_int_equal(decision.verdict, VERDICT_WRONG);
    result_fini(&result);
}

// A candidate that supports nothing of the matrix cannot pass whatever it takes, so it is not measured.
static void a_matrix_without_a_supported_problem_ends_it(void **state) {
    (void)state;
    const struct gate_spec spec = gate_spec_none();
    struct result result;
    struct err err = {0};
    made_init(&result);
    result.check_suite = "half";
    made_case_add(&result, "s512", "attention/fp32/b2/h8/s512/d64");
    assert_false(gate_rule_is_unchecked(&result, 1)); // no matrix: --no-check
    made_check_add(&result, OUTCOME_UNSUPPORTED);
    strcpy(result.checks[0].checks[1].message, "fp32 only");
    assert_true(gate_rule_is_unchecked(&result, 1));
    struct decision decision = gate_rule_unchecked(&result, &spec, &result.arena);
    assert_int_equal(gate_rule_apply(&gate_kind, &(struct gate_events){.result = &result, .cand_side = 1},
                                     &result.arena, &decision, &err),
                     0);
    assert_int_equal(decision.exit_code, 3);
    assert_string_equal(decision.sentence,
                        "the candidate supports none of the 1 problems of suite half: 1 invalid");
    assert_non_null(strstr(decision.notes[0], "suite half (fp32 only), so nothing shows that it is right"));
    made_check_add(&result, OUTCOME_OK);
    assert_false(gate_rule_is_unchecked(&result, 1));
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_three_outcomes_are_wrong),
        cmocka_unit_test(what_lets_a_problem_through_is_said),
        cmocka_unit_test(what_is_not_judged_decides_only_what_is_worse),
        cmocka_unit_test(only_regressions_are_accepted),
        cmocka_unit_test(compare_puts_invalid_first),
        cmocka_unit_test(gate_puts_worse_first),
        cmocka_unit_test(undecided_problems_may_be_let_through),
        cmocka_unit_test(every_row_has_the_documented_code),
        cmocka_unit_test(ranks_keep_the_order_of_the_codes),
        cmocka_unit_test(every_pair_has_the_documented_code),
        cmocka_unit_test(a_claim_must_be_proved),
        cmocka_unit_test(the_sentence_says_the_worst_and_counts),
        cmocka_unit_test(a_removed_problem_is_named_before_a_draw),
        cmocka_unit_test(out_of_time_is_said_as_such),
        cmocka_unit_test(what_could_not_be_checked_is_not_valid),
        cmocka_unit_test(a_matrix_without_a_supported_problem_ends_it),
        cmocka_unit_test(what_passed_no_check_is_no_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
