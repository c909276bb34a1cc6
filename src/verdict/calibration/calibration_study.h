// SPDX-License-Identifier: Apache-2.0
//
// A/A studies: a kernel measured against itself in rounds, so that every difference is due to the machine.
// Makes a study from a result, and from all stored studies computes what the machine can detect. Pure. Terms:
//
//   spread between rounds   sd of d_r = ln(median candidate / median baseline), pooled over studies with
//                           weights R - 1; with its one-sided 95 % limits (stats/student_t.h), since a few
//                           rounds estimate their own spread badly
//   share within            of the variance of d_r: what the samples inside the rounds explain. Variance of a
//                           median by the quartiles (round_medians.h) over the effective number of samples
//                           (describe.h), of both sides
//   can detect              the smallest true change that 20 rounds tell from none with 90 % power
//                           (rounds_rule.h) at the upper limit of the spread. With the same power an
//                           unchanged kernel is proved unchanged within it. It is not the change that a gate
//                           calls a regression (calibration_power.h)
//   comparison              a problem in one run of the program with 20 valid rounds, decided by the
//                           sequential rule at 3 % as a family of one, whatever threshold and suite were
//                           asked for: no gate at 3 % calls more regressions. A comparison that is called a
//                           regression is a false alarm
#ifndef VERDICT_CALIBRATION_CALIBRATION_STUDY_H
#define VERDICT_CALIBRATION_CALIBRATION_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/calibration.h"
#include "record/result.h"
#include "verdict/rounds/rounds.h"

#define CALIBRATION_ROUNDS ROUNDS_MAX // of a gate, unless it is asked for more
#define CALIBRATION_LEVEL  0.95       // of the bounds on false rates, and of the limits of a spread

// Makes a study from one run. Problems that a side fails or does not support are left out; a problem without
// a valid round is included, with 0 rounds. Texts are the result's or live in the arena. ERR_INTERNAL: no
// memory.
int calibration_study_make(const struct result *result, struct rounds_sides sides, struct arena *arena,
                           struct calibration_study *ret, struct err *err);

// The conditions that two studies must share to be pooled. NULL: any.
struct calibration_conditions {
    const char *driver, *power_mode, *cache_mode, *isolation;
    const char *kernel, *code_hash; // one of the two must agree; both NULL: any kernel
    // Pairs a round; sample_count 0: any.
    uint32_t sample_count, sample_count_noisy, sample_count_noisier;
    uint32_t locked_clock_mhz; // 0: only studies whose clocks were not locked
};
struct calibration_conditions calibration_conditions_of(const struct calibration_study *study);
bool calibration_study_is_of(const struct calibration_study *study,
                             const struct calibration_conditions *conditions);

// One problem over the studies of the same conditions. Figures that do not exist are NAN.
struct calibration_pooled {
    const char *name, *short_name; // borrowed from the newest study
    const char *kernel;            // of the newest study; NULL: not known
    size_t study_count;            // studies that have a spread
    uint32_t round_count, invalid_round_count;
    const char *invalid_reason; // of the newest invalid round; borrowed, NULL: none
    double median_ns;           // of the newest study
    double spread_pct;          // of d_r, pooled
    size_t degrees;             // degrees of freedom of spread_pct
    // One-sided limits of the true spread at CALIBRATION_LEVEL; NAN below 4 degrees.
    double spread_low_pct, spread_high_pct;
    double within_cv_pct;  // pooled with the rounds as weights
    double within_sd_pct;  // the part of the spread that samples explain, pooled in the same way
    double pair_count;     // mean number of samples of a side in a round
    double within_part;    // share of the variance of d_r that samples explain; at most 1
    double detectable_pct; // in CALIBRATION_ROUNDS rounds, at spread_high_pct
    double half_width_pct; // of the interval after those rounds, at spread_high_pct
    size_t comparison_count, false_alarm_count;
};
// Pools one problem. False if no study of these conditions has rounds of it, valid or not; *ret is then
// empty.
bool calibration_pool(const struct calibration *calibration, const struct calibration_conditions *conditions,
                      const char *name, struct calibration_pooled *ret);

// Pools one problem for a gate of the kernels in `result`: studies of these conditions, of one of these
// kernels and with as many pairs a round; if none of them has enough rounds, studies of any kernel. Studies
// of different kernels or numbers of pairs are not pooled: those with the largest spread are used. False: no
// study has enough rounds of this problem.
bool calibration_pool_for(const struct calibration *calibration,
                          const struct calibration_conditions *conditions, const struct result *result,
                          const char *name, struct calibration_pooled *ret);

// True if the spread comes from at least as many rounds as a gate has at its first look.
bool calibration_is_measured(const struct calibration_pooled *problem);

// Whether a gate of a given number of rounds can detect a threshold.
enum calibration_fitness {
    CALIBRATION_UNKNOWN = 0, // no study, so no reason against it
    CALIBRATION_DETECTS,     // even at the upper limit of the spread
    CALIBRATION_UNCERTAIN,   // at the lower limit of the spread, but not at the upper
    CALIBRATION_REFUSES,     // not even at the lower limit
};
struct calibration_gate {
    double threshold_pct;
    uint32_t round_count;
    bool is_fixed; // --rounds N: decides once; false: interim analyses
};
enum calibration_fitness calibration_judge(const struct calibration_pooled *problem,
                                           const struct calibration_gate *gate);

// The recommended number of samples a side and round: the smallest of 20, 50 and 100 with which samples
// explain at most a quarter of the variance of d_r, 100 if none is enough. Over all problems that were
// measured together, since the estimate of a single one is too noisy. 0: nothing is known.
uint32_t calibration_pair_count(const struct calibration_pooled *problems, size_t problem_count);

// False alarms in all stored studies, of any conditions and kernel. The upper bounds on the rates are exact,
// one-sided, at CALIBRATION_LEVEL; 100 if nothing was compared.
struct calibration_false_alarms {
    size_t comparison_count, false_alarm_count;
    double upper_bound_pct; // of unchanged problems, if comparisons within a run were independent
    size_t run_count, false_alarm_run_count; // runs with a comparison; with a false alarm
    double run_upper_bound_pct; // of runs with a false alarm: assumes only that runs are independent
};
struct calibration_false_alarms calibration_false_alarms(const struct calibration *calibration);

#endif
