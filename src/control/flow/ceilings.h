// SPDX-License-Identifier: Apache-2.0
//
// Measured ceilings of a device (roofline): measuring them, and those that hold for a run.
#ifndef CONTROL_FLOW_CEILINGS_H
#define CONTROL_FLOW_CEILINGS_H

#include <stdint.h>

#include "base/err.h"
#include "control/flow/ceiling_store.h"
#include "control/plan/plan.h"
#include "record/result.h"

// Measures now (about a second on a processor, a quarter of a minute on a GPU) and stores the figures
// (ceiling_store.h).
int ceilings_measure(const char *device, uint32_t thread_count, struct err *err);

// Those stored for the device, driver, power limit and power mode of the environment; none: *ret_count is 0.
// They live in the arena.
struct ceiling *ceilings_find(const struct environment *environment, struct arena *arena, size_t *ret_count);

// Sets the ceilings of a result from the stored ones: those of its device, driver, power limit and power
// mode. Call it before anything is decided: the share of the ceiling and the check for impossible throughputs
// need them.
void ceilings_add_to(struct result *result);
// The same, but measures them when none are stored. Needs the device's uuid from the run's first worker.
int ceilings_need(const struct plan *plan, struct result *result, struct err *err);

#endif
