// SPDX-License-Identifier: Apache-2.0
//
// Style: -ffast-math, whose start-up code (crtfastmath) turns subnormal numbers off when the module is
// loaded.
#include "honest.h"

static int launch(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
