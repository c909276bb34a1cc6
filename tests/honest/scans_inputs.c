// SPDX-License-Identifier: Apache-2.0
//
// Style: looks through all inputs first, and takes another way when they are not all finite. Both ways
// are right.
#include "honest.h"

static int is_finite(const struct assay_tensor *t) {
    for (int64_t b = 0; b < t->shape[0]; ++b)
        for (int64_t n = 0; n < t->shape[1]; ++n)
            for (int64_t r = 0; r < t->shape[2]; ++r) {
                const float *row = honest_at(t, b, n, r);
                for (int64_t d = 0; d < t->shape[3]; ++d)
                    if (!isfinite(row[d])) return 0;
            }
    return 1;
}

static int launch(struct honest *h) {
    if (is_finite(&h->q) && is_finite(&h->k) && is_finite(&h->v)) {
        honest_rows_by(h, 0, 2);
        honest_rows_by(h, 1, 2);
    } else {
        honest_all(h);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
