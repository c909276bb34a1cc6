// SPDX-License-Identifier: Apache-2.0
//
// See rounds_needed.h. All conditions only get easier with more rounds, so the answer is found by bisection.
#include "control/verdict/rounds/rounds_needed.h"

#include <math.h>
#include <stdbool.h>

#include "control/verdict/rounds/rounds_rule.h"
#include "record/work_order.h"
#include "stats/round_stats.h"
#include "stats/student_t.h"

double rounds_needed_alpha(size_t round_count) {
    return round_count <= ROUNDS_MAX ? ROUNDS_LOOK_ALPHA : ROUNDS_FIXED_ALPHA;
}

static bool is_spread(double sd) {
    return isfinite(sd) && sd >= 0;
}

static double detectable_pct(double sd, size_t round_count, double alpha) {
    if (!is_spread(sd) || round_count < 2) return NAN;
    return log_to_pct(student_t_detectable(sd, round_count, alpha, ROUNDS_NEEDED_POWER));
}

double rounds_needed_detectable_pct(double sd, size_t round_count) {
    return detectable_pct(sd, round_count, rounds_needed_alpha(round_count));
}

double rounds_needed_detectable_fixed_pct(double sd, size_t round_count) {
    return detectable_pct(sd, round_count, ROUNDS_FIXED_ALPHA);
}

struct need {
    double sd, regression_pct, distance;
    bool is_fixed;
    double slowdown, call_p;
};

static bool is_enough(const struct need *need, size_t round_count) {
    double alpha = need->is_fixed ? ROUNDS_FIXED_ALPHA : rounds_needed_alpha(round_count);
    struct round_stats stats = {
        .count = round_count, .sd = need->sd, .se = need->sd / sqrt((double)round_count)};
    return log_to_pct(round_stats_half_width(&stats, alpha)) <= ROUNDS_HALF_WIDTH_PCT &&
           detectable_pct(need->sd, round_count, alpha) <= need->regression_pct;
}

static bool is_apart(const struct need *need, size_t round_count) {
    return student_t_detectable(need->sd, round_count, 2 * ROUNDS_FIXED_ALPHA, ROUNDS_NEEDED_POWER) <=
           need->distance;
}

static bool is_called(const struct need *need, size_t round_count) {
    double limit = -normal_quantile(1 - ROUNDS_NEEDED_POWER) * need->sd / sqrt((double)round_count);
    return need->distance >= limit && student_t_detectable(need->sd, round_count, 2 * need->call_p,
                                                           ROUNDS_NEEDED_POWER) <= need->slowdown;
}

// The smallest R in [low, ROUNDS_LIMIT] that does; 0: none.
static uint32_t find_smallest(bool (*does)(const struct need *, size_t), const struct need *need,
                              uint32_t low) {
    uint32_t high = ROUNDS_LIMIT;
    if (does(need, low)) return low;
    if (!does(need, high)) return 0;
    while (high - low > 1) { // low: too few, high: enough
        uint32_t middle = low + (high - low) / 2;
        if (does(need, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static uint32_t find_needed(double sd, double regression_pct, bool is_fixed) {
    const struct need need = {.sd = sd, .regression_pct = regression_pct, .is_fixed = is_fixed};
    if (!is_spread(sd) || !(regression_pct > 0)) return 0;
    return find_smallest(is_enough, &need, ROUNDS_LOOK_STEP);
}

uint32_t rounds_needed(double sd, double regression_pct) {
    return find_needed(sd, regression_pct, false);
}

uint32_t rounds_needed_fixed(double sd, double regression_pct) {
    return find_needed(sd, regression_pct, true);
}

uint32_t rounds_needed_apart(double sd, double distance) {
    const struct need need = {.sd = sd, .distance = distance};
    if (!is_spread(sd) || !(distance > 0)) return 0;
    return find_smallest(is_apart, &need, ROUNDS_LOOK_STEP);
}

uint32_t rounds_needed_call(double sd, double slowdown, double distance, size_t family_count) {
    const struct need need = {
        .sd = sd, .slowdown = slowdown, .distance = distance, .call_p = rounds_call_p(1, family_count)};
    if (!is_spread(sd) || !(slowdown > 0) || !(distance > 0) || family_count == 0) return 0;
    return find_smallest(is_called, &need, 2 * ROUNDS_LOOK_STEP);
}
