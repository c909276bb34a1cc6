// SPDX-License-Identifier: Apache-2.0
//
// See rounds_needed.h. Both conditions only get easier with more rounds, so the answer is found by bisection.
#include "verdict/rounds_needed.h"

#include "stats/round_stats.h"
#include "stats/student_t.h"
#include "verdict/rounds_rule.h"

#include <math.h>
#include <stdbool.h>

double rounds_needed_alpha(size_t round_count) {
    return round_count <= ROUNDS_MAX ? ROUNDS_LOOK_ALPHA : ROUNDS_FIXED_ALPHA;
}

double rounds_needed_detectable_pct(double sd, size_t round_count) {
    if (!(sd >= 0) || !isfinite(sd) || round_count < 2) return NAN;
    double alpha = rounds_needed_alpha(round_count);
    return 100 * expm1(student_t_detectable(sd, round_count, alpha, ROUNDS_NEEDED_POWER));
}

static bool is_enough(double sd, double regression_pct, size_t round_count) {
    struct round_stats stats = {.count = round_count, .sd = sd, .se = sd / sqrt((double)round_count)};
    double half = round_stats_half_width(&stats, rounds_needed_alpha(round_count));
    return 100 * expm1(half) <= ROUNDS_HALF_WIDTH_PCT &&
           rounds_needed_detectable_pct(sd, round_count) <= regression_pct;
}

uint32_t rounds_needed(double sd, double regression_pct) {
    if (!(sd >= 0) || !isfinite(sd) || !(regression_pct > 0)) return 0;
    if (is_enough(sd, regression_pct, ROUNDS_LOOK_STEP)) return ROUNDS_LOOK_STEP;
    if (!is_enough(sd, regression_pct, ROUNDS_NEEDED_MAX)) return 0;
    uint32_t low = ROUNDS_LOOK_STEP, high = ROUNDS_NEEDED_MAX; // too few, enough
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (is_enough(sd, regression_pct, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
