// SPDX-License-Identifier: Apache-2.0
//
// What an A/A study says: a kernel measured against itself in rounds, so that every difference is the
// machine's. From a result to a study (what is kept), and from all studies kept to what the machine can
// detect. Pure.
//
//   spread between rounds   sd of d_r = ln(median candidate / median baseline), pooled over studies with
//                           weights R - 1; with its one-sided 95 % limits (stats/student_t.h), since a few
//                           rounds
//                           estimate their own spread badly
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
#ifndef CONTROL_VERDICT_CALIBRATION_CALIBRATION_STUDY_H
#define CONTROL_VERDICT_CALIBRATION_CALIBRATION_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/verdict/rounds/rounds.h"
#include "record/calibration.h"
#include "record/result.h"

#define CALIBRATION_ROUNDS ROUNDS_MAX // of a gate, unless it is asked for more
#define CALIBRATION_LEVEL  0.95       // of the bounds on false rates, and of the limits of a spread

// One run as a study. Problems that a side fails or does not support are left out; a problem of which no
// round was valid is there, with 0 rounds. Texts are the result's or live in the arena. ERR_INTERNAL: no
// memory.
int calibration_study_make(const struct result *result, struct rounds_sides sides, struct arena *arena,
                           struct calibration_study *ret, struct err *err);

// Which studies are about the same conditions. NULL: whichever.
struct calibration_conditions {
    const char *driver, *power_mode, *cache_mode;
    const char *kernel, *code_hash; // either agrees; both NULL: whichever
    // Pairs a round; count 0: whichever.
    uint32_t sample_count, sample_count_noisy, sample_count_noisier;
    uint32_t locked_clock_mhz; // 0: only studies whose clocks were not held
};
struct calibration_conditions calibration_conditions_of(const struct calibration_study *study);
bool calibration_study_is_of(const struct calibration_study *study,
                             const struct calibration_conditions *conditions);

// One problem over the studies of the same conditions. Figures that do not exist are NAN.
struct calibration_pooled {
    const char *name, *short_name; // borrowed from the newest study
    const char *kernel;            // of the newest study; NULL: not known
    size_t study_count;            // that have a spread
    uint32_t round_count, invalid_round_count;
    const char *invalid_reason; // the newest; borrowed, NULL: none
    double median_ns;           // of the newest study
    double spread_pct;          // of d_r, pooled
    size_t degrees;             // behind it
    // One-sided limits of the true spread at CALIBRATION_LEVEL; NAN below 4 degrees.
    double spread_low_pct, spread_high_pct;
    double within_cv_pct;  // pooled with the rounds as weights
    double within_sd_pct;  // the same of what samples explain of the spread
    double pair_count;     // samples of a side and round, in the mean
    double within_part;    // of the variance of d_r; at most 1
    double detectable_pct; // in CALIBRATION_ROUNDS rounds, at spread_high_pct
    double half_width_pct; // of the interval after those rounds, at spread_high_pct
    size_t comparison_count, false_alarm_count;
};
// False when no study of these conditions has rounds of it, valid or not; *ret is then empty.
bool calibration_pool(const struct calibration *calibration, const struct calibration_conditions *conditions,
                      const char *name, struct calibration_pooled *ret);

// The same for a gate of the kernels in `result`: of the studies of these conditions those of one of its
// kernels and of the same pairs a round; where there are none with enough rounds, those of any kernel.
// Studies of different kernels or pairs are not pooled: the one with the largest spread answers. False: no
// study has enough rounds of this problem.
bool calibration_pool_for(const struct calibration *calibration,
                          const struct calibration_conditions *conditions, const struct result *result,
                          const char *name, struct calibration_pooled *ret);

// True when its spread rests on at least as many rounds as the first look of a gate.
bool calibration_is_measured(const struct calibration_pooled *problem);

// Whether a gate of a given number of rounds can detect a threshold.
enum calibration_fitness {
    CALIBRATION_UNKNOWN = 0, // nothing is measured: nothing is known against it
    CALIBRATION_DETECTS,     // even at the upper limit of the spread
    CALIBRATION_UNCERTAIN,   // at the lower limit, not at the upper
    CALIBRATION_REFUSES,     // not even at the lower limit
};
struct calibration_gate {
    double threshold_pct;
    uint32_t round_count;
    bool is_fixed; // --rounds N: one decision; else looks
};
enum calibration_fitness calibration_judge(const struct calibration_pooled *problem,
                                           const struct calibration_gate *gate);

// The fewest of 20, 50 and 100 samples a side and round for which what they explain is less than a quarter of
// what d_r would then spread, over all problems that were measured together (one alone is too noisy an
// estimate). 0: nothing is known.
uint32_t calibration_pair_count(const struct calibration_pooled *problems, size_t problem_count);

// False alarms over everything stored, whichever conditions and kernel. The bounds on the false rate are
// exact, one-sided, at CALIBRATION_LEVEL; 100 when nothing was compared.
struct calibration_false_alarms {
    size_t comparison_count, false_alarm_count;
    double upper_bound_pct; // of unchanged problems, were comparisons within a run independent
    size_t run_count, false_alarm_run_count; // with a comparison, with a false alarm
    double run_upper_bound_pct;              // of runs with a false alarm: only runs need be independent
};
struct calibration_false_alarms calibration_false_alarms(const struct calibration *calibration);

#endif
