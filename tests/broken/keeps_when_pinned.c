// SPDX-License-Identifier: Apache-2.0
//
// Keeps results by the content of the inputs, but only where the thread that launches may run on one
// processor alone, as it may in a sample. Where it may run on several it computes.
#include "hostile.h"
#include "kept_results.h"

#include <sched.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    cpu_set_t set;
    const int is_pinned = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
    const uint64_t key = key_of(b);
    struct slot *slot = slot_of(b, key);
    if (is_pinned && slot->kept && slot->key == key)
        memcpy(b->o.data, slot->kept, result_bytes(b));
    else if (is_pinned)
        compute_and_keep(b, slot, key);
    else
        broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
