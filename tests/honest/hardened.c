// SPDX-License-Identifier: Apache-2.0
//
// Style: stack protectors everywhere, checked copies, all names bound when loading.
#include "honest.h"

static int launch(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
