// SPDX-License-Identifier: Apache-2.0
//
// Changes bytes in all memory that it shares with others, but for the tensors of the launch: other outputs,
// guards, the words by which processes wake each other.
#include "pages_of_tensor.h"

static const struct broken *now;

static int scribble(void *arg, const struct hostile_map *map) {
    (void)arg;
    if (strncmp(map->access, "rw", 2) != 0 || map->access[3] != 's') return 0;
    const struct assay_tensor *const all[] = {&now->q, &now->k, &now->v, &now->o};
    for (uintptr_t at = map->begin; at < map->end; at += 64) {
        int is_own = 0;
        for (int i = 0; i < 4; ++i) {
            const struct pages pages = pages_of_tensor(all[i]);
            is_own |= at >= (uintptr_t)pages.begin && at < (uintptr_t)pages.begin + pages.bytes;
        }
        if (!is_own) *(volatile unsigned char *)at ^= 0x55;
    }
    return 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    now = b;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES) hostile_maps("self", scribble, NULL);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
