// SPDX-License-Identifier: Apache-2.0
#include "worker/backend/late_inputs.h"

#include "base/rng.h"
#include "op/operator.h"

enum part { PART_INPUTS, PART_OUTPUTS };

// What is read and written is of both.
static bool is_of(const struct assay_tensor *tensor, enum part part) {
    return tensor->access != (part == PART_INPUTS ? ASSAY_OUT : ASSAY_IN);
}

static uint64_t bytes_of(const struct assay_tensors *set, enum part part) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->tensor_count; ++i)
        if (is_of(assay_tensor_at(set, i), part)) bytes += tensor_span_bytes(assay_tensor_at(set, i));
    return bytes;
}

static uint32_t count_of(const struct assay_tensors *set, enum part part) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->tensor_count; ++i) count += is_of(assay_tensor_at(set, i), part);
    return count;
}

// What is kept lies behind each other: inputs, then outputs.
static int copy(struct device *device, const struct late_inputs *late, const struct assay_tensors *set,
                enum part part, bool is_back, struct err *err) {
    char *kept = (char *)late->data + (part == PART_OUTPUTS ? bytes_of(set, PART_INPUTS) : 0);
    for (uint32_t i = 0; i < set->tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(set, i);
        const uint64_t bytes = tensor_span_bytes(tensor);
        if (!is_of(tensor, part)) continue;
        TRY(device->backend->work->copy(device, is_back ? tensor->data : kept, is_back ? kept : tensor->data,
                                        bytes, err));
        kept += bytes;
    }
    return 0;
}

struct late_places late_inputs_places(const struct late_inputs *late, uint32_t set_count, uint32_t launches) {
    const uint32_t rotation = launches < set_count ? launches : set_count;
    const uint32_t rotations = rotation ? launches / rotation : 0;
    const uint32_t step = (rotations + LATE_PLACES_MAX - 1) / LATE_PLACES_MAX;
    struct late_places ret = {0};
    for (uint32_t i = 0; i < rotations; i += step)
        ret.items[ret.count++] = i * rotation + (uint32_t)(rng_u64(late->seed, 1, i) % rotation);
    if (ret.count) ret.kept = (uint32_t)(rng_u64(late->seed, 2, 0) % ret.count);
    return ret;
}

int late_inputs_keep(struct device *device, const struct assay_tensors *set, struct late_inputs *ret,
                     struct err *err) {
    const struct device_work *work = device->backend->work;
    const uint64_t bytes = bytes_of(set, PART_INPUTS) + bytes_of(set, PART_OUTPUTS);
    char byte;
    late_inputs_drop(device, ret);
    TRY(work->scratch_alloc(device, bytes + 1, &ret->data, err));
    TRY(copy(device, ret, set, PART_INPUTS, false, err));
    return work->copy_out(device, &byte, ret->data, 1, err); // waits for the copies
}

void late_inputs_drop(struct device *device, struct late_inputs *late) {
    if (late->data) device->backend->work->scratch_free(device, late->data);
    late->data = NULL;
}

int late_inputs_bring(struct device *device, const struct late_inputs *late, const struct assay_tensors *set,
                      struct err *err) {
    return copy(device, late, set, PART_INPUTS, true, err);
}

int late_inputs_keep_outputs(struct device *device, const struct late_inputs *late,
                             const struct assay_tensors *set, struct err *err) {
    return copy(device, late, set, PART_OUTPUTS, false, err);
}

int late_inputs_return_outputs(struct device *device, const struct late_inputs *late,
                               const struct assay_tensors *set, struct err *err) {
    return copy(device, late, set, PART_OUTPUTS, true, err);
}

uint64_t late_inputs_moved_bytes(const struct assay_tensors *set, const struct late_places *places) {
    return 2 * (places->count * bytes_of(set, PART_INPUTS) + 2 * bytes_of(set, PART_OUTPUTS));
}

uint32_t late_inputs_copies(const struct assay_tensors *set, const struct late_places *places) {
    return places->count * count_of(set, PART_INPUTS) + 2 * count_of(set, PART_OUTPUTS);
}
