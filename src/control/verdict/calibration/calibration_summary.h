// SPDX-License-Identifier: Apache-2.0
//
// The answer of `assay calibrate`: what the machine certifies on every problem of a plan, how often it
// accused unchanged code, how a gate on it would see true changes, and one sentence with the exit code.
#ifndef CONTROL_VERDICT_CALIBRATION_CALIBRATION_SUMMARY_H
#define CONTROL_VERDICT_CALIBRATION_CALIBRATION_SUMMARY_H

#include "control/verdict/calibration/calibration_power.h"
#include "control/verdict/calibration/calibration_study.h"

#define CALIBRATION_CHANGES      9   // rows of the table: 0, 0.5, 1, 2, 3, 4, 5, 7, 10 %
#define CALIBRATION_CURVE_COUNT  51  // points of the plot: 0 to 10 % ...
#define CALIBRATION_CURVE_STEP   0.2 // ... in such steps
#define CALIBRATION_CURVE_TRIALS 200 // gates a point of the plot, whose rows are 10 % apart
extern const double calibration_changes_pct[CALIBRATION_CHANGES];

// How a gate sees true changes of one problem.
struct calibration_view {
    const struct calibration_pooled *problem;
    struct calibration_shares table[CALIBRATION_CHANGES];
    struct calibration_shares curve[CALIBRATION_CURVE_COUNT];
};

struct calibration_summary {
    double threshold_pct;
    size_t problem_count;
    struct calibration_pooled *problems;
    double *caught_pct; // of each problem: what a gate calls a regression with 90 % power; NAN: not measured
    size_t unmeasured_count; // too few valid rounds to say anything
    size_t uncertain_count;  // the threshold is certified at the lower limit of the spread, not at the upper
    size_t refused_count;    // not even at the lower
    uint32_t rounds_needed;  // for the threshold on all that were measured; 0: more than are possible
    double certified_pct;    // on all that were measured; NAN: none was
    uint32_t pair_count;     // recommended, 20, 50 or 100; 0: nothing is known
    struct calibration_view views[2]; // the problem with the median spread, and the one with the largest
    size_t view_count;                // 0: nothing measured, 1: one problem alone
    struct calibration_accusations accusations;
    const char *sentence; // one line for people
    int exit_code;        // 0: the threshold can be certified; 3
};

// The problems that were to be calibrated, in the order wanted, and under which conditions.
struct calibration_wanted {
    struct calibration_conditions conditions;
    size_t count;
    const char *const *names, *const *short_names; // a short name may be NULL
};
// Texts and arrays live in the arena or are the calibration's. options: thresholds of the gate; its family is
// all that is wanted. ERR_INTERNAL: no memory, or a spread at which the rule cannot be played.
int calibration_summarize(const struct calibration *calibration, const struct calibration_wanted *wanted,
                          const struct rounds_options *options, struct arena *arena,
                          struct calibration_summary *ret, struct err *err);

#endif
