// SPDX-License-Identifier: Apache-2.0
//
// See calibration_study.h: what one run of identical code says, and what all of them say together.
#include "verdict/calibration_study.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/binomial.h"
#include "stats/describe.h"
#include "stats/round_stats.h"
#include "verdict/round_medians.h"
#include "verdict/rounds_needed.h"

#include <math.h>
#include <stdlib.h>

static const uint32_t pair_counts[] = {ROUND_PAIRS, ROUND_PAIRS_NOISY,
                                       ROUND_PAIRS_NOISIER}; // what a round may have

// ---- one run ----

struct within {
    double square_sum, degrees; // of CV^2 with weights n - 1
    double sample_count, set_count;
};

static int within_add(const struct samples *samples, struct within *within) {
    double *times = mem_try_array(samples->count ? samples->count : 1, sizeof *times);
    if (!times) return -1;
    size_t count = samples_times_ns(samples, times);
    double mean = describe_mean(times, count), sd = describe_sd(times, count, mean);
    free(times);
    within->sample_count += (double)count;
    within->set_count += count > 0;
    if (count < 2) return 0;
    within->square_sum += (double)(count - 1) * (sd / mean) * (sd / mean);
    within->degrees += (double)(count - 1);
    return 0;
}

static int find_within(const struct result_case *item, struct rounds_sides sides,
                       struct calibration_problem *ret) {
    struct within within = {0};
    for (size_t i = 0; i < item->round_count; i++) {
        const struct result_round *round = &item->rounds[i];
        if (!result_round_is_usable(round, sides.base, sides.cand)) continue;
        if (within_add(&round->samples[sides.base], &within) < 0) return -1;
        if (within_add(&round->samples[sides.cand], &within) < 0) return -1;
    }
    if (within.degrees > 0) ret->within_cv_pct = 100 * sqrt(within.square_sum / within.degrees);
    if (within.set_count > 0) ret->pair_count = within.sample_count / within.set_count;
    return 0;
}

static int find_between(const struct round_medians *medians, const struct rounds_options *options,
                        struct calibration_problem *ret) {
    size_t count = medians->round_count;
    double log_sum = 0;
    double *log_ratios = mem_try_array(count ? count : 1, sizeof *log_ratios);
    if (!log_ratios) return -1;
    for (size_t r = 0; r < count; r++) {
        log_ratios[r] = log(medians->cand_ns[r] / medians->base_ns[r]);
        log_sum += (log(medians->cand_ns[r]) + log(medians->base_ns[r])) / 2;
    }
    struct round_stats stats;
    if (count > 0) ret->median_ns = exp(log_sum / (double)count);
    if (round_stats_get(log_ratios, count, &stats) == 0) {
        ret->offset_pct = 100 * stats.mean;
        ret->spread_pct = 100 * stats.sd;
    }
    free(log_ratios);
    struct rounds_finding finding;
    if (rounds_find(medians->base_ns, medians->cand_ns, count, options, &finding) < 0) return -1;
    ret->verdict = finding.verdict;
    return 0;
}

static int study_problem(const struct result_case *item, struct rounds_sides sides,
                         const struct rounds_options *options, struct calibration_problem *ret) {
    struct round_medians medians;
    if (round_medians_get(item, sides.base, sides.cand, &medians) < 0) return -1;
    ret->round_count = (uint32_t)medians.round_count;
    ret->invalid_round_count = (uint32_t)medians.invalid_count;
    ret->invalid_reason = medians.invalid_reason;
    int status = find_between(&medians, options, ret);
    if (status == 0) status = find_within(item, sides, ret);
    round_medians_fini(&medians);
    return status;
}

static bool is_measured(const struct result_case *item, struct rounds_sides sides) {
    enum outcome base = result_case_outcome(item, sides.base), cand = result_case_outcome(item, sides.cand);
    return (base == OUTCOME_OK || base == OUTCOME_NOT_VALID) &&
           (cand == OUTCOME_OK || cand == OUTCOME_NOT_VALID);
}

