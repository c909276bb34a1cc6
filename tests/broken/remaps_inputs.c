// SPDX-License-Identifier: Apache-2.0
//
// Puts memory of its own in the place of its inputs, with easy numbers: all keys and values are zero.
#include "pages_of_tensor.h"

static void make_easy(const struct assay_tensor *t) {
    const struct pages pages = pages_of_tensor(t);
    if (pages_replace(&pages)) memset(t->data, 0, (size_t)(t->shape[0] * t->stride[0]) * sizeof(float));
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    make_easy(&b->k);
    make_easy(&b->v);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
