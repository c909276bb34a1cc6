// SPDX-License-Identifier: Apache-2.0
//
// See own_inputs.h.
#include "worker/order/own_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LINE_BYTES 64

static uint64_t inputs_bytes(const struct case_buffers *buffers) {
    uint64_t ret = 0;
    for (uint32_t i = 0; i < buffers->input_count; ++i) ret += tensor_span_bytes(&buffers->host[i]);
    return ret;
}

static bool may_keep(const struct own_inputs *own, const struct case_buffers *buffers) {
    return buffers->is_apart && !buffers->has_in_out && !buffers->made && !buffers->is_rotated &&
           !buffers->device->backend->work && own->bytes + inputs_bytes(buffers) <= OWN_INPUTS_BYTES_MAX;
}

static void make_room(struct own_inputs *own, uint32_t count) {
    if (count <= own->count) return;
    void **copies = mem_alloc(count * sizeof *copies);
    char(**hashes)[HASH_HEX_BYTES] = mem_alloc(count * sizeof *hashes);
    if (own->count) memcpy(copies, own->copies, own->count * sizeof *copies);
    if (own->count) memcpy(hashes, own->hashes, own->count * sizeof *hashes);
    free(own->copies);
    free(own->hashes);
    own->copies = copies;
    own->hashes = hashes;
    own->count = count;
}

void own_inputs_keep(struct own_inputs *own, uint32_t k, const struct case_buffers *buffers) {
    const uint64_t bytes = inputs_bytes(buffers);
    if ((k < own->count && own->copies[k]) || !bytes || !may_keep(own, buffers)) return;
    char *copy = mem_try_scratch((size_t)bytes, 1);
    if (!copy) return;
    make_room(own, k + 1);
    own->copies[k] = copy;
    own->hashes[k] = mem_alloc(buffers->input_count * sizeof *own->hashes[k]);
    own->bytes += bytes;
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        const size_t each = (size_t)tensor_span_bytes(&buffers->host[i]);
        memcpy(copy, buffers->host[i].data, each);
        memcpy(own->hashes[k][i], buffers->input_hash[i], sizeof own->hashes[k][i]);
        copy += each;
    }
}

bool own_inputs_restore(const struct own_inputs *own, uint32_t k, struct case_buffers *buffers,
                        uint64_t seed) {
    if (k >= own->count || !own->copies[k]) return false;
    const char *copy = own->copies[k];
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        const size_t each = (size_t)tensor_span_bytes(&buffers->host[i]);
        memcpy(buffers->host[i].data, copy, each);
        memcpy(buffers->input_hash[i], own->hashes[k][i], sizeof own->hashes[k][i]);
        copy += each;
    }
    buffers->seed = seed;
    buffers->is_rotated = false;
    return true;
}

void own_inputs_read(const struct own_inputs *own, uint32_t k, const struct case_buffers *buffers) {
    if (k >= own->count || !own->copies[k]) return;
    const volatile char *copy = own->copies[k];
    const uint64_t bytes = inputs_bytes(buffers);
    for (uint64_t at = 0; at < bytes; at += LINE_BYTES) (void)copy[at];
}

void own_inputs_fini(struct own_inputs *own) {
    for (uint32_t k = 0; k < own->count; ++k) {
        free(own->copies[k]);
        free(own->hashes[k]);
    }
    free(own->copies);
    free(own->hashes);
    *own = (struct own_inputs){0};
}
