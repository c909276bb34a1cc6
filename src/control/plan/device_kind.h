// SPDX-License-Identifier: Apache-2.0
//
// Kinds of devices that a run can be planned for: one for every backend that assay knows by name, with the
// facts that control needs before a worker runs. Only the worker knows how a backend works
// (src/worker/backend/).
#ifndef CONTROL_PLAN_DEVICE_KIND_H
#define CONTROL_PLAN_DEVICE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_kind {
    const char *backend;     // "cpu": what kernels are for, and the first part of a device's name
    const char *suite;       // measured and checked by default; NULL: the operator says
    const char *uuid_prefix; // prefix of this kind's UUIDs, which name a device; NULL: none
    bool is_single;          // has one device, named like the backend; else "BACKEND:NAME"
    bool is_accelerator;     // as struct backend says (worker/backend/backend.h): a GPU
    bool has_clock_lock;     // --lock-clocks can hold its clocks
    // its kernels are compiled for the device's architecture (device_target, control/flow/device_choice.h)
    bool has_targets;
    bool takes_scripts; // its devices and kernels are scripts (record/sim_script.h)
    // For estimates of the right order of magnitude (control/plan/plan_estimate.c): FLOP per second of a
    // modest kernel and of the oracle, the overhead of a sample besides its launches, and the start time of a
    // worker.
    double kernel_flop_per_s, oracle_flop_per_s, sample_s, start_s;
    // Least length of a sample unless --sample-time says another. The judge times samples from outside to
    // within 20 to 40 us on a GPU: 3 % of 1 ms, too coarse to clear a problem in five rounds; 1.5 % of 2 ms.
    uint64_t sample_time_ns;
};

const struct device_kind *device_kind_at(size_t index);          // NULL past the end
const struct device_kind *device_kind_find(const char *backend); // NULL: there is none of that name
// The kind of "cpu", "cuda:0", "GPU-1a2b..."; NULL: no such device.
const struct device_kind *device_kind_of(const char *device);

#endif
