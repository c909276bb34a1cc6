// SPDX-License-Identifier: Apache-2.0
//
// The object behind `stream` on the "sim" backend: through it a simulated kernel
// (worker/module/sim_kernel.c) tells the device the cost of a launch. Its first member is a stream of
// "cpu", so that a kernel's host code runs on it, one index after the other.
#ifndef WORKER_BACKEND_SIM_SIM_STREAM_H
#define WORKER_BACKEND_SIM_SIM_STREAM_H

#include <assay/kernel.h>
#include <stdint.h>

// The cost of one launch; the device turns it into a time.
struct sim_spend {
    uint64_t side_key;    // different for every side of a worker, so that each draws its own noise
    uint64_t problem_key; // different for every problem
    double nominal_ns;    // of one launch, without any noise
    double cv_pct;        // replaces the device's; NAN: the device's
};

struct sim_stream {
    struct assay_cpu_stream host; // first
    // Set by the device: the number of launches that this call stands for. Their results are the same bit for
    // bit, so a batch of many launches computes each set once.
    uint32_t launches;
    struct sim_spend spend; // set by the launch
};

#endif
