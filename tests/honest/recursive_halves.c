// SPDX-License-Identifier: Apache-2.0
//
// Style: halves the rows until few are left, by calls of itself.
#include "honest.h"

static void rows(struct honest *h, int64_t first, int64_t end) {
    if (end - first > 3) {
        rows(h, first + (end - first) / 2, end);
        rows(h, first, first + (end - first) / 2);
        return;
    }
    for (int64_t i = first; i < end; ++i) honest_row(h, i);
}

static int launch(struct honest *h) {
    rows(h, 0, honest_rows(h));
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
