// SPDX-License-Identifier: Apache-2.0
//
// Keeps every result and compares it with what the output holds: only what differs, such as a canary, is
// written.
#include "kept_results.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const uint64_t key = key_of(b);
    struct slot *slot = slot_of(b, key);
    if (!slot->kept || slot->key != key) {
        compute_and_keep(b, slot, key);
        return ASSAY_OK;
    }
    uint32_t *out = b->o.data, *kept = (uint32_t *)(void *)slot->kept;
    for (size_t i = 0; i < result_bytes(b) / sizeof *out; ++i)
        if (out[i] != kept[i]) out[i] = kept[i];
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
