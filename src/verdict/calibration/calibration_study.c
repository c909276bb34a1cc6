// SPDX-License-Identifier: Apache-2.0
//
// A/A studies: the figures of one run of identical code, and those of all runs pooled.
#include "verdict/calibration/calibration_study.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/binomial.h"
#include "stats/chi_square.h"
#include "stats/describe.h"
#include "stats/round_stats.h"
#include "stats/serial_correlation.h"
#include "stats/student_t.h"
#include "verdict/round_medians.h"
#include "verdict/rounds/rounds_rule.h"

#define WITHIN_PART_MAX 0.25 // of the variance of d_r; when less is from samples, more samples gain little

static const uint32_t pair_counts[] = {ROUND_PAIRS, ROUND_PAIRS_NOISY,
                                       ROUND_PAIRS_NOISIER}; // what a round may have

// ---- one run ----

struct within {
    double square_sum, degrees; // of CV^2 with weights n - 1
    double sample_count, set_count;
    double median_variance_sum; // of ln(median), over all sets
};

static int within_add(const struct samples *samples, struct within *within) {
    size_t capacity = samples->count ? samples->count : 1;
    double *times = mem_try_array(capacity, sizeof *times), *sorted = mem_try_array(capacity, sizeof *sorted);
    struct describe described;
    int status = times && sorted ? 0 : -1;
    size_t count = status == 0 ? samples_times_ns(samples, times) : 0;
    if (count) status = describe_samples(times, count, sorted, &described);
    struct round_side side;
    if (count && status == 0) status = round_side_get(samples, &side);
    free(times);
    free(sorted);
    if (count == 0 || status < 0) return status;
    // Long tails and correlated neighbours are common: the scatter of a median follows neither from the CV
    // nor from the plain number of samples.
    within->median_variance_sum += side.log_variance * (double)described.n / described.effective_count;
    within->sample_count += (double)count;
    ++within->set_count;
    if (count < 2) return 0;
    double cv = described.sd / described.mean;
    within->square_sum += (double)(count - 1) * cv * cv;
    within->degrees += (double)(count - 1);
    return 0;
}

// The readers of the stored file reject a larger spread.
static double bounded(double pct) {
    return pct > CALIBRATION_SPREAD_MAX_PCT ? CALIBRATION_SPREAD_MAX_PCT : pct;
}

static int find_within(const struct result_case *item, struct rounds_sides sides,
                       struct calibration_problem *ret) {
    struct within within = {0};
    for (size_t i = 0; i < item->round_count; ++i) {
        const struct result_round *round = &item->rounds[i];
        if (!result_round_is_usable(round, sides.base, sides.cand)) continue;
        if (within_add(&round->samples[sides.base], &within) < 0) return -1;
        if (within_add(&round->samples[sides.cand], &within) < 0) return -1;
    }
    if (within.degrees > 0) ret->within_cv_pct = bounded(100 * sqrt(within.square_sum / within.degrees));
    if (within.set_count > 0) {
        ret->pair_count = within.sample_count / within.set_count;
        ret->within_sd_pct = bounded(100 * sqrt(2 * within.median_variance_sum / within.set_count));
    }
    return 0;
}

static int study_problem(const struct result_case *item, struct rounds_sides sides, struct arena *arena,
                         struct calibration_problem *ret, struct serial_series *ret_series) {
    struct round_medians medians;
    double log_sum = 0;
    if (round_medians_get(item, sides.base, sides.cand, &medians) < 0) return -1;
    const size_t count = medians.round_count;
    *ret_series = round_medians_series(&medians, arena);
    ret->round_count = (uint32_t)count;
    ret->invalid_round_count = (uint32_t)medians.invalid_count;
    ret->invalid_reason = medians.invalid_reason;
    int status = 0;
    for (size_t r = 0; r < count; ++r) log_sum += (log(medians.cand_ns[r]) + log(medians.base_ns[r])) / 2;
    struct round_stats stats;
    if (count > 0) ret->median_ns = exp(log_sum / (double)count);
    if (round_stats_get(medians.log_ratios, count, &stats) == 0) {
        ret->offset_pct = 100 * stats.mean;
        ret->spread_pct = bounded(100 * stats.sd);
    }
    // Only runs with all rounds are comparisons: those that ended sooner are not like the others. The rule is
    // always the default one, whatever was asked for: else a coarse threshold would add runs without a false
    // alarm.
    if (count >= CALIBRATION_ROUNDS) {
        struct rounds_options rule = rounds_options_default();
        struct rounds_finding finding;
        rule.family_count = 1;
        rule.is_final = true;
        const struct rounds_pairs pairs = {medians.base_ns, medians.cand_ns, medians.log_ratios};
        status = rounds_find(&pairs, NULL, count, &rule, &finding);
        if (status == 0) ret->verdict = finding.verdict;
    }
    if (status == 0) status = find_within(item, sides, ret);
    round_medians_fini(&medians);
    return status;
}

