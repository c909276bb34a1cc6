// SPDX-License-Identifier: Apache-2.0
//
// How many rounds would decide a problem whose log ratios spread so much? Pure. `calibrate` recommends by it,
// a gate that could not decide says by it what would help.
#ifndef CONTROL_VERDICT_ROUNDS_ROUNDS_NEEDED_H
#define CONTROL_VERDICT_ROUNDS_ROUNDS_NEEDED_H

#include <stddef.h>
#include <stdint.h>

#define ROUNDS_NEEDED_POWER 0.9

// A gate without --rounds N looks up to four times (ROUNDS_LOOK_ALPHA each) and has ROUNDS_MAX rounds at
// most; more can only be a fixed number. A fixed number of any size decides once (ROUNDS_FIXED_ALPHA). The
// functions named _fixed are about the second, the others about the first.

// Two-sided level at which so many rounds decide: a look's up to ROUNDS_MAX, above that a fixed number's.
double rounds_needed_alpha(size_t round_count);

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] at which a change of regression_pct is told from none
// with 90 % power (so that an unchanged kernel is proved unchanged within it; a slowdown of just that is
// called a regression in about half of the gates) and the interval's half width is at most
// ROUNDS_HALF_WIDTH_PCT. sd: of d_r = ln(candidate / baseline) between rounds, as a logarithm (not per cent).
// 0: not even with ROUNDS_LIMIT, or arguments that are not finite and in their domain.
uint32_t rounds_needed(double sd, double regression_pct);
uint32_t rounds_needed_fixed(double sd, double regression_pct); // what --rounds should say

// The smallest R in [ROUNDS_LOOK_STEP, ROUNDS_LIMIT] that tells a change from a threshold above it and so far
// away with 90 % power, by the upper end of the fixed number's 90 % interval. distance: of their logarithms,
// positive. 0: none, or not in the domain.
uint32_t rounds_needed_apart(double sd, double distance);

// The smallest R in [2 ROUNDS_LOOK_STEP, ROUNDS_LIMIT] as a fixed number that calls a slowdown of that
// logarithm a regression with 90 % power: its mean beyond the threshold, and its p no chance in the family
// (rounds_rule.h). distance: of the logarithms of the slowdown and of the threshold below it, positive. 0:
// none, or not in the domain.
uint32_t rounds_needed_call(double sd, double slowdown, double distance, size_t family_count);

// The smallest change in per cent that R >= 2 rounds of this spread tell from none with 90 % power; NAN
// outside the domain.
double rounds_needed_detectable_pct(double sd, size_t round_count);
double rounds_needed_detectable_fixed_pct(double sd, size_t round_count);

#endif
