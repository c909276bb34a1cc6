// SPDX-License-Identifier: Apache-2.0
//
// Inputs that come in the middle of a timed batch, right before the launch that reads them. What a kernel has
// computed ahead for that launch then belongs to other inputs, and shows.
#ifndef WORKER_BACKEND_LATE_INPUTS_H
#define WORKER_BACKEND_LATE_INPUTS_H

#include "worker/backend/backend.h"

// Takes a copy of the inputs that the set holds, in the device's memory, and waits for it. ret->data is
// late_inputs_drop's to free. ERR_UNAVAILABLE: no memory.
int late_inputs_keep(struct device *device, const struct assay_tensors *set, struct late_inputs *ret,
                     struct err *err);
// Enqueues copies of what was kept to the inputs of this set.
int late_inputs_enqueue(struct device *device, const struct late_inputs *late,
                        const struct assay_tensors *set, struct err *err);
void late_inputs_drop(struct device *device, struct late_inputs *late); // nothing if nothing is kept

// Bytes of the inputs of a set.
uint64_t late_inputs_bytes(const struct assay_tensors *set);

#endif