int calibration_study_make(const struct result *result, struct rounds_sides sides,
                           const struct rounds_options *options, struct arena *arena,
                           struct calibration_study *ret, struct err *err) {
    const struct environment *environment = &result->environment;
    struct rounds_options rule = *options; // the sequential rule, whatever number of rounds was measured
    rule.fixed_round_count = 0;
    rule.family_count = result->case_count;
    rule.is_final = false;
    *ret = (struct calibration_study){
        .run_id = result->run_id,
        .created_utc = result->created_utc,
        .assay_version = environment->assay_version,
        .driver = environment->driver,
        .regime = environment->regime,
        .cache_mode = environment->cache_mode,
        .kernel = result->sides[sides.base].kernel,
        .suite = result->suite,
        .seed = result->seed,
        .sample_count = result->sampling.sample_count,
        .sample_count_noisy = result->sampling.sample_count_noisy,
        .sample_count_noisier = result->sampling.sample_count_noisier,
        .problems = arena_array(arena, result->case_count, sizeof *ret->problems),
    };
    for (size_t i = 0; i < result->case_count; i++) {
        const struct result_case *item = &result->cases[i];
        if (!is_measured(item, sides)) continue;
        struct calibration_problem *problem = &ret->problems[ret->problem_count++];
        *problem = (struct calibration_problem){.name = item->problem.name,
                                                .short_name = item->short_name,
                                                .median_ns = NAN,
                                                .offset_pct = NAN,
                                                .spread_pct = NAN,
                                                .within_cv_pct = NAN,
                                                .pair_count = NAN};
        if (study_problem(item, sides, &rule, problem) < 0)
            return err_set(err, ERR_INTERNAL, "no memory for the rounds of %s", item->problem.name);
    }
    return 0;
}

// ---- all studies ----

static bool is_wanted(const char *wanted, const char *found) {
    return !wanted || str_equal(wanted, found);
}

bool calibration_study_is_of(const struct calibration_study *study,
                             const struct calibration_conditions *conditions) {
    return is_wanted(conditions->driver, study->driver) && is_wanted(conditions->regime, study->regime) &&
           is_wanted(conditions->cache_mode, study->cache_mode);
}

static const struct calibration_problem *find_problem(const struct calibration_study *study,
                                                      const char *name) {
    for (size_t i = 0; i < study->problem_count; i++)
        if (str_equal(study->problems[i].name, name)) return &study->problems[i];
    return NULL;
}

static bool is_comparison(const struct calibration_problem *problem) {
    return problem->verdict != VERDICT_NONE;
}

// Sums behind the pooled figures.
struct pool {
    double spread_square; // of sd^2 with weights R - 1
    double within_square, within_weight;
    double pair_sum, pair_weight;
};

static void pool_add(const struct calibration_problem *problem, struct pool *pool,
                     struct calibration_pooled *ret) {
    double rounds = problem->round_count;
    ret->name = problem->name;
    ret->short_name = problem->short_name;
    ret->round_count += problem->round_count;
    ret->invalid_round_count += problem->invalid_round_count;
    if (problem->invalid_reason) ret->invalid_reason = problem->invalid_reason;
    if (isfinite(problem->median_ns)) ret->median_ns = problem->median_ns;
    ret->comparison_count += is_comparison(problem);
    ret->accusation_count += problem->verdict == VERDICT_REGRESSION;
    if (isfinite(problem->spread_pct)) {
        ret->study_count++;
        ret->degrees += problem->round_count - 1;
        pool->spread_square += (rounds - 1) * problem->spread_pct * problem->spread_pct;
    }
    if (isfinite(problem->within_cv_pct)) {
        pool->within_square += rounds * problem->within_cv_pct * problem->within_cv_pct;
        pool->within_weight += rounds;
    }
    if (isfinite(problem->pair_count)) {
        pool->pair_sum += rounds * problem->pair_count;
        pool->pair_weight += rounds;
    }
}

// Variance of the difference of two medians of n samples each, in the square of the CV's unit.
static double within_variance(double cv, double pair_count) {
    return 2 * DESCRIBE_MEDIAN_SD_RATIO * DESCRIBE_MEDIAN_SD_RATIO * cv * cv / pair_count;
}

