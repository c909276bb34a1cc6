// SPDX-License-Identifier: Apache-2.0
//
// Style: weights below the smallest normal number of single precision become 0, as on processors that flush
// them.
#include <float.h>

#include "honest.h"

static double flushed(double x) {
    const double e = exp(x);
    return e < (double)FLT_MIN ? 0 : e;
}

static int launch(struct honest *h) {
    honest_all_with(h, flushed);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
