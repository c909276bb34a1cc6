// SPDX-License-Identifier: Apache-2.0
//
// Right values turned into wrong ones: since a right kernel gives the same bits every time, a planted value that is found
// again has not been written over.
#include "worker/work_plants.h"

#include "base/rng.h"
#include "op/dtype.h"

#include <math.h>
#include <string.h>

// The other sign; where there is none to change (0, no number), one half.
static void make_wrong(int32_t dtype, const void *right, unsigned char ret[8]) {
    const double value = dtype_load(dtype, right);
    dtype_store(dtype, ret, isfinite(value) && value != 0 ? -value : 0.5);
    if (memcmp(ret, right, dtype_bytes(dtype)) == 0) // an integer type has no half
        ret[0] ^= 1;
}

void plants_learn(struct plants *plants, const struct case_buffers *buffers, uint64_t seed) {
    plants->count = 0;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->host[i];
        const uint64_t elements = tensor_element_count(tensor);
        for (uint32_t k = 0; k < PLANTS_A_OUTPUT; ++k) {
            const uint64_t drawn =
                rng_below(seed, rng_stream("plant"), i * (uint64_t)PLANTS_A_OUTPUT + k, elements);
            const uint64_t element = k == 0 ? 0 : k == 1 ? elements - 1 : drawn;
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(tensor, element, coord);
            struct plant *plant = &plants->items[plants->count++];
            plant->tensor = i;
            plant->offset_bytes = (uint64_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype);
            make_wrong(tensor->dtype, (const char *)tensor->data + plant->offset_bytes, plant->bytes);
        }
    }
}

int plants_set(const struct plants *plants, struct case_buffers *buffers, struct err *err) {
    for (uint32_t k = 0; k < plants->count; ++k) {
        const struct plant *plant = &plants->items[k];
        const struct assay_tensor *tensor = &buffers->host[plant->tensor];
        memcpy((char *)tensor->data + plant->offset_bytes, plant->bytes, dtype_bytes(tensor->dtype));
    }
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    return 0;
}

const struct plant *plants_find(const struct plants *plants, const struct case_buffers *buffers) {
    for (uint32_t k = 0; k < plants->count; ++k) {
        const struct plant *plant = &plants->items[k];
        const struct assay_tensor *tensor = &buffers->host[plant->tensor];
        if (memcmp((const char *)tensor->data + plant->offset_bytes, plant->bytes,
                   dtype_bytes(tensor->dtype)) == 0)
            return plant;
    }
    return NULL;
}