// The fewest pairs of which the noise within explains less than a quarter of what d_r would then spread.
static uint32_t recommend_pairs(const struct calibration_pooled *problem) {
    size_t count = sizeof pair_counts / sizeof *pair_counts;
    double within = within_variance(problem->within_cv_pct, problem->pair_count);
    double between = fmax(0, problem->spread_pct * problem->spread_pct - within);
    for (size_t i = 0; i + 1 < count; i++) {
        double then = within_variance(problem->within_cv_pct, pair_counts[i]);
        if (then <= 0 || then < CALIBRATION_WITHIN_PART_MAX * (between + then)) return pair_counts[i];
    }
    return pair_counts[count - 1];
}

static void finish_pool(const struct pool *pool, struct calibration_pooled *ret) {
    if (pool->within_weight > 0) ret->within_cv_pct = sqrt(pool->within_square / pool->within_weight);
    if (pool->pair_weight > 0) ret->pair_count = pool->pair_sum / pool->pair_weight;
    if (ret->degrees == 0) return;
    ret->spread_pct = sqrt(pool->spread_square / (double)ret->degrees);
    double sd = ret->spread_pct / 100;
    struct round_stats stats = {
        .count = CALIBRATION_ROUNDS, .sd = sd, .se = sd / sqrt((double)CALIBRATION_ROUNDS)};
    ret->certified_pct = rounds_needed_detectable_pct(sd, CALIBRATION_ROUNDS);
    ret->half_width_pct = log_to_pct(round_stats_half_width(&stats, rounds_needed_alpha(CALIBRATION_ROUNDS)));
    double within = within_variance(ret->within_cv_pct, ret->pair_count);
    if (!isfinite(within)) return;
    ret->within_part = sd > 0 ? fmin(1, within / (ret->spread_pct * ret->spread_pct)) : NAN;
    ret->pair_count_recommended = recommend_pairs(ret);
}

bool calibration_pool(const struct calibration *calibration, const struct calibration_conditions *conditions,
                      const char *name, struct calibration_pooled *ret) {
    struct pool pool = {0};
    *ret = (struct calibration_pooled){.median_ns = NAN,
                                       .spread_pct = NAN,
                                       .within_cv_pct = NAN,
                                       .pair_count = NAN,
                                       .within_part = NAN,
                                       .certified_pct = NAN,
                                       .half_width_pct = NAN};
    for (size_t i = 0; i < calibration->study_count; i++) {
        const struct calibration_study *study = &calibration->studies[i];
        const struct calibration_problem *problem = find_problem(study, name);
        if (problem && calibration_study_is_of(study, conditions)) pool_add(problem, &pool, ret);
    }
    finish_pool(&pool, ret);
    return ret->name != NULL;
}

bool calibration_is_measured(const struct calibration_pooled *problem) {
    return isfinite(problem->spread_pct) && problem->degrees + 1 >= ROUNDS_LOOK_STEP;
}

bool calibration_certifies(const struct calibration_pooled *problem, double threshold_pct,
                           uint32_t round_count) {
    if (!calibration_is_measured(problem)) return true;
    uint32_t needed = rounds_needed(problem->spread_pct / 100, threshold_pct);
    return needed != 0 && needed <= round_count;
}

struct calibration_accusations calibration_accusations(const struct calibration *calibration) {
    struct calibration_accusations all = {0};
    for (size_t i = 0; i < calibration->study_count; i++) {
        const struct calibration_study *study = &calibration->studies[i];
        size_t compared = 0;
        for (size_t k = 0; k < study->problem_count; k++) {
            compared += is_comparison(&study->problems[k]);
            all.accusation_count += study->problems[k].verdict == VERDICT_REGRESSION;
        }
        all.comparison_count += compared;
        all.run_count += compared > 0;
    }
    all.upper_bound_pct =
        100 * binomial_upper_bound(all.comparison_count, all.accusation_count, CALIBRATION_LEVEL);
    return all;
}

double calibration_round_up_pct(double pct) {
    return isfinite(pct) ? fmax(1, ceil(pct)) : NAN;
}
