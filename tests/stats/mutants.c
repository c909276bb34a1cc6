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
#include "control/verdict/classic/classic.h"
#include "stats/float_order.h"

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

static enum verdict find(const double *base_ns, const double *cand_ns, size_t count,
                         struct rounds_options options) {
    struct rounds_finding finding = {0};
    assert_int_equal(rounds_find(&(struct rounds_pairs){base_ns, cand_ns}, NULL, count, &options, &finding),
                     0);
    return finding.verdict;
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
    struct classic_sets sets = {base, cand, count * samples, count * samples};
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
    return find(trial->cand_ns, trial->base_ns, count, rule->options);
}

static enum verdict judge_swapped(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_swapped);
}

static enum verdict look_level_5pct(const struct rule *rule, const struct trial *trial, size_t count) {
    struct rounds_options options = rule->options;
    options.fixed_round_count = count; // one decision: 95 % and 90 % intervals
    return find(trial->base_ns, trial->cand_ns, count, options);
}

static enum verdict judge_level_5pct(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_level_5pct);
}

// The rule without its test of whether a regression may be chance.
static enum verdict look_no_family(const struct rule *rule, const struct trial *trial, size_t count) {
    double log_ratios[ROUNDS_MAX] = {0}, slow = log1p(rule->options.spec.regression_pct / 100);
    struct round_stats stats;
    for (size_t r = 0; r < count; ++r) log_ratios[r] = log(trial->cand_ns[r] / trial->base_ns[r]);
    assert_int_equal(round_stats_get(log_ratios, count, &stats), 0);
    double low = round_stats_interval(&stats, ROUNDS_LOOK_ALPHA).lo;
    bool is_first = count == ROUNDS_LOOK_STEP;
    if (is_first ? low > slow : stats.mean > slow && low > 0) return VERDICT_REGRESSION;
    return find(trial->base_ns, trial->cand_ns, count, rule->options);
}

static enum verdict judge_no_family(const struct rule *rule, struct trial *trial) {
    return judge_looks(rule, trial, look_no_family);
}

static enum verdict judge_five_rounds(const struct rule *rule, struct trial *trial) {
    struct rounds_options options = rule->options;
    options.is_final = true;
    trial_extend(trial, ROUNDS_LOOK_STEP);
    return find(trial->base_ns, trial->cand_ns, ROUNDS_LOOK_STEP, options);
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
            means[i] += log(trial->cand_ns[picked] / trial->base_ns[picked]) / (double)count;
        }
        sum += means[i];
    }
    float_order_sort(means, RESAMPLES);
    double low = means[(size_t)(ROUNDS_LOOK_ALPHA / 2 * RESAMPLES)];
    double upper = means[(size_t)((1 - ROUNDS_LOOK_ALPHA) * RESAMPLES)]; // one-sided
    bool is_first = count == ROUNDS_LOOK_STEP;
    if (is_first ? low > slow : sum / RESAMPLES > slow && low > 0) return VERDICT_REGRESSION;
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
