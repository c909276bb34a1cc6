// SPDX-License-Identifier: Apache-2.0
//
// What stored A/A studies say. For `assay calibrate`: what the machine can detect on every problem of a plan,
// its rate of false alarms, how often a gate detects true changes, one sentence and the exit code. For a
// gate: whether the planned rounds can detect a change of the threshold's size and, if not, a decision
// without measurements. Pure; control/flow/gate/gate_calibration.c reads the store.
#ifndef VERDICT_CALIBRATION_CALIBRATION_SUMMARY_H
#define VERDICT_CALIBRATION_CALIBRATION_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"
#include "verdict/calibration/calibration_power.h"
#include "verdict/calibration/calibration_study.h"

// ---- for assay calibrate ----

#define CALIBRATION_CHANGES      9   // rows of the table: 0, 0.5, 1, 2, 3, 4, 5, 7, 10 %
#define CALIBRATION_CURVE_COUNT  51  // points of the plot: 0 to 10 % ...
#define CALIBRATION_CURVE_STEP   0.2 // ... in steps of this
#define CALIBRATION_CURVE_TRIALS 200 // gates a point of the plot, whose rows are 10 % apart
extern const double calibration_changes_pct[CALIBRATION_CHANGES];

// Whether rounds are like the ones before them, in the studies of the conditions
// (verdict/rounds/rounds_dependence.h).
struct calibration_dependence {
    size_t study_count, dependent_count; // studies with enough rounds; of these, with dependent ones
    double correlation;                  // the largest of the dependent ones, else of the newest; NAN: none
};

// Power of a gate on one problem.
struct calibration_view {
    const struct calibration_pooled *problem;
    struct calibration_shares table[CALIBRATION_CHANGES];
    struct calibration_shares curve[CALIBRATION_CURVE_COUNT];
};

struct calibration_summary {
    double threshold_pct;
    size_t problem_count;
    struct calibration_pooled *problems;
    // of each problem: the change that a gate calls a regression with 90 % power; NAN: not measured
    double *detected_pct;
    size_t unmeasured_count; // problems with too few valid rounds to say anything
    size_t uncertain_count;  // the threshold is detectable at the lower limit of the spread, not at the upper
    size_t refused_count;    // not detectable even at the lower limit
    uint32_t rounds_needed;  // to detect the threshold on all measured problems; 0: above ROUNDS_LIMIT
    double detectable_pct;   // on all measured problems; NAN: none was measured
    uint32_t pair_count;     // recommended, 20, 50 or 100; 0: nothing is known
    struct calibration_view views[2]; // the problem with the median spread, and the one with the largest
    size_t view_count;                // 0: nothing measured, 1: one problem alone
    struct calibration_false_alarms false_alarms;
    struct calibration_dependence dependence;
    const char *sentence; // one line for people
    int exit_code;        // 0: the threshold is detectable on all problems; else 3
};

// The problems to be calibrated, in their order, and the conditions.
struct calibration_wanted {
    struct calibration_conditions conditions;
    size_t count;
    const char *const *names, *const *short_names; // a short name may be NULL
};
// Texts and arrays live in the arena or belong to the calibration. options: the gate's thresholds; its family
// is all problems in `wanted`. ERR_INTERNAL: no memory, or a spread too large to simulate.
int calibration_summarize(const struct calibration *calibration, const struct calibration_wanted *wanted,
                          const struct rounds_options *options, struct arena *arena,
                          struct calibration_summary *ret, struct err *err);

// ---- for a gate ----

// A gate that is about to measure, and the calibration stored for its device.
struct calibration_question {
    const struct calibration *calibration;
    struct calibration_conditions conditions; // of the gate; its kernels are the result's
    struct gate_spec spec;
    uint32_t round_count; // the most that the gate may measure
    bool is_fixed;        // --rounds N: decides once; false: interim analyses
};

// How many problems of a result are calibrated, and how many thresholds are out of reach.
struct calibration_survey {
    struct calibration_pooled worst; // the largest spread; its texts are the calibration's
    size_t case_count;
    size_t known_count;     // have a spread from enough rounds under these conditions
    size_t refused_count;   // of these: the threshold is not detectable in the planned rounds
    size_t uncertain_count; // of these: it may not be detectable
};
struct calibration_survey calibration_survey(const struct calibration_question *question,
                                             const struct result *result);

// The decision of a gate that is stopped, ready for gate_rule_apply(): rule "rounds", VERDICT_UNDECIDABLE
// with REASON_TOO_NOISY and a sentence where the threshold is not detectable, VERDICT_NONE on the other
// problems. Texts and cases live in the arena.
struct decision calibration_refuse(const struct calibration_question *question, const struct result *result,
                                   struct arena *arena);

// A sentence for a gate that was measured. is_ignored: --ignore-calibration was given.
const char *calibration_note_text(const struct calibration_question *question,
                                  const struct calibration_survey *survey, bool is_ignored,
                                  struct arena *arena);

// A threshold that is not detectable, on one problem or on all.
struct calibration_shortfall {
    double threshold_pct;
    uint32_t round_count;   // with this many rounds ...
    double detectable_pct;  // ... this is detectable
    uint32_t rounds_needed; // to detect the threshold; 0: more than ROUNDS_LIMIT
};
// "20 rounds detect 10.4 %; gate --rounds 154 would do, or a quieter machine"
const char *calibration_help_text(const struct calibration_shortfall *shortfall, struct arena *arena);

#endif
