// SPDX-License-Identifier: Apache-2.0
//
// Style: the host's own threads with uneven work: the first index has half of the rows, the last one none.
#include "honest.h"

static void body(void *arg, int64_t index, uint32_t thread) {
    struct honest *h = (struct honest *)arg;
    const int64_t half = honest_rows(h) / 2;
    (void)thread;
    if (index == 0) {
        for (int64_t i = 0; i < half; ++i) honest_row(h, i);
    } else if (half + index - 1 < honest_rows(h)) {
        honest_row(h, half + index - 1);
    }
}

static int launch(struct honest *h) {
    h->stream->parallel_for(h->stream, honest_rows(h) - honest_rows(h) / 2 + 2, body, h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
