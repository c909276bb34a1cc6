// SPDX-License-Identifier: Apache-2.0
//
// The noise and the episodes that a simulated device adds to a nominal time in one worker. Everything
// drawn is a function of the run's seed, the script's seed, round, attempt, side, problem and the number
// of the sample, so the same order gives the same times. Only virtual time goes in, never real time.
#ifndef WORKER_BACKEND_SIM_SIM_NOISE_H
#define WORKER_BACKEND_SIM_SIM_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/sim_script.h"
#include "worker/backend/sim/sim_stream.h"

struct sim_sequence; // batches of one side on one problem

// Something that comes and goes: whether it is there, and the virtual time since opening at which that
// changes.
struct sim_toggle {
    bool is_on;
    double until_ns;
    uint64_t change_count;
};

struct sim_noise_state {
    const struct sim_device *script; // borrowed
    uint64_t seed, device_seed;      // of this worker, of all workers of the run
    uint32_t round;
    double round_offset; // logarithm; the same for all sides
    uint64_t batch_count;
    struct sim_toggle mode, others; // the second mode, other programs
    size_t sequence_count, sequence_capacity;
    struct sim_sequence *sequences; // sim_noise_fini frees
};

void sim_noise_init(struct sim_noise_state *noise, const struct sim_device *script, uint64_t run_seed,
                    uint32_t round, uint32_t attempt);
void sim_noise_fini(struct sim_noise_state *noise); // accepts a zeroed one

// True if the next batch, which begins at this time, runs in the second mode. Time never goes back.
bool sim_noise_is_slow(struct sim_noise_state *noise, uint64_t virtual_ns);

// The factor of the next batch, which begins at this time: noise of the sample, tail, mode, offsets of
// process and round, drift. Its median over samples is about 1 without drift and modes.
double sim_noise_next(struct sim_noise_state *noise, const struct batch_cost *spend, uint64_t virtual_ns);

// What other programs and the hypervisor do to the next batch, which begins at this time. To be called
// before sim_noise_next.
struct sim_disturbance {
    double slower_ratio;        // 1: none
    uint64_t wait_ns, steal_ns; // besides, and known to the judge
};
struct sim_disturbance sim_noise_disturb(struct sim_noise_state *noise, uint64_t virtual_ns);

// What the script's episodes do to the device in one round and attempt: throttled, slower, hot, or used by
// other processes.
struct sim_condition {
    uint32_t throttle;    // bits of enum throttle
    double slower_ratio;  // of every time; 1: none
    double clock_ratio;   // of the clock: slower while throttled; 1: none
    double temperature_c; // NAN: unknown
    double others_pct;    // of our processors, at most 100
    uint32_t other_process_count;
};

// Episodes that overlap add up; the hottest counts.
struct sim_condition sim_condition_at(const struct sim_device *script, uint32_t round, uint32_t attempt);

#endif