int calibration_study_make(const struct result *result, struct rounds_sides sides, struct arena *arena,
                           struct calibration_study *ret, struct err *err) {
    const struct environment *environment = &result->environment;
    *ret = (struct calibration_study){
        .run_id = result->run_id,
        .created_utc = result->created_utc,
        .assay_version = environment->assay_version,
        .driver = environment->driver,
        .power_mode = environment->power_mode,
        .cache_mode = environment->cache_mode,
        .isolation = isolation_name(result->sampling.isolation),
        .kernel = result->sides[sides.base].kernel,
        .code_hash = result->sides[sides.base].build.code_hash,
        .suite = result->suite,
        .seed = result->seed,
        .sample_count = result->sampling.sample_count,
        .sample_count_noisy = result->sampling.sample_count_noisy,
        .sample_count_noisier = result->sampling.sample_count_noisier,
        .locked_clock_mhz = result->sampling.locked_clock_mhz,
        .problems = arena_array(arena, result->case_count, sizeof *ret->problems),
    };
    struct serial_series *series = arena_array(arena, result->case_count + 1, sizeof *series);
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        const enum outcome base = result_case_outcome(item, sides.base);
        const enum outcome cand = result_case_outcome(item, sides.cand);
        if ((base != OUTCOME_OK && base != OUTCOME_NOT_VALID) ||
            (cand != OUTCOME_OK && cand != OUTCOME_NOT_VALID))
            continue;
        struct calibration_problem *problem = &ret->problems[ret->problem_count++];
        char key[PROBLEM_KEY_BYTES];
        *problem = (struct calibration_problem){.name = arena_strdup(arena, result_case_key(item, key)),
                                                .short_name = item->short_name,
                                                .median_ns = NAN,
                                                .offset_pct = NAN,
                                                .spread_pct = NAN,
                                                .within_cv_pct = NAN,
                                                .within_sd_pct = NAN,
                                                .pair_count = NAN};
        if (study_problem(item, sides, arena, problem, &series[ret->problem_count - 1]) < 0)
            return err_set(err, ERR_INTERNAL, "no memory for the rounds of %s", item->problem.name);
    }
    struct serial_correlation found;
    if (serial_correlation_test(series, ret->problem_count, &found) < 0)
        return err_set(err, ERR_INTERNAL, "no memory to look for a dependence between rounds");
    ret->round_correlation = found.lag1;
    ret->round_correlation_p = found.p;
    return 0;
}

// ---- all studies ----

struct calibration_conditions calibration_conditions_of(const struct calibration_study *study) {
    return (struct calibration_conditions){.driver = study->driver,
                                           .power_mode = study->power_mode,
                                           .cache_mode = study->cache_mode,
                                           .isolation = study->isolation,
                                           .kernel = study->kernel,
                                           .code_hash = study->code_hash,
                                           .sample_count = study->sample_count,
                                           .sample_count_noisy = study->sample_count_noisy,
                                           .sample_count_noisier = study->sample_count_noisier,
                                           .locked_clock_mhz = study->locked_clock_mhz};
}

bool calibration_study_is_of(const struct calibration_study *study,
                             const struct calibration_conditions *wanted) {
    if (wanted->sample_count && (study->sample_count != wanted->sample_count ||
                                 study->sample_count_noisy != wanted->sample_count_noisy ||
                                 study->sample_count_noisier != wanted->sample_count_noisier))
        return false;
    if (study->locked_clock_mhz != wanted->locked_clock_mhz) return false;
    if ((wanted->kernel || wanted->code_hash) &&
        !calibration_study_is_of_kernel(study, wanted->kernel, wanted->code_hash))
        return false;
    return (!wanted->driver || str_equal(wanted->driver, study->driver)) &&
           (!wanted->power_mode || str_equal(wanted->power_mode, study->power_mode)) &&
           (!wanted->cache_mode || str_equal(wanted->cache_mode, study->cache_mode)) &&
           (!wanted->isolation || str_equal(wanted->isolation, study->isolation));
}

static const struct calibration_problem *find_problem(const struct calibration_study *study,
                                                      const char *name) {
    for (size_t i = 0; i < study->problem_count; ++i)
        if (str_equal(study->problems[i].name, name)) return &study->problems[i];
    return NULL;
}

