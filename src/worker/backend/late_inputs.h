// SPDX-License-Identifier: Apache-2.0
//
// Inputs that come in the middle of a timed batch: in rotations all over it, right before the launch on a set
// that is drawn for each. What a kernel has computed ahead for that launch then belongs to other inputs. Of
// one of these launches the outputs are kept, and at the end of the batch they are those of its set.
#ifndef WORKER_BACKEND_LATE_INPUTS_H
#define WORKER_BACKEND_LATE_INPUTS_H

#include "worker/backend/backend.h"

#define LATE_PLACES_MAX 16 // of a batch

// The places of a batch at which inputs come: launches, ascending.
struct late_places {
    uint32_t count, kept; // of items[kept] the outputs are kept
    uint32_t items[LATE_PLACES_MAX];
};
struct late_places late_inputs_places(const struct late_inputs *late, uint32_t set_count, uint32_t launches);

// Takes a copy of the inputs that the set holds, in the device's memory, and waits for it. ret->data is
// late_inputs_drop's to free. ERR_UNAVAILABLE: no memory.
int late_inputs_keep(struct device *device, const struct assay_tensors *set, struct late_inputs *ret,
                     struct err *err);
void late_inputs_drop(struct device *device, struct late_inputs *late); // nothing if nothing is kept

// What a batch enqueues: before a launch copies of the inputs that were kept to those of this set, after the
// launch a copy of its outputs, at the end that copy to the outputs of the set.
int late_inputs_bring(struct device *device, const struct late_inputs *late, const struct assay_tensors *set,
                      struct err *err);
int late_inputs_keep_outputs(struct device *device, const struct late_inputs *late,
                             const struct assay_tensors *set, struct err *err);
int late_inputs_return_outputs(struct device *device, const struct late_inputs *late,
                               const struct assay_tensors *set, struct err *err);

// Bytes that all this copies in a batch, read and written, and in how many copies.
uint64_t late_inputs_moved_bytes(const struct assay_tensors *set, const struct late_places *places);
uint32_t late_inputs_copies(const struct assay_tensors *set, const struct late_places *places);

#endif
