// SPDX-License-Identifier: Apache-2.0
//
// Precision downgrade (KernelBench): sums and weights are kept with the eleven bits of fp16.
#include "broken.h"

static float half(double x) {
    union {
        float value;
        uint32_t bits;
    } number = {(float)x};
    number.bits = (number.bits + 0x0fff + (number.bits >> 13 & 1)) & ~0x1fffu;
    return number.value;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row) {
                float *out = broken_at(&b->o, batch, head, row);
                for (int64_t d = 0; d < b->head_dim; ++d) out[d] = half(out[d]);
            }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
