// SPDX-License-Identifier: Apache-2.0
//
// How often does a gate say what, when the true change is known? The sequential rule itself, played on drawn rounds: no
// formula of power has its looks, its family and its bound on the interval's width in it.
#ifndef VERDICT_CALIBRATION_POWER_H
#define VERDICT_CALIBRATION_POWER_H

#include "base/err.h"
#include "verdict/rounds_rule.h"

#include <stddef.h>
#include <stdint.h>

#define CALIBRATION_POWER_TRIALS 2000 // gates a point: shares are good to 2 % either way

// Shares of the gates, in [0, 1]; together 1.
struct calibration_shares {
    double regression, maintained, improvement, undecidable;
};

// Gates of up to ROUNDS_MAX rounds whose d_r are normal around ln(1 + change_pct / 100) with standard deviation sd. The
// same seed draws the same rounds for every change and sd, so that curves are smooth. -1: no memory.
int calibration_power(double sd, double change_pct, const struct rounds_options *options, size_t trial_count,
                      uint64_t seed, struct calibration_shares *ret);

#endif
