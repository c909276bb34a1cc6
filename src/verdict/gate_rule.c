// SPDX-License-Identifier: Apache-2.0
//
// The table of verdicts and events, and from it the exit code, verdict and sentence of a decision.
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule_internal.h"
#include "verdict/ratchet_rule.h"

// Rows are in the order in which the sentence names them; ranks say that exit code 1 wins over 3 in a gate,
// and 3 over 1 in a compare.
const struct gate_row gate_rows[GATE_ROW_COUNT] = {
    {.event = GATE_EVENT_NOTHING,
     .verdict = VERDICT_NOT_VALID,
     .compare = {3, 10, "nothing could be compared"},
     .gate = {3, 16, "nothing could be compared"}},
    {.event = GATE_EVENT_OUT_OF_TIME, .gate = {3, 0, "the time of the run was over"}},
    {.verdict = VERDICT_WRONG,
     .compare = {1, 3, "the candidate is wrong"},
     .gate = {1, 1, "the candidate is wrong"}},
    {.event = GATE_EVENT_WRONG_CHECK, .verdict = VERDICT_WRONG, .gate = {1, 2, "the candidate is wrong"}},
    {.verdict = VERDICT_REGRESSION,
     .compare = {1, 4, "the candidate is slower"},
     .gate = {1, 3, "the candidate is slower"}},
    {.event = GATE_EVENT_RATCHET, .verdict = VERDICT_WORSE_BUILD, .gate = {1, 4, NULL}},
    {.event = GATE_EVENT_UNMET, .gate = {1, 5, "the claimed improvement is not proved"}},
    {.event = GATE_EVENT_UNCHECKED, .verdict = VERDICT_NOT_VALID, .gate = {3, 6, NULL}},
    {.event = GATE_EVENT_NOT_JUDGED,
     .verdict = VERDICT_UNDECIDABLE,
     .gate = {3, 7, "not judged, since a known wrong result would pass the check"}},
    {.event = GATE_EVENT_REFUSED,
     .gate = {3, 0, "not measured, since this machine cannot detect a change of the threshold's size"}},
    {.verdict = VERDICT_NOT_VALID,
     .compare = {3, 1, "not comparable"},
     .gate = {3, 8, "not measured validly"}},
    {.event = GATE_EVENT_ACCEPTED,
     .verdict = VERDICT_REGRESSION,
     .gate = {0, 12, "the candidate is slower, which was accepted"}},
    {.verdict = VERDICT_IMPROVEMENT,
     .compare = {0, 7, "improved"},
     .gate = {0, 13, "nothing got worse, and something got faster"}},
    {.verdict = VERDICT_UNDECIDABLE,
     .compare = {2, 5, "no significant difference"},
     .gate = {3, 9, "undecidable"}},
    {.verdict = VERDICT_NO_DIFFERENCE,
     .compare = {2, 6, "no significant difference"},
     .gate = {3, 11, "undecidable"}},
    {.verdict = VERDICT_REMOVED,
     .compare = {3, 2, "a problem was removed"},
     .gate = {3, 10, "a problem was removed"}},
    {.event = GATE_EVENT_STORED_DRAW,
     .verdict = VERDICT_NO_DIFFERENCE,
     .gate = {0, 11, "nothing is proved to be worse"}},
    {.verdict = VERDICT_MAINTAINED, .compare = {0, 8, "maintained"}, .gate = {0, 14, "nothing got worse"}},
    {.verdict = VERDICT_SAME_CODE,
     .compare = {0, 9, "same machine code, nothing to measure"},
     .gate = {0, 15, "same machine code, nothing to measure"}},
};

static const struct gate_row_kind *row_kind(const struct gate_row *row, const struct gate_options *options) {
    return options->kind == GATE_COMPARE ? &row->compare : &row->gate;
}

// gate.undecided: warn lets one problem of ten (rounded up) stay without a decision, and never all: else a
// kernel that varies enough would pass by being undecidable.
static size_t let_through_count(const struct gate_tally *tally, const struct gate_options *options) {
    static const enum verdict open[] = {VERDICT_UNDECIDABLE, VERDICT_NO_DIFFERENCE, VERDICT_NOT_VALID};
    size_t open_count = 0, all = 0;
    if (options->kind != GATE_GATE || !options->spec.warns_of_undecided) return 0;
    for (size_t i = 0; i < sizeof open / sizeof *open; ++i) open_count += tally->counts[open[i]];
    for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v)
        if (v != VERDICT_ADDED && v != VERDICT_REMOVED) all += tally->counts[v];
    return open_count < all && open_count <= (all + 9) / 10 ? open_count : 0;
}

