// SPDX-License-Identifier: Apache-2.0
//
// What do the verdicts of all problems come to: which exit code, which word, which sentence?
#include "control/verdict/gate_rule.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/verdict/decision_case.h"
#include "control/verdict/family.h"

static bool is_nothing_judged(const struct gate_tally *tally) {
    size_t judged = 0;
    for (int v = VERDICT_NONE + 1; v < VERDICT_COUNT; ++v)
        if (v != VERDICT_ADDED && v != VERDICT_REMOVED) judged += tally->counts[v];
    return judged == 0;
}

static int compare_code(const struct gate_tally *tally, const struct gate_options *options) {
    const size_t *counts = tally->counts;
    bool is_removed = counts[VERDICT_REMOVED] && !options->allows_removed;
    if (is_nothing_judged(tally) || counts[VERDICT_NOT_VALID] || is_removed) return 3;
    if (counts[VERDICT_REGRESSION] || counts[VERDICT_WRONG]) return 1;
    bool is_undecided = counts[VERDICT_NO_DIFFERENCE] || counts[VERDICT_UNDECIDABLE];
    return is_undecided && !options->is_failing_on_regression_only ? 2 : 0;
}

static int gate_code(const struct gate_tally *tally, const struct gate_options *options,
                     const struct gate_events *events) {
    const size_t *counts = tally->counts;
    if (counts[VERDICT_REGRESSION] || counts[VERDICT_WRONG] || tally->wrong_check_count || tally->unmet_count)
        return 1;
    bool is_removed = counts[VERDICT_REMOVED] && !options->allows_removed;
    bool is_open =
        counts[VERDICT_UNDECIDABLE] || (counts[VERDICT_NO_DIFFERENCE] && !events->is_stored_baseline);
    bool is_invalid = is_nothing_judged(tally) || tally->unchecked || counts[VERDICT_NOT_VALID];
    return is_invalid || is_open || is_removed ? 3 : 0;
}

int gate_rule_exit_code(const struct gate_tally *tally, const struct gate_options *options,
                        const struct gate_events *events) {
    return options->kind == GATE_COMPARE ? compare_code(tally, options) : gate_code(tally, options, events);
}

int gate_rule_parse_expect(const char *text, struct arena *arena, struct gate_options *options,
                           struct err *err) {
    static const char word[] = "improvement";
    bool has_list = str_starts(text, "improvement:") && text[sizeof word];
    if (!str_equal(text, word) && !has_list)
        return err_set(err, ERR_USAGE,
                       "cannot expect '%s'; use improvement, or improvement:PROBLEM,... such as "
                       "improvement:s512,mission",
                       text);
    options->expects_improvement = true;
    options->expected_problems = has_list ? arena_strdup(arena, text + sizeof word) : NULL;
    return 0;
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
    if (!options->expects_improvement) return 0;
    if (options->expected_problems)
        return count_listed(options->expected_problems, arena, decision, ret_unmet, err);
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

// The worst first, in the order that the exit code has.
static enum verdict family_verdict(const struct gate_tally *tally, const struct gate_options *options) {
    static const enum verdict gate_order[] = {VERDICT_WRONG,       VERDICT_REGRESSION, VERDICT_NOT_VALID,
                                              VERDICT_UNDECIDABLE, VERDICT_REMOVED,    VERDICT_NO_DIFFERENCE,
                                              VERDICT_IMPROVEMENT, VERDICT_MAINTAINED, VERDICT_SAME_CODE};
    static const enum verdict compare_order[] = {
        VERDICT_NOT_VALID,   VERDICT_REMOVED,     VERDICT_WRONG,
        VERDICT_REGRESSION,  VERDICT_UNDECIDABLE, VERDICT_NO_DIFFERENCE,
        VERDICT_IMPROVEMENT, VERDICT_MAINTAINED,  VERDICT_SAME_CODE};
    bool is_compare = options->kind == GATE_COMPARE;
    const enum verdict *order = is_compare ? compare_order : gate_order;
    size_t count =
        is_compare ? sizeof compare_order / sizeof *compare_order : sizeof gate_order / sizeof *gate_order;
    if (!is_compare && tally->wrong_check_count) return VERDICT_WRONG;
    bool is_worse = tally->counts[VERDICT_WRONG] || tally->counts[VERDICT_REGRESSION];
    if (!is_compare && tally->unchecked && !is_worse) return VERDICT_NOT_VALID;
    for (size_t i = 0; i < count; ++i) {
        bool is_waived = order[i] == VERDICT_REMOVED && options->allows_removed;
        if (tally->counts[order[i]] && !is_waived) return order[i];
    }
    return VERDICT_NOT_VALID;
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

static const char *headline(const struct decision *decision, const struct gate_tally *tally,
                            const struct gate_options *options, const struct gate_events *events) {
    bool is_gate = options->kind != GATE_COMPARE;
    if (is_nothing_judged(tally)) return "nothing could be compared";
    if (decision->exit_code == 3 && events->is_out_of_time) return "the time of the run was over";
    if (decision->exit_code == 1 && (tally->counts[VERDICT_WRONG] || tally->wrong_check_count))
        return "the candidate is wrong";
    if (decision->exit_code == 1 && tally->counts[VERDICT_REGRESSION]) return "the candidate is slower";
    if (decision->exit_code == 1) return "the claimed improvement is not proved";
    if (decision->exit_code == 3 && tally->unchecked) return tally->unchecked;
    if (events->is_refused) return "not measured, since this machine cannot certify the threshold";
    if (decision->exit_code == 3 && tally->counts[VERDICT_NOT_VALID])
        return is_gate ? "not measured validly" : "not comparable";
    if (decision->exit_code == 3 && !is_gate) return "a problem was removed";
    if (decision->exit_code == 3)
        return tally->counts[VERDICT_UNDECIDABLE] || tally->counts[VERDICT_NO_DIFFERENCE]
                   ? "undecidable"
                   : "a problem was removed";
    if (tally->counts[VERDICT_IMPROVEMENT])
        return is_gate ? "nothing got worse, and something got faster" : "improved";
    if (decision->exit_code == 2 || tally->counts[VERDICT_NO_DIFFERENCE])
        return is_gate ? "nothing is proved to be worse" : "no significant difference";
    if (tally->counts[VERDICT_SAME_CODE] && !tally->counts[VERDICT_MAINTAINED])
        return "same machine code, nothing to measure";
    return is_gate ? "nothing got worse" : "maintained";
}

int gate_rule_apply(const struct gate_options *options, const struct gate_events *events, struct arena *arena,
                    struct decision *decision, struct err *err) {
    struct gate_tally tally = {0};
    TRY(count_unmet(options, arena, decision, &tally.unmet_count, err));
    memcpy(tally.counts, decision->counts, sizeof tally.counts);
    const struct check_counts checks = count_checks(events);
    if (options->kind == GATE_GATE) note_checks(&checks, events->is_out_of_time, arena, &tally, decision);
    decision->exit_code = gate_rule_exit_code(&tally, options, events);
    decision->verdict = family_verdict(&tally, options);
    const char *counts = list_counts(decision, arena);
    decision->sentence = arena_format(arena, "%s%s%s", headline(decision, &tally, options, events),
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
    struct decision decision = family_empty("same_code");
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
