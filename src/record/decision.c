// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads a decision, and names verdicts and reasons. verdict/ makes decisions.
#include "record/decision.h"

#include "record/field.h"

#include <string.h>

enum { DECISION_CASES_MAX = 1 << 16, DECISION_NOTES_MAX = 1 << 12, DECISION_RATCHETS_MAX = 16 };

static const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_NONE] = "none",
    [VERDICT_REGRESSION] = "regression",
    [VERDICT_IMPROVEMENT] = "improvement",
    [VERDICT_MAINTAINED] = "maintained",
    [VERDICT_NO_DIFFERENCE] = "no_significant_difference",
    [VERDICT_UNDECIDABLE] = "undecidable",
    [VERDICT_SAME_CODE] = "same_code",
    [VERDICT_WRONG] = "wrong",
    [VERDICT_NOT_VALID] = "invalid",
    [VERDICT_ADDED] = "added",
    [VERDICT_REMOVED] = "removed",
    [VERDICT_WORSE_BUILD] = "compiler_regression",
};

static const char *const verdict_texts[VERDICT_COUNT] = {
    [VERDICT_NONE] = "not decided",
    [VERDICT_REGRESSION] = "regression",
    [VERDICT_IMPROVEMENT] = "improvement",
    [VERDICT_MAINTAINED] = "maintained",
    [VERDICT_NO_DIFFERENCE] = "no significant difference",
    [VERDICT_UNDECIDABLE] = "undecidable",
    [VERDICT_SAME_CODE] = "same machine code",
    [VERDICT_WRONG] = "wrong result",
    [VERDICT_NOT_VALID] = "invalid",
    [VERDICT_ADDED] = "added",
    [VERDICT_REMOVED] = "removed",
    [VERDICT_WORSE_BUILD] = "a worse build",
};

static const char *const ratchet_outcome_names[RATCHET_OUTCOME_COUNT] = {
    [RATCHET_NONE] = "none",
    [RATCHET_HELD] = "held",
    [RATCHET_WORSE] = "compiler_regression",
    [RATCHET_UNKNOWN] = "not_judged",
    [RATCHET_ACCEPTED] = "accepted",
};

static const char *const reason_names[REASON_COUNT] = {
    [REASON_NONE] = "none",
    [REASON_SLOWER_UNPROVEN] = "slower_unproven",
    [REASON_FASTER_UNPROVEN] = "faster_unproven",
    [REASON_EFFECT_TOO_SMALL] = "effect_too_small",
    [REASON_FASTER_IN_BAND] = "faster_in_band",
    [REASON_SLOWER_IN_BAND] = "slower_in_band",
    [REASON_IN_BAND] = "in_band",
    [REASON_TIE] = "tie",
    [REASON_SLOWER_PROVEN] = "slower_proven",
    [REASON_FASTER_PROVEN] = "faster_proven",
    [REASON_TOO_FEW_ROUNDS] = "too_few_rounds",
    [REASON_TOO_NOISY] = "too_noisy",
    [REASON_UNCONFIRMED] = "unconfirmed",
    [REASON_TOO_FEW_SAMPLES] = "too_few_samples",
    [REASON_SUMMARIES_ONLY] = "summaries_only",
    [REASON_DIFFERENT_DEVICE] = "different_device",
    [REASON_DIFFERENT_SETTINGS] = "different_settings",
    [REASON_THROTTLED] = "throttled",
    [REASON_CLOCKS_APART] = "clocks_apart",
    [REASON_COARSE_TIMER] = "coarse_timer",
    [REASON_FEW_EFFECTIVE_SAMPLES] = "few_effective_samples",
    [REASON_ACCOUNTING_ERROR] = "accounting_error",
    [REASON_NOTHING_IN_COMMON] = "nothing_in_common",
    [REASON_BAD_TIMES] = "bad_times",
    [REASON_BUSY_MACHINE] = "busy_machine",
    [REASON_NOT_MEASURED] = "not_measured",
    [REASON_CHECK_FAILED] = "check_failed",
    [REASON_UNSUPPORTED] = "unsupported",
    [REASON_EXPECTED_IMPROVEMENT] = "expected_improvement",
    [REASON_BUILD_FAILED] = "build_failed",
};

const char *verdict_name(enum verdict verdict) {
    return member_name(verdict_names, VERDICT_COUNT, (int)verdict);
}

const char *verdict_text(enum verdict verdict) {
    return member_name(verdict_texts, VERDICT_COUNT, (int)verdict);
}

const char *verdict_text_of(size_t count, enum verdict verdict) {
    if (count == 1) return verdict_text(verdict);
    return verdict == VERDICT_REGRESSION    ? "regressions"
           : verdict == VERDICT_IMPROVEMENT ? "improvements"
           : verdict == VERDICT_WRONG       ? "wrong results"
                                            : verdict_text(verdict);
}

enum verdict verdict_parse(const char *name) {
    const int value = member_value(verdict_names, VERDICT_COUNT, name);
    return value > 0 ? (enum verdict)value : VERDICT_NONE;
}

