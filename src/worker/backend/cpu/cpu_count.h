// SPDX-License-Identifier: Apache-2.0
//
// backend.count of the processor.
#ifndef WORKER_BACKEND_CPU_CPU_COUNT_H
#define WORKER_BACKEND_CPU_CPU_COUNT_H

#include "base/err.h"

struct device;
struct counter_request;

int cpu_count(struct device *device, const struct counter_request *request, struct err *err);

#endif
