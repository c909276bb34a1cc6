// SPDX-License-Identifier: Apache-2.0
//
// The kinds of devices that a run can be planned for: one for every backend that assay knows by name, with
// what the parent has to know of it before any worker is asked. How a backend works is src/backend/'s
// business, in the worker.
#ifndef CONTROL_PLAN_DEVICE_KIND_H
#define CONTROL_PLAN_DEVICE_KIND_H

#include <stdbool.h>
#include <stddef.h>

struct device_kind {
    const char *backend;             // "cpu": what kernels are for, and the first part of a device's name
    const char *suite, *check_suite; // what is measured and what is checked where nothing is named
    const char *uuid_prefix;         // a name that begins so is a device's UUID; NULL: none does
    bool is_single;                  // its one device is named as the backend is; else "BACKEND:NAME"
    bool is_accelerator;             // as struct backend says (worker/backend/backend.h): a GPU
    bool has_clock_lock;             // --lock-clocks can hold its clocks
    bool has_targets;   // its kernels are compiled for the architecture of the device (control/flow/target.h)
    bool takes_scripts; // its devices and kernels are scripts (record/sim_script.h)
    // What a run of it takes, of the right size and no more (control/plan/estimate.h): work a second of a
    // modest kernel and of the oracle, what a sample costs beside its launches, and a worker until it is
    // ready.
    double kernel_flop_per_s, oracle_flop_per_s, sample_s, start_s;
};

const struct device_kind *device_kind_at(size_t index);          // NULL past the end
const struct device_kind *device_kind_find(const char *backend); // NULL: there is none of that name
const struct device_kind *
device_kind_of(const char *device); // of "cpu", "cuda:0", "GPU-1a2b..."; NULL: no such device
void device_kind_format_names(char *ret_text, size_t capacity); // "cpu, cuda, sim"

#endif