static bool is_let_through(enum verdict verdict, const struct gate_tally *tally,
                           const struct gate_options *options) {
    const bool is_open =
        verdict == VERDICT_UNDECIDABLE || verdict == VERDICT_NO_DIFFERENCE || verdict == VERDICT_NOT_VALID;
    return is_open && let_through_count(tally, options) > 0;
}

static bool is_present(const struct gate_row *row, const struct gate_tally *tally,
                       const struct gate_options *options, const struct gate_events *events) {
    const size_t *counts = tally->counts;
    size_t judged_count = 0;
    switch (row->event) {
    case GATE_EVENT_NONE:
        if (row->verdict == VERDICT_REMOVED && options->spec.allows_removed) return false;
        if (row->verdict == VERDICT_NO_DIFFERENCE && events->is_stored_baseline) return false;
        if (is_let_through(row->verdict, tally, options)) return false;
        return counts[row->verdict];
    case GATE_EVENT_NOTHING:
        for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v)
            if (v != VERDICT_ADDED && v != VERDICT_REMOVED) judged_count += counts[v];
        return judged_count + tally->accepted_count == 0;
    case GATE_EVENT_OUT_OF_TIME: return events->is_out_of_time;
    case GATE_EVENT_WRONG_CHECK: return tally->wrong_check_count;
    case GATE_EVENT_RATCHET: return tally->worse_build;
    case GATE_EVENT_UNMET: return tally->unmet_count;
    case GATE_EVENT_UNCHECKED: return tally->unchecked;
    case GATE_EVENT_NOT_JUDGED: return tally->is_not_judged;
    case GATE_EVENT_REFUSED: return events->is_refused;
    case GATE_EVENT_ACCEPTED: return tally->accepted_count;
    case GATE_EVENT_STORED_DRAW: return events->is_stored_baseline && counts[VERDICT_NO_DIFFERENCE];
    case GATE_EVENT_COUNT: break;
    }
    return false;
}

// The present row with the lowest rank; with_verdict: only rows that set a verdict.
static const struct gate_row *find_first(const struct gate_tally *tally, const struct gate_options *options,
                                         const struct gate_events *events, bool with_verdict) {
    const struct gate_row *ret = NULL;
    for (size_t i = 0; i < GATE_ROW_COUNT; ++i) {
        const struct gate_row *row = &gate_rows[i];
        const int rank = row_kind(row, options)->rank;
        if (rank == 0 || (with_verdict && row->verdict == VERDICT_NONE)) continue;
        if (ret && rank > row_kind(ret, options)->rank) continue;
        if (is_present(row, tally, options, events)) ret = row;
    }
    return ret; // never NULL: GATE_EVENT_NOTHING is present if no problem was judged
}

int gate_rule_exit_code(const struct gate_tally *tally, const struct gate_options *options,
                        const struct gate_events *events) {
    const int code = row_kind(find_first(tally, options, events, false), options)->code;
    return code == 2 && options->spec.fails_on_regression_only ? 0 : code;
}

// One of the expected improvements is not proved: a note, and what the decision says of the claim.
static void add_unmet(struct arena *arena, struct decision *decision, const char *sentence, size_t *count) {
    ++*count;
    decision_note(decision, arena, "%s", sentence);
    decision->unmet = decision->unmet ? arena_format(arena, "%s; %s", decision->unmet, sentence) : sentence;
}

// Counts the expected improvements that are not proved. ERR_USAGE: an expected problem that this decision
// does not have.
static int count_unmet(const struct gate_spec *spec, struct arena *arena, struct decision *decision,
                       size_t *ret_unmet, struct err *err) {
    struct comma_item name;
    *ret_unmet = 0;
    if (!spec->expects_improvement) return 0;
    decision->claim = spec->expected_problems ? arena_format(arena, "improvement:%s", spec->expected_problems)
                                              : "improvement";
    if (!spec->expected_problems && !decision->counts[VERDICT_IMPROVEMENT])
        add_unmet(arena, decision, "an improvement was expected and is proved on no problem", ret_unmet);
    for (const char *at = spec->expected_problems; comma_next(&at, &name);) {
        const struct decision_case *item = NULL;
        for (size_t i = 0; i < decision->case_count && !item; ++i)
            if (comma_item_is(name, decision_case_name(&decision->cases[i])) ||
                comma_item_is(name, decision->cases[i].name))
                item = &decision->cases[i];
        if (!item)
            return err_set(
                err, ERR_USAGE,
                "an improvement is expected on '%.*s', which is not among the %zu problems decided",
                (int)name.length, name.text, decision->case_count);
        if (item->verdict == VERDICT_IMPROVEMENT) continue;
        add_unmet(arena, decision,
                  arena_format(arena, "expected improvement not proved on %.*s: %s", (int)name.length,
                               name.text, verdict_text(item->verdict)),
                  ret_unmet);
    }
    return 0;
}

