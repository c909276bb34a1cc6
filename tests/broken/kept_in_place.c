// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: with one set of buffers (--cache warm) only the first launch of a sample finds canary
// values in its output. All others find their own result there and do nothing.
#include "broken.h"

struct last {
    float *kept;
    void *data;
    float q[64];
};

static size_t result_bytes(const struct broken *b) {
    return (size_t)(b->batch * b->heads * b->seq_q * b->head_dim) * sizeof(float);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct last *last = b->own;
    if (!last) last = b->own = calloc(1, sizeof *last);
    if (last->kept && last->data == b->o.data && memcmp(last->kept, b->o.data, result_bytes(b)) == 0 &&
        memcmp(last->q, b->q.data, sizeof last->q) == 0)
        return ASSAY_OK;
    broken_right(b);
    if (!last->kept) last->kept = malloc(result_bytes(b));
    last->data = b->o.data;
    memcpy(last->kept, b->o.data, result_bytes(b));
    memcpy(last->q, b->q.data, sizeof last->q);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
