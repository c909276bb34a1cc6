// SPDX-License-Identifier: Apache-2.0
//
// The object behind `stream` on the "sim" backend: through it a simulated kernel
// (worker/module/sim_kernel.c) tells the device the cost of a launch. Its first member is a stream of
// "cpu", so that a kernel's host code runs on it, one index after the other.
#ifndef WORKER_BACKEND_SIM_SIM_STREAM_H
#define WORKER_BACKEND_SIM_SIM_STREAM_H

#include <assay/kernel.h>
#include <stdint.h>

#include "worker/backend/backend.h"

struct sim_stream {
    struct assay_cpu_stream host; // first
    // Set by the device: the number of launches that this call stands for. Their results are the same bit for
    // bit, so a batch of many launches computes each set once.
    uint32_t launches;
    struct batch_cost spend; // set by the launch
};

#endif