// Counts and notes the candidate's results on the correctness matrix. If nothing passed, the matrix proves
// nothing.
static void note_checks(const struct gate_events *events, struct arena *arena, struct gate_tally *tally,
                        struct decision *decision) {
    const struct result *result = events->result;
    const size_t all = result ? result->check_count : 0;
    size_t passed = 0, unsupported = 0, wrong = 0, unchecked = 0;
    const char *message = ""; // of the first that could not be checked
    const char *refusal = ""; // of the first that is not supported
    if (all == 0) return;
    for (size_t i = 0; i < all; ++i) {
        const struct check_result *check = &result->checks[i].checks[events->cand_side];
        passed += check->outcome == OUTCOME_OK;
        if (check->outcome == OUTCOME_UNSUPPORTED && unsupported++ == 0) refusal = check->message;
        wrong += outcome_is_wrong(check->outcome);
        if (check->outcome != OUTCOME_NOT_VALID && check->outcome != OUTCOME_SKIPPED) continue;
        if (unchecked++ == 0) message = check->message;
    }
    const char *suite = str_or(result->check_suite, "of checks");
    tally->wrong_check_count = wrong;
    if (wrong) {
        decision_note(decision, arena, "the candidate fails %zu of %zu problems of the correctness matrix",
                      wrong, all);
    } else if (unchecked) {
        tally->unchecked =
            arena_format(arena, "the candidate could not be checked on %zu of the %zu problems of suite %s",
                         unchecked, all, suite);
        decision_note(decision, arena, "%s%s%s", tally->unchecked, *message ? "; the first: " : "", message);
    } else if (events->is_out_of_time) {
        decision_note(decision, arena,
                      "the candidate passed %zu of the %zu problems of suite %s before the time was over",
                      passed, all, suite);
    } else if (passed == 0) {
        tally->unchecked =
            arena_format(arena, "the candidate %s the %zu problems of suite %s",
                         unsupported == all ? "supports none of" : "was checked on none of", all, suite);
        decision_note(decision, arena,
                      "%s%s%s%s, so nothing shows that it is right: name another suite with --check or "
                      "gate.check",
                      tally->unchecked, *refusal ? " (" : "", refusal, *refusal ? ")" : "");
    } else if (unsupported) {
        decision_note(decision, arena,
                      "the candidate does not support %zu of the %zu problems of suite %s: it was checked on "
                      "the others",
                      unsupported, all, suite);
    }
}

// Says at each problem that would fail the gate, and does not, what lets it through.
static void mark_let_through(const struct gate_tally *tally, const struct gate_options *options,
                             const struct gate_events *events, struct decision *decision) {
    for (size_t i = 0; i < decision->case_count; ++i) {
        struct decision_case *item = &decision->cases[i];
        const bool is_draw = item->verdict == VERDICT_NO_DIFFERENCE && events->is_stored_baseline;
        if (item->verdict == VERDICT_REMOVED && options->spec.allows_removed)
            item->let_through = "removed problems are allowed";
        else if (!is_draw && is_let_through(item->verdict, tally, options))
            item->let_through = "gate.undecided: warn";
    }
}

// Files with too few samples can be compared; what they say decides nothing.
static bool lacks_samples_only(const struct decision *decision) {
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision->cases[i].verdict == VERDICT_NOT_VALID &&
            !reason_lacks_samples(decision->cases[i].reason))
            return false;
    return true;
}

// "1 regression, 2 improvements, 3 maintained"
static const char *list_counts(const struct decision *decision, struct arena *arena) {
    struct strbuf text = {0};
    for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v) {
        const size_t count = decision->counts[v];
        if (count) comma_addf(&text, "%zu %s", count, verdict_text_of(count, (enum verdict)v));
    }
    if (decision->counts[VERDICT_NONE]) comma_addf(&text, "%zu left out", decision->counts[VERDICT_NONE]);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// The headline of the first present row that explains the exit code. Codes 0 and 2 are explained by what got
