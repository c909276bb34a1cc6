// SPDX-License-Identifier: Apache-2.0
//
// The last element is off by a half.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    broken_last_row(b)[b->head_dim - 1] += 0.5f;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
