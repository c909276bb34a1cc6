// SPDX-License-Identifier: Apache-2.0
//
// What an A/A study says: a kernel measured against itself in rounds, so that every difference is the machine's. From a
// result to a study (what is kept), and from all studies kept to what the machine can certify. Pure.
//
//   spread between rounds   sd of d_r = ln(median candidate / median baseline), pooled over studies with weights R - 1
//   spread within a round   CV of the samples, pooled over rounds and sides with weights n - 1
//   share within            of the variance of d_r: 2 (1.2533 CV)^2 / n, the variance of two medians of n samples
//   certifies               the smallest true change that 20 rounds tell from none with 90 % power (rounds_needed.h); with
//                           the same probability an unchanged kernel is proved unchanged within it (the test is the same,
//                           seen from the other end)
//   comparison              a problem in one run of the program that came to the end of the sequential rule; an accusation
//                           is one that was called a regression
#ifndef VERDICT_CALIBRATION_STUDY_H
#define VERDICT_CALIBRATION_STUDY_H

#include "base/arena.h"
#include "base/err.h"
#include "record/calibration.h"
#include "record/result.h"
#include "verdict/rounds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALIBRATION_ROUNDS          ROUNDS_MAX // in which a gate certifies, if it is not asked for more
#define CALIBRATION_LEVEL           0.95       // of the bound on the false rate
#define CALIBRATION_WITHIN_PART_MAX 0.25 // of the variance of d_r: below it more samples a round gain little

// One run as a study. Problems that a side fails or does not support are left out; a problem of which no round was valid is
// there, with 0 rounds. Texts are the result's or live in the arena. ERR_INTERNAL: no memory.
int calibration_study_make(const struct result *result, struct rounds_sides sides,
                           const struct rounds_options *options, struct arena *arena,
                           struct calibration_study *ret, struct err *err);

// Which studies are about the same conditions. NULL: whichever.
struct calibration_conditions {
    const char *driver, *regime, *cache_mode;
};
bool calibration_study_is_of(const struct calibration_study *study,
                             const struct calibration_conditions *conditions);

// One problem over the studies of the same conditions. Figures that do not exist are NAN.
struct calibration_pooled {
    const char *name, *short_name; // borrowed from the newest study
    size_t study_count;            // that have a spread
    uint32_t round_count, invalid_round_count;
    const char *invalid_reason;      // the newest; borrowed, NULL: none
    double median_ns;                // of the newest study
    double spread_pct;               // of d_r, pooled
    size_t degrees;                  // behind it
    double within_cv_pct;            // pooled with the rounds as weights
    double pair_count;               // samples of a side and round, in the mean
    double within_part;              // of the variance of d_r; at most 1
    double certified_pct;            // in CALIBRATION_ROUNDS rounds
    double half_width_pct;           // of the interval after so many rounds
    uint32_t pair_count_recommended; // 20, 50 or 100; 0: nothing is known
    size_t comparison_count, accusation_count;
};
// False when no study of these conditions has rounds of it, valid or not; *ret is then empty.
bool calibration_pool(const struct calibration *calibration, const struct calibration_conditions *conditions,
                      const char *name, struct calibration_pooled *ret);

// Does its spread rest on as many rounds as the first look of a gate?
bool calibration_is_measured(const struct calibration_pooled *problem);
// Can round_count rounds certify a threshold? True as well where nothing is measured: nothing is known against it.
bool calibration_certifies(const struct calibration_pooled *problem, double threshold_pct,
                           uint32_t round_count);

// False accusations over everything stored, whichever conditions and kernel.
struct calibration_accusations {
    size_t comparison_count, run_count, accusation_count;
    // Of the false rate, exact, one-sided, CALIBRATION_LEVEL; 100 when nothing was compared.
    double upper_bound_pct;
};
struct calibration_accusations calibration_accusations(const struct calibration *calibration);

// A threshold for people to set: the next whole per cent at or above it, at least 1.
double calibration_round_up_pct(double pct);

#endif
