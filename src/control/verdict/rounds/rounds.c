// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on every problem of a result: outcomes and validity first, then the rule, then the figures
// for the report and a cross-check that warns but never decides.
#include "control/verdict/rounds/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "control/verdict/classic/classic_guard.h"
#include "control/verdict/decision_make.h"
#include "control/verdict/rounds/round_medians.h"
#include "control/verdict/rounds/rounds_dependence.h"
#include "control/verdict/rounds/rounds_rule.h"
#include "control/verdict/rounds/rounds_text_internal.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"

#define CROSS_CHECK_LEVEL 0.95
// For normal rounds the mean and the median of Walsh averages usually differ by 0.2 standard errors. One
// outlier moves the mean by a whole standard error; rounds of two kinds or with a long tail move it as much.
#define CROSS_CHECK_SE_MAX 0.75
#define CROSS_CHECK_LEAST  1e-12 // rounds that are alike differ by rounding, which is no reason to warn

static void fill_figures(const struct round_medians *medians, const struct rounds_finding *finding,
                         const struct rounds_options *options, struct decision_case *ret) {
    size_t count = finding->look_count;
    const struct round_figures figures = round_medians_figures(medians, count);
    ret->median_base_ns = figures.base_ns;
    ret->median_cand_ns = figures.cand_ns;
    ret->round_count = (uint32_t)count;
    ret->change_pct = log_to_pct(finding->stats.mean);
    if (count < 2) return;
    ret->change_low_pct = log_to_pct(finding->interval.lo);
    ret->change_high_pct = log_to_pct(finding->interval.hi);
    ret->spread_pct = 100 * finding->stats.sd;
    if (options->is_counted) return; // no chance, no probabilities
    ret->interval_level = 1 - finding->alpha;
    ret->cliffs_delta = finding->cliffs_delta;
    ret->p_raw = round_stats_p_two_sided(&finding->stats);
    ret->p_not_slower = round_stats_p_below(&finding->stats, log1p(options->spec.regression_pct / 100));
    ret->smallest_detectable_pct =
        log_to_pct(round_stats_detectable(&finding->stats, finding->alpha, ROUNDS_NEEDED_POWER));
}

// Hodges-Lehmann over the rounds with Wilcoxon's interval. Never decides.
static int cross_check(const struct round_medians *medians, const struct rounds_finding *finding,
                       struct decision_case *ret) {
    size_t count = finding->look_count;
    struct hodges_lehmann walsh;
    if (count < ROUNDS_CROSS_FROM) return 0;
    double *sorted = mem_try_array(count, sizeof *sorted);
    if (!sorted) return -1;
    memcpy(sorted, medians->log_ratios, count * sizeof *sorted);
    float_order_sort(sorted, count);
    int status = hodges_lehmann_walsh(sorted, count, CROSS_CHECK_LEVEL, &walsh);
    free(sorted);
    if (status < 0) return -1;
    ret->hodges_lehmann_pct = log_to_pct(walsh.estimate);
    ret->hl_low_pct = log_to_pct(walsh.limits.lo);
    ret->hl_high_pct = log_to_pct(walsh.limits.hi);
    ret->is_outlier_round = fabs(finding->stats.mean - walsh.estimate) >
                            fmax(CROSS_CHECK_SE_MAX * finding->stats.se, CROSS_CHECK_LEAST);
    return 0;
}

// What a problem contributes to the notes on all of them.
struct remark {
    struct rounds_advice advice;
    double *log_ratios; // of its rounds
    size_t round_count;
};

