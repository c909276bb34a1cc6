// SPDX-License-Identifier: Apache-2.0
//
// Which episodes hold in a round, and what they come to together.
#include "worker/backend/sim/sim_condition.h"

#include <math.h>

#include "record/throttle.h"

static bool holds(const struct sim_episode *episode, uint32_t round, uint32_t attempt) {
    return round >= episode->from_round && round <= episode->to_round &&
           (!episode->attempt_count || attempt < episode->attempt_count);
}

static void add(struct sim_condition *condition, const struct sim_episode *episode) {
    const double ratio = 1 + episode->slower_pct / 100;
    uint32_t bits = THROTTLE_NONE;
    if (episode->throttle) throttle_parse(episode->throttle, &bits); // words were checked when it was read
    condition->throttle |= bits;
    condition->slower_ratio *= ratio;
    if (bits) condition->clock_ratio /= ratio;
    if (isfinite(episode->temperature_c)) // fmax ignores a temperature that the device does not say
        condition->temperature_c = fmax(condition->temperature_c, episode->temperature_c);
    condition->others_pct = fmin(100, condition->others_pct + episode->others_pct);
    condition->other_process_count += episode->other_process_count;
}

struct sim_condition sim_condition_at(const struct sim_device *script, uint32_t round, uint32_t attempt) {
    struct sim_condition condition = {
        .slower_ratio = 1, .clock_ratio = 1, .temperature_c = script->temperature_c};
    for (size_t i = 0; i < script->episode_count; ++i)
        if (holds(&script->episodes[i], round, attempt)) add(&condition, &script->episodes[i]);
    return condition;
}
