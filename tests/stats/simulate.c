// SPDX-License-Identifier: Apache-2.0
//
// See simulate.h.
#include "stats/simulate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/binomial.h"
#include "stats/float_order.h"
#include "stats/student_t.h"
#include "worker/measure/pair_order.h"

#define SEED            42
#define DRAWS_PER_ROUND 1024 // keeps the indices of different rounds' samples apart
#define TAIL_SHARE      0.1  // late samples of the heavy tail
#define TAIL_SCALE      0.02
#define TAIL_EXPONENT   1.5 // of the Pareto time: has a mean, but no variance

// A sequence of random numbers from one stream.
struct draw {
    uint64_t stream, index;
};

static double next_uniform(struct draw *draw) {
    return rng_uniform(SEED, draw->stream, draw->index++) + 0x1p-54; // (0, 1)
}

static double next_normal(struct draw *draw) {
    return rng_normal(SEED, draw->stream, draw->index++);
}

// Gamma(shape), shape >= 1: Marsaglia and Tsang 2000.
static double next_gamma(struct draw *draw, double shape) {
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = next_normal(draw), root = 1 + c * x, v = root * root * root;
        if (v > 0 && log(next_uniform(draw)) < x * x / 2 + d - d * v + d * log(v)) return d * v;
    }
}

static double sigma_of(double cv) {
    return sqrt(log1p(cv * cv));
}

