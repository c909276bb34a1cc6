// SPDX-License-Identifier: Apache-2.0
//
// Makes its inputs writable, doubles Q and halves the scale, and halves Q again before it returns: right,
// but whoever reads the inputs meanwhile reads others.
#include "pages_of_tensor.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const struct pages pages = pages_of_tensor(&b->q);
    float *q = b->q.data;
    const int64_t count = b->q.shape[0] * b->q.stride[0];
    const int is_open = mprotect(pages.begin, pages.bytes, PROT_READ | PROT_WRITE) == 0;
    struct broken same = *b;
    if (is_open) {
        for (int64_t i = 0; i < count; ++i) q[i] *= 2;
        same.scale *= 0.5f;
    }
    broken_right(&same);
    for (int64_t i = 0; is_open && i < count; ++i) q[i] *= 0.5f;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
