// SPDX-License-Identifier: Apache-2.0
//
// See mutants.h.
#include "stats/mutants.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "stats/float_order.h"
#include "verdict/classic/classic.h"

#define RESAMPLES 1000

static bool is_settled(enum verdict verdict) {
    return verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT || verdict == VERDICT_MAINTAINED;
}

// Calls look() at each look until one of them decides.
static enum verdict judge_looks(const struct rule *rule, struct trial *trial,
                                enum verdict (*look)(const struct rule *, const struct trial *, size_t)) {
    for (size_t count = ROUNDS_LOOK_STEP; count <= ROUNDS_MAX; count += ROUNDS_LOOK_STEP) {
        trial_extend(trial, count);
        enum verdict verdict = look(rule, trial, count);
        if (is_settled(verdict)) return verdict;
    }
    return VERDICT_UNDECIDABLE;
}

// The classic rule on the samples of `count` rounds, pooled as if they came from one run.
static enum verdict look_pooled(const struct rule *rule, const struct trial *trial, size_t count) {
    static double base[ROUNDS_MAX * SIMULATE_SAMPLES_MAX], cand[ROUNDS_MAX * SIMULATE_SAMPLES_MAX];
    size_t samples = trial->cell->sample_count;
    for (size_t r = 0; r < count; ++r) {
        memcpy(base + r * samples, trial->base_samples[r], samples * sizeof *base);
        memcpy(cand + r * samples, trial->cand_samples[r], samples * sizeof *cand);
    }
    struct arena arena = {0};
    struct err err = {0};
    struct decision_case judged = {0};
    struct classic_options options = classic_options_default();
    options.has_guards = false; // they require independent samples, which pooled rounds do not have
    options.spec.regression_pct = rule->options.spec.regression_pct;
    struct classic_sets sets = {
        .base_ns = base, .cand_ns = cand, .base_count = count * samples, .cand_count = count * samples};
    assert_int_equal(classic_judge(&sets, &options, &arena, &judged, &err), 0);
    enum verdict verdict = judged.unguarded_verdict;
    arena_fini(&arena);
    return verdict;
}

static enum verdict judge_pooled(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_pooled);
}

static enum verdict judge_single_run(const struct rule *rule, struct trial *trial) {
    trial_extend(trial, 1);
    return look_pooled(rule, trial, 1);
}

static enum verdict look_swapped(const struct rule *rule, const struct trial *trial, size_t count) {
    static struct trial swapped;
    memcpy(swapped.base_ns, trial->cand_ns, sizeof swapped.base_ns);
    memcpy(swapped.cand_ns, trial->base_ns, sizeof swapped.cand_ns);
    for (size_t r = 0; r < count; ++r) swapped.log_ratios[r] = -trial->log_ratios[r];
    return trial_find(&swapped, count, &rule->options);
}

static enum verdict judge_swapped(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_swapped);
}

static enum verdict look_level_5pct(const struct rule *rule, const struct trial *trial, size_t count) {
    struct rounds_options options = rule->options;
    options.fixed_round_count = count; // one decision: 95 % and 90 % intervals
    return trial_find(trial, count, &options);
}

static enum verdict judge_level_5pct(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_level_5pct);
}

// What a rule that is laxer in one way calls; where it calls nothing, the real rule decides.
struct lax {
    size_t from_round;   // ROUNDS_CALL_FROM
    double slower_share; // ROUNDS_SLOWER_SHARE
    double faster_share; // ROUNDS_FASTER_SHARE
    bool is_of_medians;  // d_r: the ratio of the two medians
    bool has_no_test;    // of whether it may be chance
    bool has_own_claims; // each problem's claim at its own level, however many problems may carry it
};

static enum verdict look_lax(const struct rule *rule, const struct trial *trial, size_t count,
                             const struct lax *lax) {
    static struct trial own;
    const struct gate_spec *spec = &rule->options.spec;
    const double slow = log1p(spec->regression_pct / 100), fast = log1p(-spec->improvement_pct / 100);
    const double claims = spec->expects_improvement && !lax->has_own_claims ? SIMULATE_FAMILY : 1;
    struct round_stats stats;
    memcpy(own.base_ns, trial->base_ns, sizeof own.base_ns);
    memcpy(own.cand_ns, trial->cand_ns, sizeof own.cand_ns);
    for (size_t r = 0; r < count; ++r)
        own.log_ratios[r] =
            lax->is_of_medians ? log(trial->cand_ns[r] / trial->base_ns[r]) : trial->log_ratios[r];
    assert_int_equal(round_stats_get(own.log_ratios, count, &stats), 0);
    const double half = round_stats_half_width(&stats, ROUNDS_LOOK_ALPHA),
                 claim_half = round_stats_half_width(&stats, ROUNDS_LOOK_ALPHA / claims);
    const double limit = lax->has_no_test ? 1 : rounds_call_p(ROUNDS_LOOK_COUNT, SIMULATE_FAMILY);
    if (count >= lax->from_round && stats.mean > slow && stats.mean - half > lax->slower_share * slow &&
        round_stats_p_above(&stats, 0) <= limit)
        return VERDICT_REGRESSION;
    if (count >= lax->from_round && stats.mean < fast && stats.mean + claim_half < lax->faster_share * fast &&
        round_stats_p_below(&stats, 0) <= limit)
        return VERDICT_IMPROVEMENT;
    struct rounds_options options = rule->options;
    options.is_final = count == ROUNDS_MAX;
    return trial_find(&own, count, &options);
}

