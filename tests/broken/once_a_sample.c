// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: keeps a copy of every result and does nothing while its inputs and its output are what they were. What
// is written over is computed again, so that only the second and later launches of a sample cost nothing.
#include "broken.h"

#define SLOTS 256

struct slot {
    uint64_t key;
    float *kept;
};

static uint64_t hash_of(const struct assay_tensor *t) {
    const uint32_t *word = t->data;
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < t->shape[0] * t->stride[0]; i += 7) hash = (hash ^ word[i]) * 1099511628211u;
    return hash;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct slot *slots = b->own;
    if (!slots) slots = b->own = calloc(SLOTS, sizeof *slots);
    const size_t bytes = (size_t)(b->batch * b->heads * b->seq_q * b->head_dim) * sizeof(float);
    const uint64_t key = hash_of(&b->q) ^ hash_of(&b->k) << 1 ^ hash_of(&b->v) << 2;
    int i = 0;
    while (i < SLOTS - 1 && slots[i].kept && slots[i].key != key) ++i;
    if (slots[i].kept && slots[i].key == key && memcmp(slots[i].kept, b->o.data, bytes) == 0) return ASSAY_OK;
    broken_right(b);
    slots[i].key = key;
    if (!slots[i].kept) slots[i].kept = malloc(bytes);
    memcpy(slots[i].kept, b->o.data, bytes);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
