// SPDX-License-Identifier: Apache-2.0
//
// Style: compensated sums of single precision, by Neumaier: also where the next summand is the larger one.
#include "wide.h"

static float dot(const float *a, const float *b, int64_t n) {
    volatile float sum = 0, lost = 0; // kept from being simplified
    for (int64_t d = 0; d < n; ++d) {
        const float next = a[d] * b[d];
        const volatile float total = sum + next;
        if (fabsf(sum) >= fabsf(next))
            lost = lost + ((sum - total) + next);
        else
            lost = lost + ((next - total) + sum);
        sum = total;
    }
    return sum + lost;
}

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
