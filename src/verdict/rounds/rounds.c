// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule on every problem of a result: outcomes and validity first, then the rule, then the figures
// for the report and a cross-check that warns but never decides.
#include "verdict/rounds/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "verdict/classic/classic_guard.h"
#include "verdict/decision_make.h"
#include "verdict/round_medians.h"
#include "verdict/rounds/rounds_dependence.h"
#include "verdict/rounds/rounds_rule.h"
#include "verdict/rounds/rounds_text_internal.h"

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

// A problem while it is decided.
struct judged {
    bool has_rounds; // else its outcomes decide, and there are no medians
    struct round_medians medians;
    struct rounds_advice advice;
};

// All problems while they are decided.
struct family {
    const struct result *result;
    struct rounds_sides sides;
    struct rounds_options options;
    struct arena *arena;
    struct judged *judged; // owned, one a problem
    struct decision decision;
};

static struct classic_pair pair_of(const struct family *family, size_t case_index) {
    const struct result *result = family->result;
    return (struct classic_pair){.base = {result, family->sides.base},
                                 .cand = {result, family->sides.cand},
                                 .base_case = &result->cases[case_index],
                                 .cand_case = &result->cases[case_index]};
}

// Outcomes first, then the rounds.
static int read_case(const struct classic_pair *pair, struct arena *arena, struct decision_case *ret,
                     struct judged *ret_judged) {
    const struct result_case *item = pair->base_case;
    *ret = decision_case_named(item, arena);
    if (decision_case_set_outcomes(ret, item, pair->base.side, item, pair->cand.side)) {
        decision_case_add_message(ret, &item->checks[pair->base.side], &item->checks[pair->cand.side], arena);
        return 0;
    }
    ret_judged->has_rounds = true;
    return round_medians_get(item, pair->base.side, pair->cand.side, &ret_judged->medians);
}

// No more rounds will come, since measurements do not count.
static bool is_unmeasurable(const struct round_medians *medians, const struct rounds_options *options) {
    return medians->is_given_up || (medians->is_exhausted && options->is_final) || options->is_ended_early;
}

static const char *unmeasurable_text(const struct round_medians *medians, struct arena *arena) {
    if (!medians->invalid_count)
        return arena_format(arena,
                            "%zu rounds were measured before the run was ended early, since others left "
                            "too few samples; %s",
                            medians->round_count, rounds_help_text(REASON_BUSY_MACHINE));
    return arena_format(arena, "%zu of %zu measurements did not count: %s; %s", medians->invalid_count,
                        medians->invalid_count + medians->round_count,
                        str_or(medians->invalid_reason, "no reason was recorded"),
                        rounds_help_text(medians->invalid_cause));
}

static int judge_case(const struct classic_pair *pair, const struct rounds_options *options,
                      struct arena *arena, struct decision_case *ret, struct judged *judged) {
    struct rounds_finding finding;
    struct rounds_advice advice = {0};
    const struct round_medians *medians = &judged->medians;
    const struct rounds_pairs pairs = {medians->base_ns, medians->cand_ns, medians->log_ratios},
                              judge = {medians->judge_base_ns, medians->judge_cand_ns,
                                       medians->judge_log_ratios};
    if (rounds_find(&pairs, medians->has_judge ? &judge : NULL, medians->round_count, options, &finding) < 0)
        return -1;
    fill_figures(medians, &finding, options, ret);
    if (cross_check(medians, &finding, ret) < 0) return -1;
    ret->base_count = medians->base_count;
    ret->cand_count = medians->cand_count;
    ret->invalid_round_count = (uint32_t)medians->invalid_count;
    ret->unguarded_verdict = finding.verdict;
    ret->unguarded_reason = finding.reason;
    const bool is_decided = finding.verdict != VERDICT_NONE && finding.verdict != VERDICT_UNDECIDABLE;
    if (!is_decided && is_unmeasurable(medians, options))
        decision_case_guard(ret, medians->invalid_cause ? medians->invalid_cause : REASON_BUSY_MACHINE,
                            unmeasurable_text(medians, arena));
    struct classic_options ceilings = classic_options_default(); // the result's own
    if (!options->is_counted) classic_guard_ceilings(pair, &ceilings, arena, ret);
    decision_case_settle(ret, true);
    if (!ret->sentence) ret->sentence = rounds_text(&finding, medians, options, arena, &advice);
    if (ret->verdict == VERDICT_UNDECIDABLE) judged->advice = advice;
    return 0;
}

