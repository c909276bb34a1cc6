// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of a processor with all threads of the device at once: backend.measure_ceilings of "cpu".
#ifndef WORKER_BACKEND_CPU_CEILINGS_THREADS_H
#define WORKER_BACKEND_CPU_CEILINGS_THREADS_H

#include "worker/backend/backend.h"

int cpu_measure_ceilings(struct device *device, ceiling_fn *on_ceiling, void *arg, struct err *err);

#endif
