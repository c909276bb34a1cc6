// SPDX-License-Identifier: Apache-2.0
//
// Simulated measurements of kernels whose true change is known, in rounds as a gate takes them, for the tests
// of the promises (docs/promises.md): noise models, a rule (the real one or a mutant), its count of each
// verdict, and whether that count agrees with the promised rate. Everything is a function of the cell's name:
// a test that fails, fails again.
#ifndef TESTS_STATS_SIMULATE_H
#define TESTS_STATS_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verdict/rounds/rounds_rule.h"

// Trials a cell: ASSAY_TRIALS of the environment (`make campaign` sets 100000), else 10000. Fewer trials have
// wider bounds: a rule that keeps its promises passes with any number, a worse one is told apart by more of
// them.
size_t simulate_trials(void);
#define SIMULATE_MUTANT_TRIALS 5000
#define SIMULATE_FAMILY        27
#define SIMULATE_SAMPLES_MAX   100
#define SIMULATE_DOUBT         0.001 // a count this unlikely under the promised rate breaks the promise

enum noise_kind {
    NOISE_INVALID = 0,
    NOISE_LOGNORMAL,   // independent
    NOISE_HEAVY_TAIL,  // plus: one sample in ten is late, by a Pareto time of infinite variance
    NOISE_MODES_MIXED, // plus: each sample runs at one of two clocks
    // plus: the device's clock stays for dwell samples on average; sides alternate, so both see the same
    // clock
    NOISE_MODES_STICKY,
    // plus: each side of each round has one of two clocks, so there are two kinds of rounds
    NOISE_MODES_ROUND,
    NOISE_MODES_EITHER, // plus: in each round exactly one of the two sides, drawn, has the slower clock
    NOISE_AR1,          // autocorrelation within each side; a common one would cancel
    // plus: each `dwell`-th sample (of either side) takes longer by the gap, from a drawn one on, as a timer
    // tick does. The order of the samples is the sampler's own (worker/measure/pair_order.h).
    NOISE_PERIODIC,
    NOISE_COUNT
};

struct noise {
    enum noise_kind kind;
    double cv;           // of the lognormal part of the samples, as a ratio
    double gap;          // modes: how much slower the second is, as a ratio; both are as likely
    double dwell;        // sticky modes: samples (of either side) between two changes, on average
    double phi;          // AR(1)
    bool is_order_fixed; // a mutant of the sampler: A B, B A, A B, always
};

// How d_r varies between processes, with mean 0 and the cell's standard deviation.
enum process_noise {
    PROCESS_NORMAL = 0,
    PROCESS_LATE_CAND, // exponential: processes of the candidate may be late, by any time, and never early
    PROCESS_LATE_BASE,
};

struct cell {
    const char *name;
    double change;  // the true one: 0.05 is 5 % slower
    double process; // sd of d_r between processes
    double shared;  // share of that variance common to all problems of a round
    double phi;     // AR(1) of d_r from round to round
    enum process_noise process_noise;
    size_t sample_count; // a side and round
    struct noise noise;
};

// One problem of one gate. Rounds are drawn when the rule needs them.
struct trial {
    const struct cell *cell;
    uint64_t stream, index;
    size_t round_count;
    double own_level, shared_level;                  // of the AR(1), at the last round
    double base_ns[ROUNDS_MAX], cand_ns[ROUNDS_MAX]; // medians of the rounds
    double log_ratios[ROUNDS_MAX];                   // medians over the pairs of the rounds
    // All samples of the rounds, sorted within each; only where has_samples.
    bool has_samples;
    double base_samples[ROUNDS_MAX][SIMULATE_SAMPLES_MAX], cand_samples[ROUNDS_MAX][SIMULATE_SAMPLES_MAX];
};
void trial_start(struct trial *trial, const struct cell *cell, uint64_t index, bool has_samples);
void trial_extend(struct trial *trial, size_t round_count);

// Independent lognormal samples need not all be drawn: their two middle ones have a known distribution. Both
// ways give the median of count times around 1, of that CV; index names the draw.
double median_drawn(size_t count, double cv, uint64_t stream, uint64_t index);
double median_of_all(size_t count, double cv, uint64_t stream, uint64_t index);
// The same of ln(candidate / baseline) over count pairs of such times.
double pair_median_drawn(size_t count, double cv, uint64_t stream, uint64_t index);
double pair_median_of_all(size_t count, double cv, uint64_t stream, uint64_t index);

// The rule on the first round_count rounds of the trial.
enum verdict trial_find(const struct trial *trial, size_t round_count, const struct rounds_options *options);

struct rule {
    const char *name;
    struct rounds_options options;
    enum verdict (*judge)(const struct rule *rule, struct trial *trial);
    bool wants_samples;
};
struct rule
rule_real(void); // verdict/rounds/rounds_rule.h as gate uses it on a suite of SIMULATE_FAMILY problems
enum verdict rule_run(const struct rule *rule, const struct cell *cell, uint64_t index);

// A row of the promises, in one cell: how often the rule may, or must, give a verdict.
struct promise {
    const struct cell *cell;
    enum verdict verdict;
    bool is_floor; // at least rate; else at most
    double rate;
    bool is_of_family; // counts families of SIMULATE_FAMILY problems with any such problem
};

struct tally {
    size_t problem_count, family_count;
    size_t problems[VERDICT_COUNT]; // problems by verdict
    size_t families[VERDICT_COUNT]; // families with any problem of that verdict
};
void tally_problems(const struct rule *rule, const struct cell *cell, size_t problem_count,
                    struct tally *ret);
void tally_families(const struct rule *rule, const struct cell *cell, size_t family_count, struct tally *ret);

// Whether the tally agrees with the promise. Prints the row.
bool promise_holds(const struct promise *promise, const struct rule *rule, const struct tally *tally);
// Runs trials (of families, if the promise is about families), then calls promise_holds. The real rule and
// all mutants use this function.
bool promise_check(const struct promise *promise, const struct rule *rule, size_t trials);
// Runs the real rule in `trials` trials and fails the test if a promise is broken. All promises must be about
// the same cell. If the first one is about families, trials are families, whose problems count for the
// others.
void promises_keep(const struct promise *promises, size_t count, size_t trials);
// Fails the test unless the mutant breaks the promise and the real rule keeps it in the same trials.
void promise_breaks(const struct promise *promise, struct rule mutant, size_t trials);

#endif