static bool is_comparison(const struct calibration_problem *problem) {
    return problem->verdict != VERDICT_NONE && problem->round_count >= CALIBRATION_ROUNDS;
}

static bool is_false_alarm(const struct calibration_problem *problem) {
    return is_comparison(problem) && problem->verdict == VERDICT_REGRESSION;
}

// Sums from which the pooled figures are computed.
struct pool {
    double spread_square; // of sd^2 with weights R - 1
    double within_square, within_weight;
    double median_square, median_weight; // of within_sd^2
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
    ret->false_alarm_count += is_false_alarm(problem);
    if (isfinite(problem->spread_pct)) {
        ++ret->study_count;
        ret->degrees += problem->round_count - 1;
        pool->spread_square += (rounds - 1) * problem->spread_pct * problem->spread_pct;
    }
    if (isfinite(problem->within_cv_pct)) {
        pool->within_square += rounds * problem->within_cv_pct * problem->within_cv_pct;
        pool->within_weight += rounds;
    }
    if (isfinite(problem->within_sd_pct)) {
        pool->median_square += rounds * problem->within_sd_pct * problem->within_sd_pct;
        pool->median_weight += rounds;
    }
    if (isfinite(problem->pair_count)) {
        pool->pair_sum += rounds * problem->pair_count;
        pool->pair_weight += rounds;
    }
}

static void finish_pool(const struct pool *pool, struct calibration_pooled *ret) {
    if (pool->within_weight > 0) ret->within_cv_pct = sqrt(pool->within_square / pool->within_weight);
    if (pool->median_weight > 0) ret->within_sd_pct = sqrt(pool->median_square / pool->median_weight);
    if (pool->pair_weight > 0) ret->pair_count = pool->pair_sum / pool->pair_weight;
    if (ret->degrees == 0) return;
    ret->spread_pct = sqrt(pool->spread_square / (double)ret->degrees);
    ret->spread_low_pct = ret->spread_pct * chi_square_sd_factor(1 - CALIBRATION_LEVEL, (double)ret->degrees);
    ret->spread_high_pct = ret->spread_pct * chi_square_sd_factor(CALIBRATION_LEVEL, (double)ret->degrees);
    double sd = ret->spread_high_pct / 100;
    struct round_stats stats = {
        .count = CALIBRATION_ROUNDS, .sd = sd, .se = sd / sqrt((double)CALIBRATION_ROUNDS)};
    ret->detectable_pct = rounds_needed_detectable_pct(sd, CALIBRATION_ROUNDS);
    ret->half_width_pct = log_to_pct(round_stats_half_width(&stats, rounds_needed_alpha(CALIBRATION_ROUNDS)));
    double within = ret->within_sd_pct / ret->spread_pct;
    ret->within_part = isfinite(within) ? fmin(1, within * within) : NAN;
}

bool calibration_pool(const struct calibration *calibration, const struct calibration_conditions *conditions,
                      const char *name, struct calibration_pooled *ret) {
    struct pool pool = {0};
    *ret = (struct calibration_pooled){.median_ns = NAN,
                                       .spread_pct = NAN,
                                       .spread_low_pct = NAN,
                                       .spread_high_pct = NAN,
                                       .within_cv_pct = NAN,
                                       .within_sd_pct = NAN,
                                       .pair_count = NAN,
                                       .within_part = NAN,
                                       .detectable_pct = NAN,
                                       .half_width_pct = NAN};
    for (size_t i = 0; i < calibration->study_count; ++i) {
        const struct calibration_study *study = &calibration->studies[i];
        const struct calibration_problem *problem = find_problem(study, name);
        if (!problem || !calibration_study_is_of(study, conditions)) continue;
        pool_add(problem, &pool, ret);
        ret->kernel = study->kernel;
    }
    finish_pool(&pool, ret);
    return ret->name != NULL;
}

// ---- for a gate ----

// The studies that both searches look for. own NULL: studies of any kernel and any number of pairs.
struct search {
    const struct calibration *calibration;
    const struct calibration_conditions *conditions;
    const struct result *own;
    const char *name;
};

static bool is_match(const struct search *search, const struct calibration_study *study) {
    struct calibration_conditions conditions = *search->conditions;
    const struct result *own = search->own;
    if (!own) conditions.sample_count = 0;
    if (!calibration_study_is_of(study, &conditions) || !find_problem(study, search->name)) return false;
    bool is_own = !own;
    for (size_t i = 0; !is_own && i < own->side_count; ++i)
        is_own = calibration_study_is_of_kernel(study, own->sides[i].kernel, own->sides[i].build.code_hash);
    return is_own;
}

