// SPDX-License-Identifier: Apache-2.0
//
// Remembers the first inputs and is wrong for any others.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    float *seen = b->own;
    if (!seen) {
        seen = b->own = malloc(sizeof *seen);
        *seen = *(const float *)b->k.data;
    }
    if (*(const float *)b->k.data != *seen) b->scale *= 0.5f;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
