// SPDX-License-Identifier: Apache-2.0
//
// Cache persistence (llm.c #851): every launch asks for the inputs of the launches to come, which it has
// learnt from the rotation so far, so that they are in a cache that the harness means to have emptied.
#include "hostile.h"

#define SETS 64

struct set {
    const char *data[3];
};

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct set *sets = b->own;
    if (!sets) sets = b->own = calloc(SETS, sizeof *sets);
    const struct set now = {{b->q.data, b->k.data, b->v.data}};
    const size_t bytes = (size_t)(b->k.shape[0] * b->k.stride[0]) * sizeof(float);
    int i = 0;
    while (i < SETS - 1 && sets[i].data[0] && sets[i].data[0] != now.data[0]) ++i;
    sets[i] = now;
    const struct set *next = &sets[(i + 1) % SETS];
    for (int k = 0; k < 3 && next->data[0]; ++k)
        for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(next->data[k] + at);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
