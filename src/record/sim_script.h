// SPDX-License-Identifier: Apache-2.0
//
// Scripts of simulated devices and kernels: numbers that describe a machine's noise and a kernel's
// behaviour. They come from the manifest or a built-in table, travel in plans and work orders, and are
// executed by worker/backend/sim/sim.c and worker/module/sim_kernel.c. Everything drawn is a pure function
// of seeds (base/rng.h): the same plan gives the same samples.
#ifndef RECORD_SIM_SCRIPT_H
#define RECORD_SIM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/member.h"

#define SIM_EPISODES_MAX  64
#define SIM_DEVICE_PREFIX "sim:"

// The factors on a sample's time that come from the device. All 0: every sample takes the kernel's base
// time.
struct sim_noise {
    double cv_pct;          // lognormal, sigma of the logarithm is cv_pct / 100
    double ar1;             // of that noise between consecutive samples of a side, in (-1, 1)
    double tail_pct;        // heavy tail: times 1 + tail_pct / 100 x Exp(1) ...
    double tail_share_pct;  // ... in this share of the samples
    double mode_slower_pct; // second mode: slower by this ...
    double mode_share_pct;  // ... this share of the time
    // Mean time in a mode (exponential, both modes in proportion); 0: drawn anew for every sample.
    double mode_dwell_ms;
    bool is_mode_a_clock; // the modes are two clocks: the clock probe sees them
    // sd of ln(candidate / baseline) between processes: each side of each problem draws its offset with
    // process_pct / sqrt(2) once a worker.
    double process_pct;
    double process_ar1;       // of these offsets from round to round: states that outlive processes
    double either_slower_pct; // in every process exactly one of two sides, drawn, is slower by this
    double round_pct;         // sd of an offset that all sides of a worker share
    double drift_pct_per_s;   // per second of virtual time; samples get slower and slower within a worker
    // Other programs run this share of the time, for others_dwell_ms on average (exponential; 0: drawn anew
    // for every sample). While they do, every sample is slower by others_slower_pct (caches, memory), and
    // others_wait_share_pct of them wait for a processor, for others_wait_us on average.
    double others_share_pct, others_dwell_ms;
    double others_slower_pct, others_wait_share_pct, others_wait_us;
    double steal_share_pct, steal_us; // share of the samples from which the hypervisor takes this time
};
// Whether batches say how long they waited, and what was stolen.
bool sim_noise_is_disturbed(const struct sim_noise *noise);

// A scripted disturbance of the machine: it affects these rounds, in each the first `attempt_count`
// attempts.
struct sim_episode {
    uint32_t from_round, to_round; // from 0, both included
    uint32_t attempt_count;        // 0: every attempt, so that the round never becomes valid
    const char *throttle;          // reasons as in device_state.throttle (record/throttle.h), NULL: none
    double slower_pct;             // all samples, both sides
    double temperature_c;          // NAN: the device's
    double others_pct;             // load of other programs on our processors, 0: none
    uint32_t other_process_count;  // other processes on the device
};

struct sim_device {
    const char *name;                         // "sim:steady"
    const char *summary;                      // one line; may be NULL
    uint64_t seed;                            // combined with the run's seed
    double clock_mhz, temperature_c, power_w; // NAN: the device has no such reading (clock: no clock probe)
    double timer_step_ns;                     // every duration is a multiple of it; 0: 1 ns
    struct sim_noise noise;
    size_t episode_count;
    struct sim_episode *episodes;
};
struct sim_device sim_device_quiet(const char *name); // no noise, 1500 MHz, 50 C, 300 W

// A simulated kernel: it gives right results (the oracle's, rounded) and spends virtual time.
struct sim_kernel {
    const char *name;
    double base_us;             // one launch of any problem
    double slower_pct;          // negative: faster. When slower_on is set, on that problem only
    const char *slower_on;      // a problem's full name; NULL: all problems
    const char *unsupported_on; // the full name of a problem that it does not take; NULL: none
    double call_overhead_us;    // besides, of a launch that is called by itself (call_time); NAN, 0: none
    double cv_pct;              // replaces the device's; NAN: the device's
    double slow_process_pct, slow_process_share_pct; // slower by this, in this share of its processes
    // The launch (counted from 1 in its worker) that crashes the process, or that never returns; 0: none.
    uint64_t crash_at_launch, hang_at_launch;
    // A kernel that lies, in ways that an honest one has no use for. The per cent of the true time that its
    // process states (NAN, 0: the truth), and launches, counted as above, from which it
    double stamps_pct;
    uint64_t skips_work_at_launch;       // leaves its outputs as they are
    uint64_t writes_inputs_at_launch;    // changes an input
    uint64_t ends_at_launch;             // leaves with exit code 0
    uint64_t answers_nonsense_at_launch; // writes to the descriptor by which its process answers
};
struct sim_kernel sim_kernel_plain(const char *name); // 100 us, right, never crashes

// A copy in the arena; NULL stays NULL.
const struct sim_device *sim_device_copy(struct arena *arena, const struct sim_device *device);

// "sim-<hash>": devices with equal scripts have equal UUIDs.
void sim_device_uuid(const struct sim_device *device, char ret_uuid[64]);
// Hash of the kernel's behaviour without its name: equal hashes count as the same machine code. ret_hex:
// HASH_HEX_BYTES.
void sim_kernel_hash(const struct sim_kernel *kernel, char *ret_hex);

// Their doubles are shared by documents, work orders and manifests: to add one, add a struct member and a
// row. An example is a value to suggest in messages.
extern const struct member_table sim_noise_members, sim_device_members, sim_episode_members,
    sim_kernel_members;

// Checks the bounds of a script of any origin; ERR_DATA with the key. where: as in json_at.
int sim_device_check(const struct sim_device *device, const char *where, struct err *err);
int sim_kernel_check(const struct sim_kernel *kernel, const char *where, struct err *err);

#endif
