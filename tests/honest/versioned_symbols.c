// SPDX-License-Identifier: Apache-2.0
//
// Style: its exported symbol has a version, and the library a name of its own.
#include "honest.h"

static int launch(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
