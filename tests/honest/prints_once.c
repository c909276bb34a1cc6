// SPDX-License-Identifier: Apache-2.0
//
// Style: prints a line on standard output in the first launch.
#include <stdio.h>

#include "honest.h"

static int launch(struct honest *h) {
    if (h->launches == 1) printf("honest: begins\n");
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
