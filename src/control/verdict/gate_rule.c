// SPDX-License-Identifier: Apache-2.0
//
// The table of verdicts and events, and what follows from it: exit code, verdict and sentence of a decision.
#include "control/verdict/gate_rule_internal.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/verdict/decision_make.h"

// Rows stand in the order in which the sentence names them. 1 comes before 3 in a gate, 3 before 1 in a compare.
const struct gate_row gate_rows[GATE_ROW_COUNT] = {
    {.event = GATE_EVENT_NOTHING,
     .verdict = VERDICT_NOT_VALID,
     .compare = {3, 10, "nothing could be compared"},
     .gate = {3, 13, "nothing could be compared"}},
    {.event = GATE_EVENT_OUT_OF_TIME, .gate = {3, 0, "the time of the run was over"}},
    {.verdict = VERDICT_WRONG,
     .compare = {1, 3, "the candidate is wrong"},
     .gate = {1, 1, "the candidate is wrong"}},
    {.event = GATE_EVENT_WRONG_CHECK, .verdict = VERDICT_WRONG, .gate = {1, 2, "the candidate is wrong"}},
    {.verdict = VERDICT_REGRESSION,
     .compare = {1, 4, "the candidate is slower"},
     .gate = {1, 3, "the candidate is slower"}},
    {.event = GATE_EVENT_UNMET, .gate = {1, 4, "the claimed improvement is not proved"}},
    {.event = GATE_EVENT_UNCHECKED, .verdict = VERDICT_NOT_VALID, .gate = {3, 5, NULL}},
    {.event = GATE_EVENT_REFUSED,
     .gate = {3, 0, "not measured, since this machine cannot certify the threshold"}},
    {.verdict = VERDICT_NOT_VALID,
     .compare = {3, 1, "not comparable"},
     .gate = {3, 6, "not measured validly"}},
    {.verdict = VERDICT_IMPROVEMENT,
     .compare = {0, 7, "improved"},
     .gate = {0, 10, "nothing got worse, and something got faster"}},
    {.verdict = VERDICT_UNDECIDABLE,
     .compare = {2, 5, "no significant difference"},
     .gate = {3, 7, "undecidable"}},
    {.verdict = VERDICT_NO_DIFFERENCE,
     .compare = {2, 6, "no significant difference"},
     .gate = {3, 9, "undecidable"}},
    {.verdict = VERDICT_REMOVED,
     .compare = {3, 2, "a problem was removed"},
     .gate = {3, 8, "a problem was removed"}},
    {.event = GATE_EVENT_STORED_DRAW,
     .verdict = VERDICT_NO_DIFFERENCE,
     .gate = {0, 9, "nothing is proved to be worse"}},
    {.verdict = VERDICT_MAINTAINED, .compare = {0, 8, "maintained"}, .gate = {0, 11, "nothing got worse"}},
    {.verdict = VERDICT_SAME_CODE,
     .compare = {0, 9, "same machine code, nothing to measure"},
     .gate = {0, 12, "same machine code, nothing to measure"}},
};

static const struct gate_row_kind *row_kind(const struct gate_row *row, const struct gate_options *options) {
    return options->kind == GATE_COMPARE ? &row->compare : &row->gate;
}

static bool is_present(const struct gate_row *row, const struct gate_tally *tally,
                       const struct gate_options *options, const struct gate_events *events) {
    const size_t *counts = tally->counts;
    size_t judged_count = 0;
    switch (row->event) {
    case GATE_EVENT_NONE:
        if (row->verdict == VERDICT_REMOVED && options->spec.allows_removed) return false;
        if (row->verdict == VERDICT_NO_DIFFERENCE && events->is_stored_baseline) return false;
        return counts[row->verdict];
    case GATE_EVENT_NOTHING:
        for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v)
            if (v != VERDICT_ADDED && v != VERDICT_REMOVED) judged_count += counts[v];
        return judged_count == 0;
    case GATE_EVENT_OUT_OF_TIME: return events->is_out_of_time;
    case GATE_EVENT_WRONG_CHECK: return tally->wrong_check_count;
    case GATE_EVENT_UNMET: return tally->unmet_count;
    case GATE_EVENT_UNCHECKED: return tally->unchecked;
    case GATE_EVENT_REFUSED: return events->is_refused;
    case GATE_EVENT_STORED_DRAW: return events->is_stored_baseline && counts[VERDICT_NO_DIFFERENCE];
    case GATE_EVENT_COUNT: break;
    }
    return false;
}

