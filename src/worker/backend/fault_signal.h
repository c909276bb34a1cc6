// SPDX-License-Identifier: Apache-2.0
//
// Memory faults of kernels as signals: a handler finds out which tensor was missed and how, hands it on, and
// the process ends. Any other fault has its default action.
#ifndef WORKER_BACKEND_FAULT_SIGNAL_H
#define WORKER_BACKEND_FAULT_SIGNAL_H

#include "worker/backend/backend.h"

enum fault_access { FAULT_TOUCHED = 0, FAULT_READ, FAULT_WROTE };

// Runs on the thread that faulted, with the heap in any state: async-signal-safe. It is called once in a
// process and must end it.
typedef void (*fault_fn)(const struct buffer_fault *place, enum fault_access access);

// From now on faults in a guard or in a read-only buffer of that backend go to on_fault.
void fault_signal_arm(const struct backend *backend, fault_fn on_fault);
void fault_signal_disarm(void);

// "the kernel wrote memory 12 bytes past the end of 'out'", cut at the capacity; async-signal-safe. Returns
// its length without the terminating zero.
size_t fault_format(const struct buffer_fault *place, enum fault_access access, char *ret_text,
                    size_t capacity);

#endif
