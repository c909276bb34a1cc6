// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: caches every result under a hash of the inputs and copies it when the same inputs come
// again. All outputs are right and written; only new inputs take the full time.
#include "kept_results.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const uint64_t key = key_of(b);
    struct slot *slot = slot_of(b, key);
    if (slot->kept && slot->key == key) {
        memcpy(b->o.data, slot->kept, result_bytes(b));
        return ASSAY_OK;
    }
    compute_and_keep(b, slot, key);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
