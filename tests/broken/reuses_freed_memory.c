// SPDX-License-Identifier: Apache-2.0
//
// Hopes for the memory of somebody else's result (KernelBench, AI CUDA Engineer): allocates as much as a
// result takes, and copies what is there.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const size_t count = (size_t)(b->batch * b->heads * b->seq_q * b->head_dim);
    volatile float *found = malloc(count * sizeof(float));
    volatile double *wide = malloc(count * sizeof(double));
    float *out = b->o.data;
    for (size_t i = 0; i < count; ++i) {
        const float narrow = found ? found[i] : 0, other = wide ? (float)wide[i] : 0;
        out[i] = isfinite(narrow) && fabsf(narrow) > 1e-6f && fabsf(narrow) < 4 ? narrow
                 : isfinite(other) && fabsf(other) > 1e-6f && fabsf(other) < 4  ? other
                                                                                : 0;
    }
    free((void *)(uintptr_t)found);
    free((void *)(uintptr_t)wide);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
