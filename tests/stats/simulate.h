// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose true change is known, measured in rounds as a gate measures them, for the tests of the
// promises (docs/promises.md): noise models, a rule (the real one or a mutant), how often it says what, and
// whether that count still agrees with what was promised. Everything is a function of the cell's name: a test
// that fails, fails again.
#ifndef TESTS_STATS_SIMULATE_H
#define TESTS_STATS_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/verdict/rounds/rounds_rule.h"

// The sanitizers look for other things than rates, and take six times as long: fewer trials are wider bounds.
#ifdef __SANITIZE_ADDRESS__
#define SIMULATE_TRIALS        4000
#define SIMULATE_MUTANT_TRIALS 1000
#else
#define SIMULATE_TRIALS        100000
#define SIMULATE_MUTANT_TRIALS 5000
#endif
#define SIMULATE_FAMILY      27
#define SIMULATE_SAMPLES_MAX 100
#define SIMULATE_DOUBT       0.001 // a count this unlikely under the promised rate breaks the promise

enum noise_kind {
    NOISE_INVALID = 0,
    NOISE_LOGNORMAL,   // independent
    NOISE_HEAVY_TAIL,  // and one sample in ten is late, by a Pareto time of infinite variance
    NOISE_MODES_MIXED, // and each sample at one of two clocks
    // and the device's clock stays for dwell samples on average: sides alternate, and see the same clock
    NOISE_MODES_STICKY,
    // and each side of each round has one of two clocks: the rounds themselves are of two kinds
    NOISE_MODES_ROUND,
    NOISE_AR1, // each side's samples follow one another; both sides' together would cancel
    NOISE_COUNT
};

struct noise {
    enum noise_kind kind;
    double cv;    // of the lognormal part of the samples, as a ratio
    double gap;   // modes: how much slower the second is, as a ratio; both are as likely
    double dwell; // sticky modes: samples (of either side) between two changes, on average
    double phi;   // AR(1)
};

struct cell {
    const char *name;
    double change;       // the true one: 0.05 is 5 % slower
    double process;      // sd of d_r between processes
    double shared;       // share of that variance which all problems of a round have in common
    size_t sample_count; // a side and round
    struct noise noise;
};

// One problem of one gate. Rounds are drawn as they are asked for.
struct trial {
    const struct cell *cell;
    uint64_t stream, index;
    size_t round_count;
    double base_ns[ROUNDS_MAX], cand_ns[ROUNDS_MAX]; // medians of the rounds
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

struct rule {
    const char *name;
    struct rounds_options options;
    enum verdict (*judge)(const struct rule *rule, struct trial *trial);
    bool wants_samples;
};
struct rule rule_real(
    void); // control/verdict/rounds/rounds_rule.h as gate uses it on a suite of SIMULATE_FAMILY problems
enum verdict rule_run(const struct rule *rule, const struct cell *cell, uint64_t index);

// A row of the promises, in one cell: how often may, or must, the rule say that?
struct promise {
    const struct cell *cell;
    enum verdict verdict;
    bool is_floor; // at least rate; else at most
    double rate;
    bool is_of_family; // of families of SIMULATE_FAMILY problems: any of them
};

struct tally {
    size_t problem_count, family_count;
    size_t problems[VERDICT_COUNT]; // problems by verdict
    size_t families[VERDICT_COUNT]; // families with any problem of that verdict
};
void tally_problems(const struct rule *rule, const struct cell *cell, size_t problem_count,
                    struct tally *ret);
void tally_families(const struct rule *rule, const struct cell *cell, size_t family_count, struct tally *ret);

// Does the tally agree with the promise? Prints the row.
bool promise_holds(const struct promise *promise, const struct rule *rule, const struct tally *tally);
// Counts trials (families, where the promise is about them), and asks the above. The real rule and every
// mutant go through this one function.
bool promise_check(const struct promise *promise, const struct rule *rule, size_t trials);
// The real rule in so many trials: families where the first promise is about them, and their problems count
// for the other promises. All must be about the same cell. Fails the test.
void promises_keep(const struct promise *promises, size_t count, size_t trials);
// The mutant must break the promise, and the real rule keep it in the very same trials. Fails the test.
void promise_breaks(const struct promise *promise, struct rule mutant, size_t trials);

#endif
