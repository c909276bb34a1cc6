// SPDX-License-Identifier: Apache-2.0
//
// State drift (llm.c #851): right for the launches that a check makes before the measurement; then an error
// that grows with every launch.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches > 40) *(float *)b->o.data += 1e-4f * (float)(b->launches - 40);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
