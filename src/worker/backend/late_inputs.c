// SPDX-License-Identifier: Apache-2.0
#include "worker/backend/late_inputs.h"

#include "op/operator.h"

static size_t input_bytes(const struct assay_tensor *tensor) {
    return tensor->access == ASSAY_IN ? tensor_span_bytes(tensor) : 0;
}

uint64_t late_inputs_bytes(const struct assay_tensors *set) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->tensor_count; ++i) bytes += input_bytes(assay_tensor_at(set, i));
    return bytes;
}

static int copy(struct device *device, char *kept, const struct assay_tensors *set, bool is_back,
                struct err *err) {
    for (uint32_t i = 0; i < set->tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(set, i);
        const size_t bytes = input_bytes(tensor);
        if (!bytes) continue;
        TRY(device->backend->work->copy(device, is_back ? tensor->data : kept, is_back ? kept : tensor->data,
                                        bytes, err));
        kept += bytes;
    }
    return 0;
}

int late_inputs_keep(struct device *device, const struct assay_tensors *set, struct late_inputs *ret,
                     struct err *err) {
    const struct device_work *work = device->backend->work;
    char byte;
    late_inputs_drop(device, ret);
    TRY(work->scratch_alloc(device, late_inputs_bytes(set) + 1, &ret->data, err));
    TRY(copy(device, ret->data, set, false, err));
    return work->copy_out(device, &byte, ret->data, 1, err); // waits for the copies
}

int late_inputs_enqueue(struct device *device, const struct late_inputs *late,
                        const struct assay_tensors *set, struct err *err) {
    return copy(device, late->data, set, true, err);
}

void late_inputs_drop(struct device *device, struct late_inputs *late) {
    if (late->data) device->backend->work->scratch_free(device, late->data);
    late->data = NULL;
}
