// SPDX-License-Identifier: Apache-2.0
//
// A race: variants measured beside the baseline in shared rounds, and dropped as soon as one of them is
// shown to be faster. As in F-Race (Birattari et al., GECCO 2002) and its form with t tests in irace
// (Lopez-Ibanez et al. 2016): rounds are blocks, variants are compared by paired t tests with the block's
// effect removed.
//
// Error control over the whole race: heat h gets alpha x 6 / (pi^2 h^2), which sums to alpha however many
// heats follow, and Bonferroni divides it by the looks and the other variants of the heat. So the
// probability that the best variant that was tried is ever dropped by a comparison is at most alpha, for
// rounds that are independent and about normal. Noise is pooled over the heats; a pair that scatters more
// than that is judged by its own.
#ifndef CONTROL_TUNE_TUNE_RACE_H
#define CONTROL_TUNE_TUNE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUNE_HEAT_SIDES  8 // with the baseline
#define TUNE_ROUNDS_MAX  64
#define TUNE_RACE_ALPHA  0.05
#define TUNE_RACE_ROUNDS 5 // the default length of a heat
#define TUNE_FIRST_LOOK  2 // rounds: one process alone says nothing of processes

// What the rounds of earlier heats scattered by; {0}: nothing is known.
struct tune_noise {
    double squares; // of residuals of ln(time), rounds and sides removed
    double df;
};

// One heat. Side 0 is the baseline and is never dropped. x is ln(side / baseline), the mean over the
// problems.
struct tune_heat {
    size_t side_count;
    uint32_t number; // from 1
    uint32_t round_count, round_max;
    bool is_dropped[TUNE_HEAT_SIDES];
    double x[TUNE_HEAT_SIDES][TUNE_ROUNDS_MAX];
    struct tune_noise noise; // of the heats before
};

void tune_heat_init(struct tune_heat *heat, size_t side_count, uint32_t number, uint32_t round_max,
                    const struct tune_noise *noise);
// Removes a side before or between rounds: it is wrong, or was not measured.
void tune_heat_remove(struct tune_heat *heat, size_t side);
// x of a round, NAN for sides that are out. Drops the losers; returns how many are left besides the baseline.
size_t tune_heat_add(struct tune_heat *heat, const double *x);
// False when nothing more can be learnt: no variant is left, one variant is left that is clearly slower or
// faster than the baseline, or all rounds were measured.
bool tune_heat_goes_on(const struct tune_heat *heat);
// The mean of x over the rounds that the side was in, and how many those are.
double tune_heat_estimate(const struct tune_heat *heat, size_t side, uint32_t *ret_round_count);
// What is known of the noise after this heat.
struct tune_noise tune_heat_noise(const struct tune_heat *heat);

#endif
