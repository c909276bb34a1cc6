// SPDX-License-Identifier: Apache-2.0
//
// What a launch executes or moves, counted by another worker: in callgrind on a processor (work_count.c), by
// the device's own counters on a GPU (work_count_device.c).
#ifndef WORKER_ORDER_WORK_COUNT_H
#define WORKER_ORDER_WORK_COUNT_H

#include "worker/order/work_internal.h"

// alone: an order of one case and one side. ERR_UNAVAILABLE, with what to do: nothing was counted.
int work_count_on_device(const struct work_order *alone, uint64_t *ret, struct err *err);

#endif