const char *reason_name(enum reason reason) {
    return member_name(reason_names, REASON_COUNT, (int)reason);
}

enum reason reason_parse(const char *name) {
    const int value = member_value(reason_names, REASON_COUNT, name);
    return value > 0 ? (enum reason)value : REASON_NONE;
}

// ---- counts: a member a verdict ----

static void counts_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct decision *decision = object;
    (void)context;
    json_object_begin(w, member->key);
    for (int i = 1; i < VERDICT_COUNT; ++i)
        if (decision->counts[i] > 0) json_write_u64(w, verdict_names[i], decision->counts[i]);
    json_object_end(w);
}

static int counts_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct decision *decision = object;
    const json_t *counts = NULL;
    struct field_place place;
    (void)arena, (void)context;
    TRY(json_find_object(at, member->key, &counts, err));
    if (!counts) return 0;
    field_enter(&place, at, member->key, counts);
    for (int i = 1; i < VERDICT_COUNT; ++i) {
        uint64_t count = 0;
        TRY(json_find_u64(&place.at, verdict_names[i], &count, err));
        decision->counts[i] = (size_t)count;
    }
    return 0;
}

#define PLACE(of)                                                                                            \
    MEMBER(struct of, "source", place.path,                                                                  \
           "Of what is held against the candidate: its kernel's file, as the repository names it."),         \
        MEMBER(struct of, "source_line", place.line, "The first line of it that changed.", 0,                \
               MEMBER_AT_LEAST(0))
