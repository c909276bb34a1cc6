// SPDX-License-Identifier: Apache-2.0
//
// Style: prints a little in each launch, on both standard streams.
#include <stdio.h>

#include "honest.h"

static int launch(struct honest *h) {
    printf("honest: launch %lld\n", (long long)h->launches);
    fprintf(stderr, "%lld.", (long long)h->launches);
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
