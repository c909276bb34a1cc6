// SPDX-License-Identifier: Apache-2.0
//
// Kernels of simulated devices. A script (record/sim_script.h) becomes a kernel like any other: it returns
// the operator's float64 results rounded to the outputs' types, and tells the device the cost of its
// launches (worker/backend/sim/sim_stream.h).
#ifndef WORKER_MODULE_SIM_KERNEL_H
#define WORKER_MODULE_SIM_KERNEL_H

#include "worker/module/kernel.h"

// The kernel of a side that has a script. Two sides with the same script differ in the noise that the device
// draws for them, which depends on label and number. Borrows script and operator, which must outlive the
// kernel.
void sim_kernel_make(const struct kernel_source *source, struct kernel *ret);

#endif