#define CASE(name, sentence)         MEMBER(struct decision_case, #name, name, sentence)
#define CASE_FLAG(name, sentence, f) MEMBER(struct decision_case, #name, name, sentence, f)
static const struct member case_list[] = {
    CASE_FLAG(name, "The problem's name.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    CASE(short_name, "`s512`."),
    MEMBER_NAMED(struct decision_case, "verdict", verdict, verdict_names, "Of this problem.",
                 MEMBER_WRITTEN | MEMBER_ZERO_NAMED),
    MEMBER_NAMED(struct decision_case, "reason", reason, reason_names, "The rule's reason.",
                 MEMBER_ZERO_NAMED),
    CASE(sentence, "Why, for people."),
    CASE(median_base_ns, "The baseline's median."),
    CASE(median_cand_ns, "The candidate's median."),
    CASE(change_pct, "Positive: the candidate is slower."),
    CASE(change_low_pct, "Lower end of its interval."),
    CASE(change_high_pct, "Upper end of its interval."),
    CASE(interval_level, "Level of that interval: 0.95."),
    CASE(base_low_ns, "Of the 95 % interval of the baseline's median."),
    CASE(base_high_ns, "Of the 95 % interval of the baseline's median."),
    CASE(cand_low_ns, "Of the 95 % interval of the candidate's median."),
    CASE(cand_high_ns, "Of the 95 % interval of the candidate's median."),
    CASE(cliffs_delta, "Classic rule: Cliff's delta."),
    CASE(u_statistic, "Classic rule: U of Mann and Whitney."),
    CASE(p_mann_whitney, "Classic rule: its p."),
    CASE(p_raw, "Rounds rule: two-sided p."),
    CASE(p_holm, "Rounds rule: p, adjusted over all problems (Holm)."),
    CASE(p_not_slower, "Rounds rule: one-sided p of a true change of the threshold or more."),
    CASE(hodges_lehmann_pct, "Hodges and Lehmann's estimate; a cross-check, decides nothing."),
    CASE(hl_low_pct, "Lower end of its interval."),
    CASE(hl_high_pct, "Upper end of its interval."),
    CASE(smallest_detectable_pct, "Smallest change found with 90 % power at this spread."),
    CASE(spread_pct,
         "100 times the standard deviation, between rounds, of the logarithm of the ratio of times."),
    CASE_FLAG(round_count, "Rounds that count.", MEMBER_WRITTEN),
    CASE_FLAG(invalid_round_count, "Measurements that do not count.", MEMBER_WRITTEN),
    CASE_FLAG(base_count, "The baseline's samples.", MEMBER_WRITTEN),
    CASE_FLAG(cand_count, "The candidate's samples.", MEMBER_WRITTEN),
    CASE(is_outlier_round, "The cross-check disagrees."),
    CASE(accepted, "Of a regression that fails no gate: who takes it on, and why."),
    CASE(let_through,
         "Of a removed problem, or one without a decision, that fails no gate: what lets it through."),
    CASE(guard, "The guard that blocks the verdict."),
    PLACE(decision_case),
    MEMBER_NAMED(struct decision_case, "unguarded_verdict", unguarded_verdict, verdict_names,
                 "What the rule alone says.", MEMBER_ZERO_NAMED),
    MEMBER_NAMED(struct decision_case, "unguarded_reason", unguarded_reason, reason_names, "Its reason.",
                 MEMBER_ZERO_NAMED),
};
static const struct member_table case_members = MEMBER_TABLE(struct decision_case, "decision_case", case_list,
                                                             .sentence = "The decision of one problem.");

#define RATCHET(name, sentence) MEMBER(struct decision_ratchet, #name, name, sentence)
static const struct member ratchet_list[] = {
    RATCHET(figure, "Which: `registers`, as in `gate.ratchet`."),
    MEMBER_NAMED(struct decision_ratchet, "outcome", outcome, ratchet_outcome_names,
                 "`compiler_regression` fails the gate; `not_judged`: a side has no such figure; `accepted`: "
                 "it grew, and "
                 "somebody takes it on.",
                 MEMBER_REQUIRED | MEMBER_WRITTEN),
    RATCHET(baseline, "The baseline's figure."),
    RATCHET(candidate, "The candidate's."),
    RATCHET(unit, "Of both: `bytes`, `s`."),
    RATCHET(allowance, "By how much it may grow: `5 %`."),
    RATCHET(sentence, "The same for people."),
    PLACE(decision_ratchet),
};
static const struct member_table ratchet_members = MEMBER_TABLE(
    struct decision_ratchet, "decision_ratchet", ratchet_list,
    .sentence = "A figure of the compiler that `gate.ratchet` holds ([deciding.md](deciding.md)).");

#define OVERALL(name, sentence) MEMBER(struct decision, #name, name, sentence)
static const struct member members[] = {
    OVERALL(rule, "`classic`, `rounds`, `same_code` or `integrated`."),
    MEMBER_NAMED(struct decision, "verdict", verdict, verdict_names, "Over all problems.",
                 MEMBER_WRITTEN | MEMBER_ZERO_NAMED),
    MEMBER(struct decision, "exit_code", exit_code, "Of the program.", MEMBER_WRITTEN,
           MEMBER_FROM_TO(0, 255)),
    OVERALL(sentence, "One line for people."),
    OVERALL(doubt, "Why a change that is called may be none more often than promised; absent: as promised."),
    OVERALL(claim, "Of `--expect`, where it was judged: `improvement:s512`."),
    OVERALL(unmet, "Why that claim is not proved; absent: it is."),
    PLACE(decision),
    OVERALL(regression_pct, "Threshold of a regression."),
    OVERALL(improvement_pct, "Threshold of an improvement."),
    MEMBER(struct decision, "round_count", round_count, "Rounds.", MEMBER_WRITTEN),
    OVERALL(geomean_speedup, "Geometric mean of baseline / candidate over the problems."),
    OVERALL(best_speedup, "The largest one."),
    OVERALL(worst_speedup, "The smallest one."),
    OVERALL(best_name, "Its problem."),
    OVERALL(worst_name, "Its problem."),
    MEMBER_WITH("counts", counts_write, counts_read, "Problems by verdict.",
                .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\", "
                          "\"minimum\": 0}}"),
    MEMBER_LIST(struct decision, "cases", cases, case_count, &case_members, DECISION_CASES_MAX,
                "One a problem.", MEMBER_WRITTEN),
    MEMBER_LIST(struct decision, "ratchets", ratchets, ratchet_count, &ratchet_members, DECISION_RATCHETS_MAX,
                "Of a gate whose manifest sets `gate.ratchet`."),
    MEMBER_STRINGS(
        struct decision, "not_judged", not_judged, not_judged_count, DECISION_NOTES_MAX,
        "Why a wrong candidate could have passed its check: an input of the declared operator that "
        "never matters, a tolerance that is too wide; absent: it could not, or nothing was checked."),
    MEMBER_STRINGS(struct decision, "notes", notes, note_count, DECISION_NOTES_MAX,
                   "Further sentences: warnings, lifted guards, what was left out.", MEMBER_WRITTEN),
};
const struct member_table decision_members =
    MEMBER_TABLE(struct decision, "decision", members,
                 .sentence = "Verdict, reasons and numbers, when the run decided something.");

const struct decision_case *decision_find_case(const struct decision *decision, const char *name) {
    for (size_t i = 0; i < decision->case_count; ++i)
        if (str_equal(decision->cases[i].name, name)) return &decision->cases[i];
    return NULL;
}

const char *decision_case_name(const struct decision_case *item) {
    return str_or(item->short_name, item->name);
}

enum severity decision_case_severity(const struct decision_case *item) {
    if (item->accepted) return SEVERITY_NOTE;
    if (item->let_through && item->verdict == VERDICT_REMOVED) return SEVERITY_NOTE; // it is meant
    switch (item->verdict) {
    case VERDICT_REGRESSION:
    case VERDICT_WRONG: return SEVERITY_ERROR;
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return SEVERITY_WARNING;
    default: return SEVERITY_NONE;
    }
}

enum severity decision_ratchet_severity(const struct decision_ratchet *ratchet) {
    switch (ratchet->outcome) {
    case RATCHET_WORSE: return SEVERITY_ERROR;
    case RATCHET_ACCEPTED: return SEVERITY_NOTE;
    default: return SEVERITY_NONE;
    }
}
