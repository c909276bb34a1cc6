// SPDX-License-Identifier: Apache-2.0
//
// The answer of `assay calibrate`: what the machine certifies on every problem of a plan, how often it accused unchanged
// code, how a gate on it would see true changes, and one sentence with the exit code.
#ifndef VERDICT_CALIBRATE_SUMMARY_H
#define VERDICT_CALIBRATE_SUMMARY_H

#include "verdict/calibrate_power.h"
#include "verdict/calibrate_study.h"

#define CALIBRATE_CHANGES      9   // rows of the table: 0, 0.5, 1, 2, 3, 4, 5, 7, 10 %
#define CALIBRATE_CURVE_COUNT  51  // points of the plot: 0 to 10 % ...
#define CALIBRATE_CURVE_STEP   0.2 // ... in such steps
#define CALIBRATE_CURVE_TRIALS 200 // gates a point of the plot, whose rows are 10 % apart
extern const double calibrate_changes_pct[CALIBRATE_CHANGES];

// How a gate sees true changes of one problem.
struct calibrate_view {
    const struct calibrate_problem *problem;
    struct calibrate_shares table[CALIBRATE_CHANGES];
    struct calibrate_shares curve[CALIBRATE_CURVE_COUNT];
};

struct calibrate_summary {
    double threshold_pct;
    size_t problem_count;
    struct calibrate_problem *problems;
    size_t unmeasured_count;  // too few valid rounds to say anything
    size_t uncertified_count; // measured, and noisier than the threshold allows in CALIBRATE_ROUNDS rounds
    uint32_t rounds_needed;   // for the threshold on all that were measured; 0: more than are possible
    double certified_pct;     // on all that were measured; NAN: none was
    struct calibrate_view views[2]; // the problem with the median spread, and the one with the largest
    size_t view_count;              // 0: nothing measured, 1: one problem alone
    struct calibrate_accusations accusations;
    const char *sentence; // one line for people
    int exit_code;        // 0: the threshold can be certified; 3
};

// The problems that were to be calibrated, in the order wanted, and under which conditions.
struct calibrate_wanted {
    struct calibrate_conditions conditions;
    size_t count;
    const char *const *names, *const *short_names; // a short name may be NULL
};
// Texts and arrays live in the arena or are the calibration's. options: thresholds of the gate; its family is all that is
// wanted. ERR_INTERNAL: no memory.
int calibrate_summarize(const struct calibration *calibration, const struct calibrate_wanted *wanted,
                        const struct rounds_options *options, struct arena *arena,
                        struct calibrate_summary *ret, struct err *err);

#endif
