// SPDX-License-Identifier: Apache-2.0
//
// Kernels of simulated devices. A script (record/sim_script.h) becomes a kernel like any other: it returns
// the operator's float64 results rounded to the outputs' types, and tells the device the cost of its
// launches (worker/backend/sim/sim_stream.h).
#ifndef WORKER_MODULE_SIM_KERNEL_H
#define WORKER_MODULE_SIM_KERNEL_H

#include <assay/kernel.h>

#include "record/sim_script.h"

#define SIM_KERNELS_MAX 8 // sides of a worker

// The kernel of side number `side` (below SIM_KERNELS_MAX) of this worker. It replaces an earlier one of that
// number, and its launches count from 0. Two sides with the same script differ in the noise that the device
// draws for them, which depends on label and number. Borrows script and op, which must outlive the kernel.
const struct assay_kernel *sim_kernel_make(const struct sim_kernel *script, const char *op, const char *label,
                                           uint32_t side);

#endif
