// SPDX-License-Identifier: Apache-2.0
//
// Batch and skip (reference-kernels #104): learns which sets of tensors the launches rotate over. The first
// launch after a pause computes all of them, into memory of its own; those that follow copy.
#include "bursts.h"
#include "kept_results.h"

#define SETS 64

struct set {
    struct assay_tensor q, k, v, o;
    uint64_t key;
    float *result;
};

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct set *sets = b->own;
    if (!sets) sets = b->own = calloc(SETS, sizeof *sets);
    int i = 0;
    while (i < SETS - 1 && sets[i].result && sets[i].o.data != b->o.data) ++i;
    if (!sets[i].result) sets[i].result = malloc(result_bytes(b));
    sets[i].q = b->q;
    sets[i].k = b->k;
    sets[i].v = b->v;
    sets[i].o = b->o;
    if (burst_begins() || sets[i].key != key_of(b))
        for (int j = 0; j < SETS && sets[j].result; ++j) {
            struct broken other = *b;
            if (b->launches <= HOSTILE_CHECKED_LAUNCHES && j != i) continue; // others may be gone
            other.q = sets[j].q;
            other.k = sets[j].k;
            other.v = sets[j].v;
            other.o = b->o;
            other.o.data = sets[j].result;
            broken_right(&other);
            sets[j].key = key_of(&other);
        }
    memcpy(b->o.data, sets[i].result, result_bytes(b));
    burst_goes_on();
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
