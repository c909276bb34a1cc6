// SPDX-License-Identifier: Apache-2.0
//
// Style: the host's own threads, a row an index.
#include "honest.h"

static void body(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    honest_row((struct honest *)arg, index);
}

static int launch(struct honest *h) {
    h->stream->parallel_for(h->stream, honest_rows(h), body, h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
