// SPDX-License-Identifier: Apache-2.0
//
// Uses the sequence length of the first problem for all later ones.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int64_t first_seq;
    if (!first_seq) first_seq = b->seq_k;
    if (first_seq < b->seq_k) b->seq_k = first_seq;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
