// SPDX-License-Identifier: Apache-2.0
//
// How does one problem's entry of a decision come about, whichever rule decides? Guards, outcomes, the
// verdict that stands.
#include "control/verdict/decision_case.h"

#include <math.h>

#include "stats/describe.h"

struct decision_case decision_case_empty(void) {
    return (struct decision_case){
        .median_base_ns = NAN,
        .median_cand_ns = NAN,
        .change_pct = NAN,
        .change_low_pct = NAN,
        .change_high_pct = NAN,
        .interval_level = NAN,
        .base_low_ns = NAN,
        .base_high_ns = NAN,
        .cand_low_ns = NAN,
        .cand_high_ns = NAN,
        .cliffs_delta = NAN,
        .u_statistic = NAN,
        .p_mann_whitney = NAN,
        .p_raw = NAN,
        .p_holm = NAN,
        .p_not_slower = NAN,
        .hodges_lehmann_pct = NAN,
        .hl_low_pct = NAN,
        .hl_high_pct = NAN,
        .smallest_detectable_pct = NAN,
        .spread_pct = NAN,
    };
}

struct decision_case decision_case_named(const struct result_case *item, struct arena *arena) {
    struct decision_case ret = decision_case_empty();
    ret.name = arena_strdup(arena, item->problem.name);
    ret.short_name = arena_strdup(arena, item->short_name);
    return ret;
}

void decision_case_guard(struct decision_case *item, enum reason reason, const char *sentence) {
    if (item->guard) return;
    item->guard = sentence;
    item->reason = reason;
}

void decision_case_settle(struct decision_case *item, bool has_guards) {
    if (item->guard && (has_guards || item->unguarded_verdict == VERDICT_NONE)) {
        item->verdict = VERDICT_NOT_VALID;
        item->sentence = item->guard;
        return;
    }
    item->verdict = item->unguarded_verdict;
    item->reason = item->unguarded_reason;
}

void decision_case_set(struct decision_case *item, enum verdict verdict, enum reason reason,
                       const char *sentence) {
    item->verdict = item->unguarded_verdict = verdict;
    item->reason = item->unguarded_reason = reason;
    item->sentence = sentence;
}

double decision_case_speedup(const struct decision_case *item) {
    return describe_speedup_ratio(item->median_base_ns, item->median_cand_ns);
}

// Ours, not the kernel's: no memory for its buffers in some round, or not run because of something before it.
static bool is_unmeasured(const struct check_result *check) {
    return check->outcome == OUTCOME_NOT_VALID || check->outcome == OUTCOME_SKIPPED;
}

bool decision_case_set_outcomes(struct decision_case *item, const struct result_case *base,
                                uint32_t base_side, const struct result_case *cand, uint32_t cand_side) {
    enum outcome a = result_case_outcome(base, base_side), b = result_case_outcome(cand, cand_side);
    bool is_base_unsupported = a == OUTCOME_UNSUPPORTED, is_cand_unsupported = b == OUTCOME_UNSUPPORTED;
    if (outcome_is_wrong(b)) {
        const char *how = b == OUTCOME_FAIL      ? "the candidate computes a wrong result"
                          : b == OUTCOME_CRASHED ? "the candidate crashes"
                                                 : "the candidate does not finish";
        decision_case_set(item, VERDICT_WRONG, REASON_CHECK_FAILED, how);
    } else if (outcome_is_wrong(a)) {
        decision_case_set(item, VERDICT_NOT_VALID, REASON_CHECK_FAILED,
                          "the baseline fails its check, so it has no time to be held against");
    } else if (is_unmeasured(&cand->checks[cand_side])) {
        decision_case_set(item, VERDICT_NOT_VALID, REASON_NOT_MEASURED,
                          "the candidate could not be checked and measured");
    } else if (is_unmeasured(&base->checks[base_side])) {
        decision_case_set(item, VERDICT_NOT_VALID, REASON_NOT_MEASURED,
                          "the baseline could not be checked and measured");
    } else if (is_base_unsupported && is_cand_unsupported) {
        decision_case_set(item, VERDICT_NONE, REASON_UNSUPPORTED, "neither side supports this problem");
    } else if (is_cand_unsupported) {
        decision_case_set(item, VERDICT_REMOVED, REASON_UNSUPPORTED,
                          "the candidate does not support this problem");
    } else if (is_base_unsupported) {
        decision_case_set(item, VERDICT_ADDED, REASON_UNSUPPORTED,
                          "the baseline does not support this problem");
    } else {
        return false;
    }
    return true;
}

void decision_case_add_message(struct decision_case *item, const struct check_result *base,
                               const struct check_result *cand, struct arena *arena) {
    bool is_unsupported = item->reason == REASON_UNSUPPORTED;
    if (!is_unsupported && item->reason != REASON_NOT_MEASURED) return;
    bool is_cand = is_unsupported ? cand->outcome == OUTCOME_UNSUPPORTED : is_unmeasured(cand);
    const struct check_result *check = is_cand ? cand : base;
    if (*check->message) item->sentence = arena_format(arena, "%s: %s", item->sentence, check->message);
}
