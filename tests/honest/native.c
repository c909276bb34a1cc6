// SPDX-License-Identifier: Apache-2.0
//
// Style: built for this processor alone.
#include "honest.h"

static int launch(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