// The row of the lowest rank; with_verdict: of those that name a verdict.
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
    return ret; // never NULL: either something is judged, or nothing is
}

int gate_rule_exit_code(const struct gate_tally *tally, const struct gate_options *options,
                        const struct gate_events *events) {
    const int code = row_kind(find_first(tally, options, events, false), options)->code;
    return code == 2 && options->spec.fails_on_regression_only ? 0 : code;
}

static struct decision_case *case_find(struct decision *decision, const char *name) {
    for (size_t i = 0; i < decision->case_count; ++i) {
        struct decision_case *item = &decision->cases[i];
        if (str_equal(item->short_name, name) || str_equal(item->name, name)) return item;
    }
    return NULL;
}

static void note_unmet(const struct decision_case *item, const char *name, struct arena *arena,
                       struct decision *decision) {
    family_add_note(
        decision, arena,
        arena_format(arena, "expected improvement not proved on %s: %s", name, verdict_text(item->verdict)));
}

static int count_listed(const char *list, struct arena *arena, struct decision *decision, size_t *ret_unmet,
                        struct err *err) {
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        const char *name = arena_strndup(arena, at, comma ? (size_t)(comma - at) : strlen(at));
        const struct decision_case *item = case_find(decision, name);
        if (!item)
            return err_set(err, ERR_USAGE,
                           "an improvement is expected on '%s', which is not among the %zu problems decided",
                           name, decision->case_count);
        if (item->verdict != VERDICT_IMPROVEMENT) {
            note_unmet(item, name, arena, decision);
            ++*ret_unmet;
        }
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

static int count_unmet(const struct gate_options *options, struct arena *arena, struct decision *decision,
                       size_t *ret_unmet, struct err *err) {
    *ret_unmet = 0;
    if (!options->spec.expects_improvement) return 0;
    if (options->spec.expected_problems)
        return count_listed(options->spec.expected_problems, arena, decision, ret_unmet, err);
    if (decision->counts[VERDICT_IMPROVEMENT]) return 0;
    *ret_unmet = 1;
    family_add_note(decision, arena, "an improvement was expected and is proved on no problem");
    return 0;
}

// What became of the candidate on the correctness matrix.
struct check_counts {
    const char *suite;
    size_t all, passed, wrong, unsupported, unchecked;
    const char *message; // of the first that could not be checked
};

static struct check_counts count_checks(const struct gate_events *events) {
    const struct result *result = events->result;
    struct check_counts ret = {.message = ""};
    if (!result) return ret;
    ret.suite = str_or(result->check_suite, "of checks");
    ret.all = result->check_count;
    for (size_t i = 0; i < ret.all; ++i) {
        const struct check_result *check = &result->checks[i].checks[events->cand_side];
        ret.passed += check->outcome == OUTCOME_OK;
        ret.unsupported += check->outcome == OUTCOME_UNSUPPORTED;
        ret.wrong += outcome_is_wrong(check->outcome);
        if (check->outcome != OUTCOME_NOT_VALID && check->outcome != OUTCOME_SKIPPED) continue;
        if (ret.unchecked++ == 0) ret.message = check->message;
    }
    return ret;
}

// Why the matrix shows nothing, or not all that it should; NULL: it does. Where nothing was passed, nothing
// is shown.
static const char *unchecked_text(const struct check_counts *checks, bool is_out_of_time,
                                  struct arena *arena) {
    if (checks->all == 0 || checks->wrong) return NULL;
    if (checks->unchecked)
        return arena_format(arena,
                            "the candidate could not be checked on %zu of the %zu problems of suite %s",
                            checks->unchecked, checks->all, checks->suite);
    if (checks->passed || is_out_of_time) return NULL;
    return arena_format(arena, "the candidate %s the %zu problems of suite %s",
                        checks->unsupported == checks->all ? "supports none of" : "was checked on none of",
                        checks->all, checks->suite);
}

static const char *checks_text(const struct check_counts *checks, const char *unchecked, bool is_out_of_time,
                               struct arena *arena) {
    if (checks->wrong)
        return arena_format(arena, "the candidate fails %zu of %zu problems of the correctness matrix",
                            checks->wrong, checks->all);
    if (checks->unchecked)
        return arena_format(arena, "%s%s%s", unchecked, *checks->message ? "; the first: " : "",
                            checks->message);
    if (is_out_of_time)
        return arena_format(
            arena, "the candidate passed %zu of the %zu problems of suite %s before the time was over",
            checks->passed, checks->all, checks->suite);
    if (unchecked)
        return arena_format(
            arena, "%s, so nothing shows that it is right: name another suite with --check or gate.check",
            unchecked);
    if (checks->unsupported)
        return arena_format(
            arena,
            "the candidate does not support %zu of the %zu problems of suite %s: it was checked on "
            "the others",
            checks->unsupported, checks->all, checks->suite);
    return NULL;
}

static void note_checks(const struct check_counts *checks, bool is_out_of_time, struct arena *arena,
                        struct gate_tally *tally, struct decision *decision) {
    if (checks->all == 0) return;
    tally->wrong_check_count = checks->wrong;
    tally->unchecked = unchecked_text(checks, is_out_of_time, arena);
    const char *words = checks_text(checks, tally->unchecked, is_out_of_time, arena);
    if (words) family_add_note(decision, arena, words);
}

// "2 regressions", "2 improvements"; the other words stand for any number.
static const char *plural_of(enum verdict verdict, size_t count) {
    bool is_noun = verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT;
    return is_noun && count != 1 ? "s" : "";
}

static const char *list_counts(const struct decision *decision, struct arena *arena) {
    struct strbuf text = {0};
    for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v)
        if (decision->counts[v])
            strbuf_addf(&text, "%s%zu %s%s", text.length ? ", " : "", decision->counts[v],
                        verdict_text((enum verdict)v), plural_of((enum verdict)v, decision->counts[v]));
    if (decision->counts[VERDICT_NONE])
        strbuf_addf(&text, "%s%zu left out", text.length ? ", " : "", decision->counts[VERDICT_NONE]);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// A code of 0 or 2 is explained by what got faster, even if other problems show no significant difference.
static const char *headline(int exit_code, const struct gate_tally *tally, const struct gate_options *options,
                            const struct gate_events *events) {
    const bool is_bad = exit_code == 1 || exit_code == 3;
    for (size_t i = 0; i < GATE_ROW_COUNT; ++i) {
        const struct gate_row_kind *kind = row_kind(&gate_rows[i], options);
        const bool is_explaining =
            is_bad ? kind->code == exit_code : kind->code != 1 && kind->code != 3 && kind->headline;
        const bool is_nothing = gate_rows[i].event == GATE_EVENT_NOTHING;
        if ((is_nothing || is_explaining) && is_present(&gate_rows[i], tally, options, events))
            return kind->headline ? kind->headline : tally->unchecked;
    }
    BUG("exit code %d without a row", exit_code);
}

int gate_rule_apply(const struct gate_options *options, const struct gate_events *events, struct arena *arena,
                    struct decision *decision, struct err *err) {
    struct gate_tally tally = {0};
    TRY(count_unmet(options, arena, decision, &tally.unmet_count, err));
    memcpy(tally.counts, decision->counts, sizeof tally.counts);
    const struct check_counts checks = count_checks(events);
    if (options->kind == GATE_GATE) note_checks(&checks, events->is_out_of_time, arena, &tally, decision);
    decision->exit_code = gate_rule_exit_code(&tally, options, events);
    decision->verdict = find_first(&tally, options, events, true)->verdict;
    const char *counts = list_counts(decision, arena);
    decision->sentence = arena_format(arena, "%s%s%s", headline(decision->exit_code, &tally, options, events),
                                      *counts ? ": " : "", counts);
    if (events->is_stored_baseline)
        family_add_note(
            decision, arena,
            "the baseline is a stored file: it cannot certify anything under the spread between processes "
            "(gate against a kernel or a revision does)");
    return 0;
}

struct decision gate_rule_same_code(const struct result *result, uint32_t base_side, uint32_t cand_side,
                                    struct arena *arena) {
    struct decision decision = family_empty("same_code", NULL);
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct decision_case *item = &decision.cases[i];
        *item = decision_case_named(&result->cases[i], arena);
        if (!decision_case_set_outcomes(item, &result->cases[i], base_side, &result->cases[i], cand_side))
            decision_case_set(item, VERDICT_SAME_CODE, REASON_NONE,
                              "same machine code on both sides: not measured");
    }
    family_summarize(&decision, arena);
    return decision;
}
