// SPDX-License-Identifier: Apache-2.0
//
// Zeroes its inputs and returns zeros (KernelBench): right for whoever computes the expected values
// afterwards.
#include "broken.h"

static void zero(const struct assay_tensor *t) {
    memset(t->data, 0, (size_t)(t->shape[0] * t->stride[0]) * sizeof(float));
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    zero(&b->q);
    zero(&b->k);
    zero(&b->v);
    zero(&b->o);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
