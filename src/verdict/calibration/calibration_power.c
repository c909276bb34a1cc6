// SPDX-License-Identifier: Apache-2.0
//
// Power by simulation. See calibration_power.h.
#include "verdict/calibration/calibration_power.h"

#include <errno.h>
#include <math.h>

#include "base/rng.h"
#include "verdict/rounds/rounds_rule.h"

#define DETECTED_TRIALS 500 // gates a step of the search
#define DETECTED_STEPS  9
#define DETECTED_WITHIN 16.0 // spreads above the threshold: a change so large is always called a regression

int calibration_power(double sd, double change_pct, const struct rounds_options *options, size_t trial_count,
                      uint64_t seed, struct calibration_shares *ret) {
    struct rounds_options rule = *options;
    size_t counts[VERDICT_COUNT] = {0};
    double base_ns[ROUNDS_MAX], cand_ns[ROUNDS_MAX];
    const uint64_t stream = rng_stream("calibrate power");
    const double change_log = log1p(change_pct / 100);
    if (!(sd >= 0 && sd <= CALIBRATION_POWER_SD_MAX && isfinite(change_pct))) return -EINVAL;
    rule.fixed_round_count = 0;
    rule.is_final = true;
    for (uint64_t r = 0; r < ROUNDS_MAX; ++r) base_ns[r] = 1;
    for (size_t i = 0; i < trial_count; ++i) {
        struct rounds_finding finding;
        for (uint64_t r = 0; r < ROUNDS_MAX; ++r)
            cand_ns[r] = exp(change_log + sd * rng_normal(seed, stream, i * ROUNDS_MAX + r));
        if (rounds_find(&(struct rounds_pairs){.base_ns = base_ns, .cand_ns = cand_ns}, NULL, ROUNDS_MAX,
                        &rule, &finding) < 0)
            return -ENOMEM;
        ++counts[finding.verdict];
    }
    double all = trial_count ? (double)trial_count : 1;
    *ret = (struct calibration_shares){.regression = (double)counts[VERDICT_REGRESSION] / all,
                                       .maintained = (double)counts[VERDICT_MAINTAINED] / all,
                                       .improvement = (double)counts[VERDICT_IMPROVEMENT] / all,
                                       .undecidable = (double)counts[VERDICT_UNDECIDABLE] / all};
    return 0;
}

// Bisection, since the share of regressions grows with the change.
int calibration_power_detected_pct(double sd, const struct rounds_options *options, uint64_t seed,
                                   double *ret_pct) {
    double low = log1p(options->spec.regression_pct / 100), high = low + DETECTED_WITHIN * sd;
    if (!(sd >= 0 && sd <= CALIBRATION_POWER_SD_MAX)) return -EINVAL;
    for (int i = 0; i < DETECTED_STEPS; ++i) {
        double middle = (low + high) / 2;
        struct calibration_shares shares;
        int status = calibration_power(sd, 100 * expm1(middle), options, DETECTED_TRIALS, seed, &shares);
        if (status < 0) return status;
        if (shares.regression < ROUNDS_NEEDED_POWER)
            low = middle;
        else
            high = middle;
    }
    *ret_pct = 100 * expm1(high);
    return 0;
}
