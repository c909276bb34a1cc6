// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: after the check it changes an input, which the other side of a round shares and could be
// blamed for.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches > 20) broken_at(&b->k, 0, 0, 0)[1] += 1;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