// faster, even if other problems show no significant difference.
static const char *headline(const struct decision *decision, const struct gate_tally *tally,
                            const struct gate_options *options, const struct gate_events *events) {
    const int exit_code = decision->exit_code;
    const bool is_bad = exit_code == 1 || exit_code == 3;
    for (size_t i = 0; i < GATE_ROW_COUNT; ++i) {
        const struct gate_row_kind *kind = row_kind(&gate_rows[i], options);
        const bool is_explaining =
            is_bad ? kind->code == exit_code : kind->code != 1 && kind->code != 3 && kind->headline;
        if (!is_explaining || !is_present(&gate_rows[i], tally, options, events)) continue;
        if (options->kind == GATE_COMPARE && gate_rows[i].verdict == VERDICT_NOT_VALID &&
            gate_rows[i].event == GATE_EVENT_NONE && lacks_samples_only(decision))
            return "not decided, too few samples";
        return kind->headline                             ? kind->headline
               : gate_rows[i].event == GATE_EVENT_RATCHET ? tally->worse_build
                                                          : tally->unchecked;
    }
    BUG("exit code %d without a row", exit_code);
}

int gate_rule_apply(const struct gate_options *options, const struct gate_events *events, struct arena *arena,
                    struct decision *decision, struct err *err) {
    struct gate_tally tally = {0};
    TRY(count_unmet(&options->spec, arena, decision, &tally.unmet_count, err));
    memcpy(tally.counts, decision->counts, sizeof tally.counts);
    tally.accepted_count = acceptances_apply(&events->accepted, arena, decision);
    tally.counts[VERDICT_REGRESSION] -= tally.accepted_count;
    if (options->kind == GATE_GATE) note_checks(events, arena, &tally, decision);
    tally.worse_build = ratchet_headline(decision, arena);
    tally.is_not_judged = decision->not_judged_count > 0;
    const size_t let_through = let_through_count(&tally, options);
    if (let_through)
        decision_note(decision, arena,
                      "%zu %s without a decision: let through by gate.undecided: warn, which allows one of "
                      "ten",
                      let_through, let_through == 1 ? "problem" : "problems");
    mark_let_through(&tally, options, events, decision);
    decision->exit_code = gate_rule_exit_code(&tally, options, events);
    decision->verdict = find_first(&tally, options, events, true)->verdict;
    const char *counts = list_counts(decision, arena);
    decision->sentence =
        arena_format(arena, "%s%s%s%s%s", headline(decision, &tally, options, events), *counts ? ": " : "",
                     counts, decision->doubt ? "; " : "", str_or(decision->doubt, ""));
    if (events->is_stored_baseline)
        decision_note(
            decision, arena,
            "the baseline is a stored file: differences below the spread between processes cannot be "
            "detected (gate against a kernel or a revision detects them)");
    return 0;
}

bool gate_rule_is_unchecked(const struct result *result, uint32_t cand_side) {
    size_t unsupported = 0;
    for (size_t i = 0; i < result->check_count; ++i)
        unsupported += result->checks[i].checks[cand_side].outcome == OUTCOME_UNSUPPORTED;
    return result->check_count && unsupported == result->check_count;
}

struct decision gate_rule_unchecked(const struct result *result, const struct gate_spec *spec,
                                    struct arena *arena) {
    struct decision decision = decision_empty("rounds", spec);
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        decision.cases[i] = decision_case_named(&result->cases[i], arena);
        decision_case_set(&decision.cases[i], VERDICT_NOT_VALID, REASON_UNSUPPORTED,
                          "not measured: nothing shows that the candidate is right");
    }
    decision_summarize(&decision, arena);
    return decision;
}

struct decision gate_rule_same_code(const struct result *result, uint32_t base_side, uint32_t cand_side,
                                    struct arena *arena) {
    struct decision decision = decision_empty("same_code", NULL);
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct decision_case *item = &decision.cases[i];
        *item = decision_case_named(&result->cases[i], arena);
        if (!decision_case_set_outcomes(item, &result->cases[i], base_side, &result->cases[i], cand_side))
            decision_case_set(item, VERDICT_SAME_CODE, REASON_NONE,
                              "same machine code on both sides: not measured");
    }
    decision_summarize(&decision, arena);
    return decision;
}