// True if this study is pooled with an earlier one, which has the same conditions.
static bool is_pooled_before(const struct search *search, size_t index) {
    const struct calibration_study *studies = search->calibration->studies;
    const struct calibration_conditions alike = calibration_conditions_of(&studies[index]);
    for (size_t i = 0; i < index; ++i)
        if (calibration_study_is_of(&studies[i], &alike) && is_match(search, &studies[i])) return true;
    return false;
}

static bool find_largest(const struct search *search, struct calibration_pooled *ret) {
    const struct calibration *calibration = search->calibration;
    bool is_found = false;
    for (size_t i = 0; i < calibration->study_count; ++i) {
        struct calibration_pooled problem;
        if (!is_match(search, &calibration->studies[i]) || is_pooled_before(search, i)) continue;
        const struct calibration_conditions alike = calibration_conditions_of(&calibration->studies[i]);
        calibration_pool(calibration, &alike, search->name, &problem);
        if (!calibration_is_measured(&problem)) continue;
        if (!is_found || problem.spread_pct > ret->spread_pct) *ret = problem;
        is_found = true;
    }
    return is_found;
}

bool calibration_pool_for(const struct calibration *calibration,
                          const struct calibration_conditions *conditions, const struct result *result,
                          const char *name, struct calibration_pooled *ret) {
    struct search search = {calibration, conditions, result, name};
    if (find_largest(&search, ret)) return true;
    search.own = NULL;
    return find_largest(&search, ret);
}

// ---- what follows from the figures ----

bool calibration_is_measured(const struct calibration_pooled *problem) {
    return isfinite(problem->spread_pct) && problem->degrees + 1 >= ROUNDS_LOOK_STEP;
}

static bool is_enough(double spread_pct, const struct calibration_gate *gate) {
    double sd = spread_pct / 100;
    uint32_t needed = gate->is_fixed ? rounds_needed_fixed(sd, gate->threshold_pct)
                                     : rounds_needed(sd, gate->threshold_pct);
    return needed != 0 && needed <= gate->round_count;
}

enum calibration_fitness calibration_judge(const struct calibration_pooled *problem,
                                           const struct calibration_gate *gate) {
    if (!calibration_is_measured(problem)) return CALIBRATION_UNKNOWN;
    if (is_enough(problem->spread_high_pct, gate)) return CALIBRATION_DETECTS;
    return is_enough(problem->spread_low_pct, gate) ? CALIBRATION_UNCERTAIN : CALIBRATION_REFUSES;
}

uint32_t calibration_pair_count(const struct calibration_pooled *problems, size_t problem_count) {
    double within = 0, all = 0; // within: of one sample a side
    for (size_t i = 0; i < problem_count; ++i) {
        const struct calibration_pooled *problem = &problems[i];
        if (!calibration_is_measured(problem) || !isfinite(problem->within_sd_pct)) continue;
        double weight = (double)problem->degrees;
        double variance = problem->within_sd_pct * problem->within_sd_pct;
        within += weight * variance * problem->pair_count;
        all += weight * (fmax(0, problem->spread_pct * problem->spread_pct - variance));
    }
    size_t count = sizeof pair_counts / sizeof *pair_counts;
    if (!(within > 0 || all > 0)) return 0;
    for (size_t i = 0; i + 1 < count; ++i) {
        double then = within / pair_counts[i];
        if (then <= WITHIN_PART_MAX * (all + then)) return pair_counts[i];
    }
    return pair_counts[count - 1];
}

struct calibration_false_alarms calibration_false_alarms(const struct calibration *calibration) {
    struct calibration_false_alarms all = {0};
    for (size_t i = 0; i < calibration->study_count; ++i) {
        const struct calibration_study *study = &calibration->studies[i];
        size_t compared = 0, alarmed = 0;
        for (size_t k = 0; k < study->problem_count; ++k) {
            compared += is_comparison(&study->problems[k]);
            alarmed += is_false_alarm(&study->problems[k]);
        }
        all.comparison_count += compared;
        all.false_alarm_count += alarmed;
        all.run_count += compared > 0;
        all.false_alarm_run_count += alarmed > 0;
    }
    all.upper_bound_pct =
        100 * binomial_upper_bound(all.comparison_count, all.false_alarm_count, CALIBRATION_LEVEL);
    all.run_upper_bound_pct =
        100 * binomial_upper_bound(all.run_count, all.false_alarm_run_count, CALIBRATION_LEVEL);
    return all;
}
