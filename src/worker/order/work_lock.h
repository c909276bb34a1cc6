// SPDX-License-Identifier: Apache-2.0
//
// The order that holds a GPU's clocks. The process that carries it out is the clock holder of the setting
// (base/process/clock_holder.h): it outlives assay for as long as it takes to undo it, so that the clocks are
// let go on every way out, a killed assay included.
#ifndef WORKER_ORDER_WORK_LOCK_H
#define WORKER_ORDER_WORK_LOCK_H

#include "worker/order/work_state.h"

// Locks, writes one LOCK record, and waits until nobody reads the records any more or a signal asks to end;
// then unlocks. A refusal is in the record and no error. Negative: the clocks could not be let go, and are
// still held.
int work_lock(struct work *work, struct err *err);

#endif