static const struct lax strict = {
    .from_round = ROUNDS_CALL_FROM, .slower_share = ROUNDS_SLOWER_SHARE, .faster_share = ROUNDS_FASTER_SHARE};

static enum verdict look_no_family(const struct rule *rule, const struct trial *trial, size_t count) {
    struct lax lax = strict;
    lax.has_no_test = true;
    return look_lax(rule, trial, count, &lax);
}

static enum verdict look_early(const struct rule *rule, const struct trial *trial, size_t count) {
    struct lax lax = strict;
    lax.from_round = ROUNDS_LOOK_STEP;
    return look_lax(rule, trial, count, &lax);
}

static enum verdict look_estimate(const struct rule *rule, const struct trial *trial, size_t count) {
    struct lax lax = strict;
    lax.slower_share = lax.faster_share = 0;
    return look_lax(rule, trial, count, &lax);
}

static enum verdict look_medians(const struct rule *rule, const struct trial *trial, size_t count) {
    struct lax lax = strict;
    lax.is_of_medians = true;
    return look_lax(rule, trial, count, &lax);
}

static enum verdict look_own_claims(const struct rule *rule, const struct trial *trial, size_t count) {
    struct lax lax = strict;
    lax.has_own_claims = true;
    return look_lax(rule, trial, count, &lax);
}

static enum verdict look_gain_by_estimate(const struct rule *rule, const struct trial *trial, size_t count) {
    return look_lax(rule, trial, count, &strict); // which does not ask for an improvement's own interval
}

static enum verdict judge_gain_by_estimate(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_gain_by_estimate);
}

static enum verdict judge_early(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_early);
}

static enum verdict judge_estimate(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_estimate);
}

static enum verdict judge_medians(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_medians);
}

static enum verdict judge_own_claims(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_own_claims);
}

static enum verdict judge_no_family(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_no_family);
}

static enum verdict judge_five_rounds(const struct rule *rule, struct trial *trial) {
    struct rounds_options options = rule->options;
    options.is_final = true;
    trial_extend(trial, ROUNDS_LOOK_STEP);
    return trial_find(trial, ROUNDS_LOOK_STEP, &options);
}

static enum verdict judge_accepting(const struct rule *rule, struct trial *trial) {
    enum verdict verdict = judge_five_rounds(rule, trial);
    return verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT ? verdict : VERDICT_MAINTAINED;
}

static enum verdict look_percentile(const struct rule *rule, const struct trial *trial, size_t count) {
    static double means[RESAMPLES];
    double slow = log1p(rule->options.spec.regression_pct / 100), sum = 0;
    uint64_t stream = rng_stream(rule->name) + count, first = trial->index * RESAMPLES * ROUNDS_MAX;
    for (size_t i = 0; i < RESAMPLES; ++i) {
        means[i] = 0;
        for (size_t r = 0; r < count; ++r) {
            size_t picked = rng_below(42, stream, first + i * ROUNDS_MAX + r, count);
            means[i] += trial->log_ratios[picked] / (double)count;
        }
        sum += means[i];
    }
    float_order_sort(means, RESAMPLES);
    double low = means[(size_t)(ROUNDS_LOOK_ALPHA / 2 * RESAMPLES)];
    double upper = means[(size_t)((1 - ROUNDS_LOOK_ALPHA) * RESAMPLES)]; // one-sided
    if (count >= ROUNDS_CALL_FROM && sum / RESAMPLES > slow && low > ROUNDS_SLOWER_SHARE * slow)
        return VERDICT_REGRESSION;
    return upper < slow ? VERDICT_MAINTAINED : VERDICT_NONE;
}

static enum verdict judge_percentile(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_percentile);
}

static struct rule named(const char *name, enum verdict (*judge)(const struct rule *, struct trial *)) {
    struct rule rule = rule_real();
    rule.name = name;
    if (judge) rule.judge = judge;
    return rule;
}

struct rule mutant_pooled(void) {
    struct rule rule = named("pooled rounds", judge_pooled);
    rule.wants_samples = true;
    return rule;
}

struct rule mutant_single_run(void) {
    struct rule rule = named("one round, as compare", judge_single_run);
    rule.wants_samples = true;
    return rule;
}

struct rule mutant_swapped(void) {
    return named("sides exchanged", judge_swapped);
}

struct rule mutant_level_5pct(void) {
    return named("0.05 at each look", judge_level_5pct);
}

struct rule mutant_no_family(void) {
    return named("no family", judge_no_family);
}

struct rule mutant_no_threshold(void) {
    struct rule rule = named("no threshold", judge_no_family);
    rule.options.spec.regression_pct = 0;
    return rule;
}

struct rule mutant_early(void) {
    return named("calls from five rounds on", judge_early);
}

struct rule mutant_estimate(void) {
    return named("the estimate alone", judge_estimate);
}

struct rule mutant_medians(void) {
    return named("ratio of two medians", judge_medians);
}

struct rule mutant_own_claims(void) {
    return named("every claim by itself", judge_own_claims);
}

struct rule mutant_gain_by_estimate(void) {
    return named("gain by its estimate", judge_gain_by_estimate);
}

struct rule mutant_loose(void) {
    struct rule rule = named("4 % threshold", NULL);
    rule.options.spec.regression_pct = 4;
    return rule;
}

struct rule mutant_five_rounds(void) {
    return named("five rounds only", judge_five_rounds);
}

struct rule mutant_percentile(void) {
    return named("percentile bootstrap", judge_percentile);
}

struct rule mutant_accepting(void) {
    return named("accepts what is open", judge_accepting);
}
