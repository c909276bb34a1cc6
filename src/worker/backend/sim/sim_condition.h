// SPDX-License-Identifier: Apache-2.0
//
// What a script's episodes make of a simulated machine in one round and attempt: throttled, slower, hot, or
// used by others.
#ifndef WORKER_BACKEND_SIM_SIM_CONDITION_H
#define WORKER_BACKEND_SIM_SIM_CONDITION_H

#include <stdint.h>

#include "record/sim_script.h"

struct sim_condition {
    uint32_t throttle;    // bits of enum throttle
    double slower_ratio;  // of every time; 1: none
    double clock_ratio;   // of the clock: slower while throttled; 1: none
    double temperature_c; // NAN: the device does not say
    double others_pct;    // of our processors, at most 100
    uint32_t other_process_count;
};

// Episodes that overlap add up; the hottest counts.
struct sim_condition sim_condition_at(const struct sim_device *script, uint32_t round, uint32_t attempt);

#endif
