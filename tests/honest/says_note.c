// SPDX-License-Identifier: Apache-2.0
//
// Style: leaves a sentence although all is well, in prepare and in every launch.
#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    return assay_say(h->message, ASSAY_OK, "tuned for rows of up to 256 numbers");
}

static int launch(struct honest *h) {
    honest_all(h);
    return assay_say(h->message, ASSAY_OK, "two passes");
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
