// SPDX-License-Identifier: Apache-2.0
//
// Style: compiled when it is linked.
#include "honest.h"

static int launch(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