static double middle_of(const double *sorted, size_t count) {
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

// The two middle ones of count standard normal values; one and the same of an odd count. The k-th of n
// uniforms is G_k / (G_k + G_(n+1-k)) with gamma waits; between two neighbours one wait of shape 1.
static void draw_middle(size_t count, uint64_t stream, uint64_t index, double ret[2]) {
    struct draw draw = {stream, index * DRAWS_PER_ROUND};
    bool is_even = count % 2 == 0;
    double below = next_gamma(&draw, (double)((count + 1) / 2)),
           above = next_gamma(&draw, (double)(count / 2 + !is_even));
    double between = is_even ? -log(next_uniform(&draw)) : 0;
    double whole = below + between + above;
    ret[0] = normal_quantile(below / whole);
    ret[1] = is_even ? -normal_quantile(above / whole) : ret[0];
}

double median_drawn(size_t count, double cv, uint64_t stream, uint64_t index) {
    double middle[2], sigma = sigma_of(cv);
    draw_middle(count, stream, index, middle);
    return (exp(sigma * middle[0]) + exp(sigma * middle[1])) / 2;
}

double median_of_all(size_t count, double cv, uint64_t stream, uint64_t index) {
    double times[SIMULATE_SAMPLES_MAX], sigma = sigma_of(cv);
    struct draw draw = {stream, index * DRAWS_PER_ROUND};
    for (size_t i = 0; i < count; ++i) times[i] = exp(sigma * next_normal(&draw));
    float_order_sort(times, count);
    return middle_of(times, count);
}

// The difference of two independent normal values is normal, with twice the variance.
double pair_median_drawn(size_t count, double cv, uint64_t stream, uint64_t index) {
    double middle[2];
    draw_middle(count, stream, index, middle);
    return sigma_of(cv) * sqrt(2) * (middle[0] + middle[1]) / 2;
}

static double pair_median(const double *base, const double *cand, size_t count) {
    double logs[SIMULATE_SAMPLES_MAX];
    for (size_t i = 0; i < count; ++i) logs[i] = log(cand[i] / base[i]);
    float_order_sort(logs, count);
    return middle_of(logs, count);
}

double pair_median_of_all(size_t count, double cv, uint64_t stream, uint64_t index) {
    double base[SIMULATE_SAMPLES_MAX], cand[SIMULATE_SAMPLES_MAX], sigma = sigma_of(cv);
    struct draw draw = {stream, index * DRAWS_PER_ROUND};
    for (size_t i = 0; i < count; ++i) {
        base[i] = exp(sigma * next_normal(&draw));
        cand[i] = exp(sigma * next_normal(&draw));
    }
    return pair_median(base, cand, count);
}

// The device's clock while the samples of a round are taken, two a step.
struct clock_modes {
    const struct noise *noise;
    struct draw draw;
    bool is_slow;
};

static double next_mode(struct clock_modes *modes, size_t step) {
    const struct noise *noise = modes->noise;
    double toss = next_uniform(&modes->draw);
    if (noise->kind == NOISE_MODES_MIXED || step == 0)
        modes->is_slow = toss < 0.5;
    else if (noise->kind == NOISE_MODES_STICKY)
        modes->is_slow ^= toss < 1 / noise->dwell;
    return modes->is_slow ? 1 + noise->gap : 1;
}

static double next_time(const struct noise *noise, struct draw *draw, double *level, size_t step) {
    double sigma = sigma_of(noise->cv), innovation = next_normal(draw), late = 0;
    bool follows = noise->kind == NOISE_AR1 && step > 0;
    *level = follows ? noise->phi * *level + sqrt(1 - noise->phi * noise->phi) * innovation : innovation;
    if (noise->kind == NOISE_HEAVY_TAIL && next_uniform(draw) < TAIL_SHARE)
        late = TAIL_SCALE * pow(next_uniform(draw), -1 / TAIL_EXPONENT);
    return exp(sigma * *level) + late;
}

static bool has_modes(enum noise_kind kind) {
    return kind == NOISE_MODES_MIXED || kind == NOISE_MODES_STICKY || kind == NOISE_MODES_ROUND ||
           kind == NOISE_MODES_EITHER;
}

// Which side comes first in a pair: as the sampler draws it, or always A B, B A.
struct turns {
    bool is_fixed;
    struct pair_order order;
};

static bool is_cand_first(struct turns *turns, size_t pair) {
    return turns->is_fixed ? pair % 2 != 0 : pair_order_is_reversed(&turns->order, (uint32_t)pair);
}

// Of the samples at these places in time, those that a period that is no multiple of theirs meets.
static double periodic_ratio(const struct noise *noise, double phase, size_t place) {
    const double before = floor(((double)place + phase) / noise->dwell),
                 after = floor(((double)place + phase + 1) / noise->dwell);
    return after > before ? 1 + noise->gap : 1;
}

// All samples of both sides of a round around 1, in the sampler's order, and then sorted. Returns the median
// of ln(candidate / baseline) over their pairs.
static double take_samples(const struct cell *cell, uint64_t stream, uint64_t index, double *base,
                           double *cand) {
    const struct noise *noise = &cell->noise;
    const uint64_t first = index * DRAWS_PER_ROUND;
    struct draw base_draw = {stream + 1, first}, cand_draw = {stream + 2, first},
                phase_draw = {stream + 7, first};
    const bool is_either = noise->kind == NOISE_MODES_EITHER, is_periodic = noise->kind == NOISE_PERIODIC;
    const bool is_shared_clock = noise->kind != NOISE_MODES_ROUND && !is_either;
    struct clock_modes modes = {noise, {stream + 3, first}, false}, own = {noise, {stream + 4, first}, false};
    const struct dice dice = dice_of_seed(stream + index);
    struct turns turns = {noise->is_order_fixed, pair_order_make(&dice)};
    const double phase = is_periodic ? noise->dwell * next_uniform(&phase_draw) : 0;
    double base_level = 0, cand_level = 0;
    for (size_t i = 0; i < cell->sample_count; ++i) {
        base[i] = next_time(noise, &base_draw, &base_level, i);
        cand[i] = next_time(noise, &cand_draw, &cand_level, i);
        if (!has_modes(noise->kind) && !is_periodic) continue;
        const bool is_reversed = is_shared_clock && is_cand_first(&turns, i);
        double *first_time = is_reversed ? &cand[i] : &base[i],
               *second_time = is_reversed ? &base[i] : &cand[i];
        if (is_periodic) {
            *first_time *= periodic_ratio(noise, phase, 2 * i);
            *second_time *= periodic_ratio(noise, phase, 2 * i + 1);
            continue;
        }
        *first_time *= next_mode(&modes, 2 * i);
        const double either = modes.is_slow ? 1 : 1 + noise->gap;
        *second_time *= is_shared_clock ? next_mode(&modes, 2 * i + 1)
                        : is_either     ? either
                                        : next_mode(&own, 2 * i);
    }
    const double log_ratio = pair_median(base, cand, cell->sample_count);
    float_order_sort(base, cell->sample_count);
    float_order_sort(cand, cell->sample_count);
    return log_ratio;
}

void trial_start(struct trial *trial, const struct cell *cell, uint64_t index, bool has_samples) {
    trial->cell = cell;
    trial->stream = rng_stream(cell->name);
    trial->index = index;
    trial->round_count = 0;
    trial->has_samples = has_samples || cell->noise.kind != NOISE_LOGNORMAL;
}

// Standard normal, AR(1) of the trial's rounds up to r; the stream tells series apart.
static double process_level(const struct trial *trial, uint64_t stream, uint64_t index, size_t r,
                            double *level) {
    const double phi = trial->cell->phi, innovation = rng_normal(SEED, stream, index);
    *level = r ? phi * *level + sqrt(1 - phi * phi) * innovation : innovation;
    return *level;
}

// Of d_r between processes, with mean 0 and standard deviation 1.
static double next_process(struct trial *trial, size_t r) {
    const struct cell *cell = trial->cell;
    const uint64_t index = trial->index * ROUNDS_MAX + r,
                   suite_index = trial->index / SIMULATE_FAMILY * ROUNDS_MAX + r;
    if (cell->process_noise != PROCESS_NORMAL) {
        const double late = -log1p(-rng_uniform(SEED, trial->stream, index)) - 1;
        return cell->process_noise == PROCESS_LATE_CAND ? late : -late;
    }
    double ret = sqrt(1 - cell->shared) * process_level(trial, trial->stream, index, r, &trial->own_level);
    if (cell->shared > 0)
        ret += sqrt(cell->shared) *
               process_level(trial, trial->stream + 5, suite_index, r, &trial->shared_level);
    return ret;
}

static void extend_by_one(struct trial *trial) {
    const struct cell *cell = trial->cell;
    size_t r = trial->round_count++, count = cell->sample_count;
    uint64_t stream = trial->stream, index = trial->index * ROUNDS_MAX + r;
    double ratio = (1 + cell->change) * exp(cell->process * next_process(trial, r));
    if (trial->has_samples) {
        double *base = trial->base_samples[r], *cand = trial->cand_samples[r];
        trial->log_ratios[r] = log(ratio) + take_samples(cell, stream, index, base, cand);
        for (size_t i = 0; i < count; ++i) cand[i] *= ratio;
        trial->base_ns[r] = middle_of(base, count);
        trial->cand_ns[r] = middle_of(cand, count);
    } else {
        trial->base_ns[r] = median_drawn(count, cell->noise.cv, stream + 1, index);
        trial->cand_ns[r] = ratio * median_drawn(count, cell->noise.cv, stream + 2, index);
        trial->log_ratios[r] = log(ratio) + pair_median_drawn(count, cell->noise.cv, stream + 6, index);
    }
}

void trial_extend(struct trial *trial, size_t round_count) {
    while (trial->round_count < round_count) extend_by_one(trial);
}

enum verdict trial_find(const struct trial *trial, size_t round_count, const struct rounds_options *options) {
    const struct rounds_pairs pairs = {trial->base_ns, trial->cand_ns, trial->log_ratios};
    struct rounds_finding finding = {0};
    assert_int_equal(rounds_find(&pairs, NULL, round_count, options, &finding), 0);
    return finding.verdict;
}

// A decision depends only on the rounds up to its look. So the rule is applied to the first half of the
// rounds first, which nearly always decides.
static enum verdict judge_rounds(const struct rule *rule, struct trial *trial) {
    enum verdict verdict = VERDICT_NONE;
    size_t last = rule->options.fixed_round_count ? rule->options.fixed_round_count : ROUNDS_MAX;
    for (size_t count = last == ROUNDS_MAX ? last / 2 : last; count <= last; count += last / 2) {
        struct rounds_options options = rule->options;
        options.is_final = count == last;
        trial_extend(trial, count);
        verdict = trial_find(trial, count, &options);
        if (verdict != VERDICT_NONE) break;
    }
    return verdict;
}

struct rule rule_real(void) {
    struct rule rule = {.name = "rounds", .options = rounds_options_default(), .judge = judge_rounds};
    rule.options.family_count = SIMULATE_FAMILY;
    return rule;
}

enum verdict rule_run(const struct rule *rule, const struct cell *cell, uint64_t index) {
    static struct trial trial; // too big for a stack
    trial_start(&trial, cell, index, rule->wants_samples);
    return rule->judge(rule, &trial);
}

size_t simulate_trials(void) {
    const char *asked = getenv("ASSAY_TRIALS");
    if (!asked) return 10000;
    char *end = NULL;
    const unsigned long long trials = strtoull(asked, &end, 10);
    if (*end || trials < 1000 || trials > 100000000) fail_msg("ASSAY_TRIALS=%s: 1000 to 100000000", asked);
    return trials;
}

void tally_problems(const struct rule *rule, const struct cell *cell, size_t problem_count,
                    struct tally *ret) {
    *ret = (struct tally){.problem_count = problem_count};
    for (size_t t = 0; t < problem_count; ++t) ret->problems[rule_run(rule, cell, t)]++;
}

void tally_families(const struct rule *rule, const struct cell *cell, size_t family_count,
                    struct tally *ret) {
    *ret = (struct tally){.problem_count = family_count * SIMULATE_FAMILY, .family_count = family_count};
    for (size_t t = 0; t < family_count; ++t) {
        bool has_any[VERDICT_COUNT] = {false};
        for (size_t i = 0; i < SIMULATE_FAMILY; ++i) {
            enum verdict verdict = rule_run(rule, cell, t * SIMULATE_FAMILY + i);
            ++ret->problems[verdict];
            has_any[verdict] = true;
        }
        for (size_t v = 0; v < VERDICT_COUNT; ++v) ret->families[v] += has_any[v];
    }
}

static bool is_agreed(size_t count, size_t trials, double rate, bool is_floor) {
    struct binomial_tail tail = binomial_tail(trials, rate, count);
    return (is_floor ? tail.below + tail.at : tail.at_least) >= SIMULATE_DOUBT;
}

bool promise_holds(const struct promise *promise, const struct rule *rule, const struct tally *tally) {
    size_t trials = promise->is_of_family ? tally->family_count : tally->problem_count;
    size_t count = (promise->is_of_family ? tally->families : tally->problems)[promise->verdict];
    bool is_kept = is_agreed(count, trials, promise->rate, promise->is_floor);
    printf("  %-28s %-20s %-11s %8.4f %% of %7zu %s, %s %g %%: %s\n", promise->cell->name, rule->name,
           verdict_name(promise->verdict), 100 * (double)count / (double)trials, trials,
           promise->is_of_family ? "families" : "problems", promise->is_floor ? "at least" : "at most",
           100 * promise->rate, is_kept ? "kept" : "broken");
    return is_kept;
}

static void count_for(const struct promise *promise, const struct rule *rule, size_t trials,
                      struct tally *ret) {
    (promise->is_of_family ? tally_families : tally_problems)(rule, promise->cell, trials, ret);
}

bool promise_check(const struct promise *promise, const struct rule *rule, size_t trials) {
    struct tally tally;
    count_for(promise, rule, trials, &tally);
    return promise_holds(promise, rule, &tally);
}

void promises_keep(const struct promise *promises, size_t count, size_t trials) {
    struct rule rule = rule_real();
    struct tally tally;
    size_t broken_count = 0;
    count_for(&promises[0], &rule, trials, &tally);
    for (size_t i = 0; i < count; ++i) {
        assert_ptr_equal(promises[i].cell, promises[0].cell);
        broken_count += !promise_holds(&promises[i], &rule, &tally);
    }
    assert_int_equal(broken_count, 0);
}

void promise_breaks(const struct promise *promise, struct rule mutant, size_t trials) {
    struct rule rule = rule_real();
    assert_true(promise_check(promise, &rule, trials));
    assert_false(promise_check(promise, &mutant, trials));
}
