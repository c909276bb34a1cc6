// SPDX-License-Identifier: Apache-2.0
//
// Entries of problems, their reasons in words, and the figures of a decision over all of them.
#include "verdict/decision_make.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/describe.h"
#include "stats/round_stats.h"

// ---- one problem ----

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
    char key[PROBLEM_KEY_BYTES];
    ret.name = arena_strdup(arena, result_case_key(item, key));
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
    if (isfinite(item->change_pct)) return 1 / (1 + item->change_pct / 100); // of pairs, not of two medians
    return describe_speedup_ratio(item->median_base_ns, item->median_cand_ns);
}

// No fault of the kernel: no memory for its buffers in some round, or not run because something before it
// failed.
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
                          "the baseline fails its check, so it has no time to compare with");
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

// ---- reasons for people ----

static const char *const words[REASON_COUNT] = {
    [REASON_SLOWER_UNPROVEN] = "spans the threshold",
    [REASON_FASTER_UNPROVEN] = "faster, not proved",
    [REASON_EFFECT_TOO_SMALL] = "faster, effect too small",
    [REASON_FASTER_IN_BAND] = "a little faster",
    [REASON_SLOWER_IN_BAND] = "a little slower",
    [REASON_IN_BAND] = "no change seen",
    [REASON_TIE] = "intervals overlap",
    [REASON_TOO_FEW_ROUNDS] = "too few rounds",
    [REASON_TOO_NOISY] = "too noisy",
    [REASON_UNCONFIRMED] = "not confirmed by the judge's clock",
    [REASON_TOO_FEW_SAMPLES] = "too few samples",
    [REASON_SUMMARIES_ONLY] = "summaries only",
    [REASON_DIFFERENT_DEVICE] = "another device or driver",
    [REASON_DIFFERENT_SETTINGS] = "other settings",
    [REASON_THROTTLED] = "throttled",
    [REASON_CLOCKS_APART] = "clocks apart",
    [REASON_COARSE_TIMER] = "coarse timer",
    [REASON_FEW_EFFECTIVE_SAMPLES] = "few effective samples",
    [REASON_ACCOUNTING_ERROR] = "above the ceiling",
    [REASON_NOTHING_IN_COMMON] = "nothing in common",
    [REASON_BAD_TIMES] = "invalid times",
    [REASON_BUSY_MACHINE] = "busy machine",
    [REASON_NOT_MEASURED] = "not measured",
    [REASON_CHECK_FAILED] = "check failed",
    [REASON_UNSUPPORTED] = "not supported",
    [REASON_EXPECTED_IMPROVEMENT] = "expected improvement not proved",
    [REASON_BUILD_FAILED] = "does not build",
};

const char *reason_text(enum reason reason) {
    const char *text = (unsigned)reason < REASON_COUNT ? words[reason] : NULL;
    return text ? text : "";
}

bool reason_lacks_samples(enum reason reason) {
    return reason == REASON_TOO_FEW_SAMPLES || reason == REASON_SUMMARIES_ONLY;
}

// ---- all problems ----

enum { NOTES_MAX = 1000 }; // for readability; the reader of a document rejects more than 4096

struct decision decision_empty(const char *rule, const struct gate_spec *spec) {
    return (struct decision){.rule = rule,
                             .regression_pct = spec ? spec->regression_pct : 0,
                             .improvement_pct = spec ? spec->improvement_pct : 0,
                             .geomean_speedup = NAN,
                             .best_speedup = NAN,
                             .worst_speedup = NAN};
}

void decision_note(struct decision *decision, struct arena *arena, const char *format, ...) {
    if (decision->note_count > NOTES_MAX) return;
    const bool is_last = decision->note_count == NOTES_MAX;
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&text, format, args);
    va_end(args);
    const char **grown = arena_array(arena, decision->note_count + 1, sizeof *grown);
    if (decision->note_count) memcpy(grown, decision->notes, decision->note_count * sizeof *grown);
    grown[decision->note_count++] =
        is_last ? "there is more to note than can be listed" : arena_strdup(arena, strbuf_text(&text));
    decision->notes = grown;
    strbuf_fini(&text);
}

void decision_reserve(struct decision *decision, size_t more, struct arena *arena) {
    struct decision_case *grown = arena_array(arena, decision->case_count + more, sizeof *grown);
    if (decision->case_count) memcpy(grown, decision->cases, decision->case_count * sizeof *grown);
    decision->cases = grown;
}

struct decision_case *decision_add_removed(struct decision *decision, const char *name, enum reason reason,
                                           const char *sentence) {
    struct decision_case *item = &decision->cases[decision->case_count++];
    *item = decision_case_empty();
    item->name = name;
    decision_case_set(item, VERDICT_REMOVED, reason, sentence);
    ++decision->counts[VERDICT_REMOVED];
    return item;
}

void decision_summarize(struct decision *decision, struct arena *arena) {
    double log_sum = 0;
    size_t member_count = 0;
    decision->best_speedup = decision->worst_speedup = NAN;
    memset(decision->counts, 0, sizeof decision->counts);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        ++decision->counts[item->verdict];
        double speedup = decision_case_speedup(item);
        if (!isfinite(speedup) || !(speedup > 0) || item->verdict == VERDICT_NOT_VALID ||
            item->verdict == VERDICT_WRONG)
            continue;
        const char *name = decision_case_name(item);
        log_sum += log(speedup);
        ++member_count;
        if (!(decision->best_speedup >= speedup)) {
            decision->best_speedup = speedup;
            decision->best_name = name;
        }
        if (!(decision->worst_speedup <= speedup)) {
            decision->worst_speedup = speedup;
            decision->worst_name = name;
        }
    }
    decision->geomean_speedup = member_count ? exp(log_sum / (double)member_count) : NAN;
    if (member_count && member_count < decision->case_count)
        decision_note(decision, arena,
                      "the geometric mean is over %zu of %zu problems: the others have no valid pair "
                      "of times",
                      member_count, decision->case_count);
}

void decision_note_lines(struct decision *decision, const char *subject, const char *text,
                         struct arena *arena) {
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (length)
            decision_note(decision, arena, "%s%s%.*s", str_or(subject, ""), subject ? ": " : "", (int)length,
                          line);
        line += length + (line[length] == '\n');
    }
}

int decision_adjust(struct decision *decision, struct err *err) {
    double *p = mem_alloc((decision->case_count + 1) * sizeof *p);
    size_t count = 0;
    int status = 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (isfinite(decision->cases[i].p_raw)) p[count++] = decision->cases[i].p_raw;
    if (holm_adjust(p, count, p) < 0) {
        status = err_set(err, ERR_INTERNAL, "cannot adjust %zu p-values", count);
        goto out;
    }
    count = 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (isfinite(decision->cases[i].p_raw)) decision->cases[i].p_holm = p[count++];
out:
    free(p);
    return status;
}
