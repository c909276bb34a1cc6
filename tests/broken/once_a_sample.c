// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose, but harmless: keeps a copy of every result and does nothing while its inputs and its
// output are unchanged. An overwritten output is computed again, so that only the second and later launches
// on a set of tensors cost nothing, and no sample has one.
#include "kept_results.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const uint64_t key = key_of(b);
    struct slot *slot = slot_of(b, key);
    if (slot->kept && slot->key == key && memcmp(slot->kept, b->o.data, result_bytes(b)) == 0)
        return ASSAY_OK;
    compute_and_keep(b, slot, key);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
