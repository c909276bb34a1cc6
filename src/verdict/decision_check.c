// SPDX-License-Identifier: Apache-2.0
//
// See decision_check.h.
#include "verdict/decision_check.h"

#include <math.h>

#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "stats/round_stats.h"
#include "verdict/round_medians.h"

// What other programs lose that write a file again with six digits is no difference.
#define MEDIAN_APART_RATIO 1e-4
#define CHANGE_APART_PCT   0.01

struct comparison {
    const struct result *result;
    uint32_t base_side, cand_side;
    size_t case_count, apart_count; // problems looked at, and those that differ
    const char *first;              // of those that differ
};

static uint32_t side_of(const struct result *result, enum side_role role) {
    uint32_t side = 0;
    while (side < result->side_count && result->sides[side].role != role) ++side;
    return side;
}

// A recorded one that is not known differs from none.
static bool is_apart(double recorded_ns, double computed_ns) {
    return fabs(recorded_ns - computed_ns) > MEDIAN_APART_RATIO * computed_ns;
}

// Verdicts of a problem that the rule of the rounds did not see, or had no samples of both sides of.
static bool is_of_unmeasured(enum verdict verdict) {
    return verdict == VERDICT_NONE || verdict == VERDICT_SAME_CODE || verdict == VERDICT_ADDED ||
           verdict == VERDICT_REMOVED || verdict == VERDICT_NO_DIFFERENCE;
}

// Whether no samples with that change can have the verdict, by the thresholds that are recorded with it.
static bool is_verdict_apart(const struct decision *decision, enum verdict verdict, double change_pct) {
    const double slower_pct = decision->regression_pct, faster_pct = -decision->improvement_pct;
    switch (verdict) {
    case VERDICT_REGRESSION: return change_pct < slower_pct - CHANGE_APART_PCT;
    case VERDICT_MAINTAINED: return change_pct > slower_pct + CHANGE_APART_PCT;
    case VERDICT_IMPROVEMENT: return change_pct > faster_pct + CHANGE_APART_PCT;
    default: return is_of_unmeasured(verdict);
    }
}

// "recorded medians 1 and 2, change +3 %, maintained"; figures that are not recorded are left out.
static const char *recorded_text(const struct decision_case *item, struct arena *arena) {
    const char *verdict = verdict_text(item->verdict);
    if (!isfinite(item->change_pct)) return arena_format(arena, "recorded as %s", verdict);
    return arena_format(arena, "recorded medians %.6g and %.6g, change %s %%, %s", item->median_base_ns,
                        item->median_cand_ns, signed_figure(item->change_pct, 2).text, verdict);
}

static void compare_case(const struct decision_case *item, const struct round_medians *medians,
                         struct arena *arena, struct comparison *comparison) {
    const size_t count = item->round_count ? item->round_count : medians->round_count;
    const char *name = decision_case_name(item);
    if (!medians->round_count) return;
    ++comparison->case_count;
    if (count > medians->round_count) {
        if (comparison->apart_count++ == 0)
            comparison->first = arena_format(arena, "%s: recorded of %zu rounds, and %zu have samples", name,
                                             count, medians->round_count);
        return;
    }
    const struct round_figures figures = round_medians_figures(medians, count);
    const double change_pct = log_to_pct(figures.log_ratio);
    if (!is_apart(item->median_base_ns, figures.base_ns) &&
        !is_apart(item->median_cand_ns, figures.cand_ns) &&
        !(fabs(item->change_pct - change_pct) > CHANGE_APART_PCT) &&
        !is_verdict_apart(comparison->result->decision, item->verdict, change_pct))
        return;
    if (comparison->apart_count++ == 0)
        comparison->first = arena_format(arena, "%s: %s; by its samples %.6g and %.6g, %s %%", name,
                                         recorded_text(item, arena), figures.base_ns, figures.cand_ns,
                                         signed_figure(change_pct, 2).text);
}

// A problem that is wrong, or was not measured, has no figures.
static bool has_figures(const struct decision_case *item) {
    return isfinite(item->change_pct) || item->verdict == VERDICT_REGRESSION ||
           item->verdict == VERDICT_IMPROVEMENT || item->verdict == VERDICT_MAINTAINED ||
           is_of_unmeasured(item->verdict);
}

static int check_case(const struct decision_case *item, struct arena *arena, struct comparison *comparison) {
    const struct result_case *measured = result_find_case(comparison->result, item->name);
    struct round_medians medians;
    if (!measured || !has_figures(item)) return 0;
    if (round_medians_get(measured, comparison->base_side, comparison->cand_side, &medians) < 0) return -1;
    compare_case(item, &medians, arena, comparison);
    round_medians_fini(&medians);
    return 0;
}

// Equal machine code is not measured: there are no samples that it could contradict.
static bool is_rule_of_rounds(const char *rule) {
    return str_equal(rule, "rounds") || str_equal(rule, "counts") || str_equal(rule, "same_code");
}

static int check_samples(const struct result *result, struct arena *arena, const char **ret_sentence) {
    const struct decision *decision = result->decision;
    struct comparison comparison = {.result = result,
                                    .base_side = side_of(result, SIDE_BASELINE),
                                    .cand_side = side_of(result, SIDE_CANDIDATE)};
    if (!is_rule_of_rounds(decision->rule)) return 0;
    if (comparison.base_side == result->side_count || comparison.cand_side == result->side_count) return 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (check_case(&decision->cases[i], arena, &comparison) < 0) return -1;
    if (comparison.apart_count)
        *ret_sentence = arena_format(
            arena,
            "the recorded decision%s%s is not what the samples give, on %zu of %zu problems: the file was "
            "changed, or another version of assay wrote it (%s)",
            result->file ? " of " : "", str_or(result->file, ""), comparison.apart_count,
            comparison.case_count, comparison.first);
    return 0;
}

// What lets a problem through lets only some verdicts through; NULL: the problem fails a gate.
static const char *why_passes(const struct decision_case *item) {
    switch (item->verdict) {
    case VERDICT_REGRESSION: return item->accepted;
    case VERDICT_WRONG: return NULL;
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return item->let_through;
    case VERDICT_NO_DIFFERENCE: return "of a stored baseline, or of compare --fail-on regression";
    default: return "nothing is held against it";
    }
}

// An exit code 0 over a problem that fails every gate, or over a check that proves nothing.
static const char *exit_code_apart(const struct result *result, struct arena *arena) {
    const struct decision *decision = result->decision;
    const char *what = decision->not_judged_count ? "the candidate is recorded as not judged" : NULL;
    if (decision->exit_code != 0) return NULL;
    for (size_t i = 0; i < decision->case_count && !what; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (!why_passes(item))
            what = arena_format(arena, "%s is recorded as %s", decision_case_name(item),
                                verdict_text(item->verdict));
    }
    if (!what) return NULL;
    return arena_format(arena,
                        "the recorded exit code%s%s is 0, and %s, which nothing accepts: the file was "
                        "changed, or another version of assay wrote it",
                        result->file ? " of " : "", str_or(result->file, ""), what);
}

int decision_check(const struct result *result, struct arena *arena, const char **ret_sentence) {
    *ret_sentence = NULL;
    if (!result->decision) return 0;
    if (check_samples(result, arena, ret_sentence) < 0) return -1;
    if (!*ret_sentence) *ret_sentence = exit_code_apart(result, arena);
    return 0;
}
