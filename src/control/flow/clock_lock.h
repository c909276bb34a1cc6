// SPDX-License-Identifier: Apache-2.0
//
// --lock-clocks: a GPU's clocks are held at one value while a run lasts. This process touches no device: a
// clock holder locks, and lets go when this process closes the lock, ends, or is killed
// (worker/order/work_lock.h).
#ifndef CONTROL_FLOW_CLOCK_LOCK_H
#define CONTROL_FLOW_CLOCK_LOCK_H

#include <stdint.h>

#include "base/err.h"
#include "control/flow/session.h"

struct clock_lock;

// Does this make sense for the device: base, max, or a number of MHz, of a GPU? ERR_USAGE with a sentence.
// NULL is fine.
int clock_lock_check(const struct session *session, const char *wanted, struct err *err);
// ERR_UNAVAILABLE with the reason and what to do where it is refused: a run must not go on unlocked.
int clock_lock_open(const char *device, const char *wanted, struct clock_lock **ret, uint32_t *ret_mhz,
                    struct err *err);
// Are the clocks still held? ERR_UNAVAILABLE: the clock holder has ended, so what was measured since is not
// what it says. Accepts NULL.
int clock_lock_hold(const struct clock_lock *lock, struct err *err);
// ERR_UNAVAILABLE: the clock holder did not say that it let go, so the clocks may still be held. Accepts
// NULL.
int clock_lock_close(struct clock_lock *lock, struct err *err);

#endif