static struct serial_series *series_of(const struct family *family) {
    const size_t count = family->decision.case_count;
    struct serial_series *ret = arena_array(family->arena, count + 1, sizeof *ret);
    for (size_t i = 0; i < count; ++i)
        ret[i] = (struct serial_series){.values = family->judged[i].medians.log_ratios,
                                        .count = family->judged[i].medians.round_count};
    return ret;
}

static int fail_case(const struct family *family, size_t case_index, struct err *err) {
    return err_set(err, ERR_INTERNAL,
                   "cannot compare the rounds of %s: not enough memory, or a time that is not "
                   "finite and positive",
                   family->result->cases[case_index].problem.name);
}

static int fail_dependence(struct err *err) {
    return err_set(err, ERR_INTERNAL, "no memory to look for a dependence between rounds");
}

static int judge_all(struct family *family, struct err *err) {
    struct decision *decision = &family->decision;
    const size_t count = decision->case_count;
    for (size_t i = 0; i < count; ++i) {
        const struct classic_pair pair = pair_of(family, i);
        if (read_case(&pair, family->arena, &decision->cases[i], &family->judged[i]) < 0)
            return fail_case(family, i, err);
    }
    const struct rounds_options *options = &family->options;
    if (!options->is_counted &&
        rounds_dependence_look(series_of(family), count, options->earlier, &family->options) < 0)
        return fail_dependence(err);
    for (size_t i = 0; i < count; ++i) {
        const struct classic_pair pair = pair_of(family, i);
        struct decision_case *item = &decision->cases[i];
        struct judged *judged = &family->judged[i];
        if (judged->has_rounds && judge_case(&pair, options, family->arena, item, judged) < 0)
            return fail_case(family, i, err);
        if (item->round_count > decision->round_count) decision->round_count = item->round_count;
    }
    return decision_adjust(decision, err);
}

// ---- notes on all problems together ----

static void note_outliers(struct decision *decision, struct arena *arena) {
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (item->is_outlier_round)
            decision_note(decision, arena,
                          "%s: outlier_round: the rounds are not alike: their mean says %s %%, the robust "
                          "cross-check %s %%",
                          decision_case_name(item), signed_figure(item->change_pct, 1).text,
                          signed_figure(item->hodges_lehmann_pct, 1).text);
    }
}

static void note_advice(struct family *family) {
    struct decision *decision = &family->decision;
    struct rounds_advice *advice = arena_array(family->arena, decision->case_count + 1, sizeof *advice);
    for (size_t i = 0; i < decision->case_count; ++i) advice[i] = family->judged[i].advice;
    const char *help = rounds_text_suite(advice, decision->case_count, family->arena);
    if (help) decision_note(decision, family->arena, "%s", help);
}

static int note_dependence(struct family *family, struct err *err) {
    struct decision *decision = &family->decision;
    struct serial_correlation found;
    if (family->options.is_counted) return 0; // no chance
    if (rounds_dependence_find(series_of(family), decision->case_count, family->options.earlier, ROUNDS_LIMIT,
                               &found) < 0)
        return fail_dependence(err);
    if (!rounds_are_dependent(found.p)) return 0;
    decision_note(decision, family->arena, "%s", rounds_dependence_text(&found, family->arena));
    if (rounds_are_exposed(decision))
        decision->doubt = "each round is like the one before, so it may be wrong more often than promised";
    return 0;
}

int verdict_rounds(const struct result *result, struct rounds_sides sides,
                   const struct rounds_options *options, struct arena *arena, struct decision *ret,
                   struct err *err) {
    const size_t count = result->case_count;
    struct family family = {.result = result,
                            .sides = sides,
                            .options = *options,
                            .arena = arena,
                            .judged = mem_alloc((count + 1) * sizeof *family.judged),
                            .decision =
                                decision_empty(options->is_counted ? "counts" : "rounds", &options->spec)};
    if (!family.options.family_count) family.options.family_count = count;
    family.decision.case_count = count;
    family.decision.cases = arena_array(arena, count, sizeof *family.decision.cases);
    int code = judge_all(&family, err);
    if (code == 0) {
        note_outliers(&family.decision, arena);
        decision_summarize(&family.decision, arena);
        note_advice(&family);
        code = note_dependence(&family, err);
    }
    for (size_t i = 0; i < count; ++i) round_medians_fini(&family.judged[i].medians);
    free(family.judged);
    if (code == 0) *ret = family.decision;
    return code;
}

bool rounds_case_is_open(const struct decision_case *item) {
    return item->verdict == VERDICT_NONE && item->reason == REASON_TOO_FEW_ROUNDS;
}

size_t rounds_open_count(const struct decision *decision) {
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; ++i) count += rounds_case_is_open(&decision->cases[i]);
    return count;
}