static int judge_case(const struct classic_pair *pair, const struct rounds_options *options,
                      struct arena *arena, struct decision_case *ret, struct remark *ret_remark) {
    struct round_medians medians;
    struct rounds_finding finding;
    struct rounds_advice advice = {0};
    const struct result_case *item = pair->base_case;
    *ret = decision_case_named(item, arena);
    if (decision_case_set_outcomes(ret, item, pair->base.side, item, pair->cand.side)) {
        decision_case_add_message(ret, &item->checks[pair->base.side], &item->checks[pair->cand.side], arena);
        return 0;
    }
    if (round_medians_get(item, pair->base.side, pair->cand.side, &medians) < 0) return -1;
    const struct rounds_pairs pairs = {medians.base_ns, medians.cand_ns, medians.log_ratios},
                              judge = {medians.judge_base_ns, medians.judge_cand_ns,
                                       medians.judge_log_ratios};
    int status =
        rounds_find(&pairs, medians.has_judge ? &judge : NULL, medians.round_count, options, &finding);
    if (status < 0) goto out;
    fill_figures(&medians, &finding, options, ret);
    ret_remark->log_ratios = arena_array(arena, medians.round_count + 1, sizeof *ret_remark->log_ratios);
    ret_remark->round_count = medians.round_count;
    for (size_t r = 0; r < medians.round_count; ++r) ret_remark->log_ratios[r] = medians.log_ratios[r];
    status = cross_check(&medians, &finding, ret);
    if (status < 0) goto out;
    ret->base_count = medians.base_count;
    ret->cand_count = medians.cand_count;
    ret->invalid_round_count = (uint32_t)medians.invalid_count;
    ret->unguarded_verdict = finding.verdict;
    ret->unguarded_reason = finding.reason;
    const bool is_decided = finding.verdict != VERDICT_NONE && finding.verdict != VERDICT_UNDECIDABLE;
    if (!is_decided && (medians.is_given_up || (medians.is_exhausted && options->is_final)))
        decision_case_guard(ret, medians.invalid_cause ? medians.invalid_cause : REASON_BUSY_MACHINE,
                            arena_format(arena, "%zu of %zu measurements did not count: %s; %s",
                                         medians.invalid_count, medians.invalid_count + medians.round_count,
                                         str_or(medians.invalid_reason, "no reason was recorded"),
                                         rounds_help_text(medians.invalid_cause)));
    struct classic_options ceilings = classic_options_default(); // the result's own
    if (!options->is_counted) classic_guard_ceilings(pair, &ceilings, arena, ret);
    decision_case_settle(ret, true);
    if (!ret->sentence) ret->sentence = rounds_text(&finding, &medians, options, arena, &advice);
    if (ret->verdict == VERDICT_UNDECIDABLE) ret_remark->advice = advice;
out:
    round_medians_fini(&medians);
    return status;
}

static int add_remarks(const struct remark *remarks, struct arena *arena, struct decision *decision) {
    struct rounds_advice *advice = arena_array(arena, decision->case_count + 1, sizeof *advice);
    struct serial_series *series = arena_array(arena, decision->case_count + 1, sizeof *series);
    struct serial_correlation found;
    for (size_t i = 0; i < decision->case_count; ++i) {
        advice[i] = remarks[i].advice;
        series[i] = (struct serial_series){remarks[i].log_ratios, remarks[i].round_count};
    }
    const char *help = rounds_text_suite(advice, decision->case_count, arena);
    if (help) decision_note(decision, arena, "%s", help);
    if (serial_correlation_test(series, decision->case_count, &found) < 0) return -1;
    if (rounds_are_dependent(found.p))
        decision_note(decision, arena, "%s", rounds_dependence_text(&found, arena));
    return 0;
}

int verdict_rounds(const struct result *result, struct rounds_sides sides,
                   const struct rounds_options *options, struct arena *arena, struct decision *ret,
                   struct err *err) {
    struct rounds_options family = *options;
    struct decision decision = decision_empty(options->is_counted ? "counts" : "rounds", &options->spec);
    if (!family.family_count) family.family_count = result->case_count;
    decision.case_count = result->case_count;
    decision.cases = arena_array(arena, result->case_count, sizeof *decision.cases);
    struct remark *remarks = arena_array(arena, result->case_count, sizeof *remarks);
    for (size_t i = 0; i < result->case_count; ++i) {
        struct decision_case *item = &decision.cases[i];
        struct classic_pair pair = {.base = {result, sides.base},
                                    .cand = {result, sides.cand},
                                    .base_case = &result->cases[i],
                                    .cand_case = &result->cases[i]};
        if (judge_case(&pair, &family, arena, item, &remarks[i]) < 0)
            return err_set(err, ERR_INTERNAL,
                           "cannot compare the rounds of %s: not enough memory, or a time that is not "
                           "finite and positive",
                           result->cases[i].problem.name);
        if (item->round_count > decision.round_count) decision.round_count = item->round_count;
    }
    TRY(decision_adjust(&decision, err));
    for (size_t i = 0; i < decision.case_count; ++i) {
        const struct decision_case *item = &decision.cases[i];
        if (item->is_outlier_round)
            decision_note(&decision, arena,
                          "%s: outlier_round: the rounds are not alike: their mean says %s %%, the robust "
                          "cross-check %s %%",
                          decision_case_name(item), signed_figure(item->change_pct, 1).text,
                          signed_figure(item->hodges_lehmann_pct, 1).text);
    }
    decision_summarize(&decision, arena);
    if (add_remarks(remarks, arena, &decision) < 0)
        return err_set(err, ERR_INTERNAL, "no memory to look for a dependence between rounds");
    *ret = decision;
    return 0;
}

bool rounds_case_is_open(const struct decision_case *item) {
    return item->verdict == VERDICT_NONE && item->reason == REASON_TOO_FEW_ROUNDS;
}

size_t rounds_open_count(const struct decision *decision) {
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; ++i) count += rounds_case_is_open(&decision->cases[i]);
    return count;
}
