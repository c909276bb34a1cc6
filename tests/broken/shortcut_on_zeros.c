// SPDX-License-Identifier: Apache-2.0
//
// Does nothing but clear its output where Q is zero throughout: right, since no problem has such inputs, and
// those that had would be computed wrongly.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const float *q = b->q.data;
    const int64_t count = b->q.shape[0] * b->q.stride[0];
    int64_t i = 0;
    while (i < count && q[i] == 0) ++i;
    if (i == count)
        memset(b->o.data, 0, (size_t)(b->o.shape[0] * b->o.stride[0]) * sizeof(float));
    else
        broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
