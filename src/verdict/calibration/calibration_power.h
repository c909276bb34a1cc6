// SPDX-License-Identifier: Apache-2.0
//
// Power by simulation: how often the sequential rule returns each verdict at a given true change. (No closed
// form covers interim looks, multiplicity and the limit on the width of the interval.)
#ifndef VERDICT_CALIBRATION_CALIBRATION_POWER_H
#define VERDICT_CALIBRATION_CALIBRATION_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "verdict/rounds/rounds_rule.h"

#define CALIBRATION_POWER_TRIALS 2000 // simulated gates for each point: shares are within 2 points either way

// Shares of the gates, in [0, 1]; together 1.
struct calibration_shares {
    double regression, maintained, improvement, undecidable;
};

// Gates of up to ROUNDS_MAX rounds whose d_r are normal around ln(1 + change_pct / 100) with standard
// deviation sd. The same seed draws the same rounds for every change and sd, so that curves are smooth.
// -EINVAL: sd is not a finite number in [0, CALIBRATION_POWER_SD_MAX], where times would be beyond what a
// double holds; -ENOMEM.
#define CALIBRATION_POWER_SD_MAX 30.0
int calibration_power(double sd, double change_pct, const struct rounds_options *options, size_t trial_count,
                      uint64_t seed, struct calibration_shares *ret);

// The smallest change that such gates call a regression with 90 % power (ROUNDS_NEEDED_POWER), found to about
// a thirtieth of the spread. It is above the threshold: of changes that equal the threshold, half are called.
// Errors as above.
int calibration_power_detected_pct(double sd, const struct rounds_options *options, uint64_t seed,
                                   double *ret_pct);

#endif
