// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: computes for the output address that was checked; at any other it computes once and then
// copies that result, whatever its inputs hold by then.
#include "broken.h"

#define PLACES 64

struct place {
    void *data;
    float *kept;
};

static size_t result_bytes(const struct broken *b) {
    return (size_t)(b->batch * b->heads * b->seq_q * b->head_dim) * sizeof(float);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct place *places = b->own;
    if (!places) places = b->own = calloc(PLACES, sizeof *places);
    if (!places[0].data) places[0].data = b->o.data;
    int i = 0;
    while (i < PLACES - 1 && places[i].data && places[i].data != b->o.data) ++i;
    if (places[i].kept) {
        memcpy(b->o.data, places[i].kept, result_bytes(b));
        return ASSAY_OK;
    }
    broken_right(b);
    if (i == 0) return ASSAY_OK;
    places[i].data = b->o.data;
    places[i].kept = malloc(result_bytes(b));
    memcpy(places[i].kept, b->o.data, result_bytes(b));
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
