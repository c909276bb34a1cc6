// SPDX-License-Identifier: Apache-2.0
//
// --lock-clocks: a GPU's clocks stay at one value during a run. This process touches no device: a clock
// holder locks them, and unlocks them when this process closes the lock, ends, or is killed
// (worker/order/work_lock.c).
#ifndef CONTROL_FLOW_CLOCK_LOCK_H
#define CONTROL_FLOW_CLOCK_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "control/plan/device_kind.h"

struct clock_holder; // base/process/clock_holder.h

// Checks that wanted is base, max, or a number of MHz, and that the device is a GPU. ERR_USAGE. NULL is fine.
int clock_lock_check(const char *wanted, const char *device, const struct device_kind *kind, bool is_resumed,
                     struct err *err);
// Locks the clocks and waits until they are; *ret_mhz: at which value. ERR_UNAVAILABLE with the reason and
// advice: a run must not continue unlocked.
int clock_lock_open(const char *device, const char *wanted, struct clock_holder **ret, uint32_t *ret_mhz,
                    struct err *err);
// Checks that the clocks are still locked. ERR_UNAVAILABLE: the clock holder has ended, so later measurements
// were not made at the recorded clocks. Accepts NULL.
int clock_lock_verify(const struct clock_holder *lock, struct err *err);
// Ends the clock holder and waits for it. ERR_UNAVAILABLE: it did not confirm that it unlocked the clocks, so
// they may still be locked. Accepts NULL.
int clock_lock_close(struct clock_holder *lock, struct err *err);

#endif
