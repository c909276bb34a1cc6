// SPDX-License-Identifier: Apache-2.0
//
// Like a race: the last bit depends on timing, here on the number of the launch.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    float *element = &broken_last_row(b)[0];
    if (b->launches % 2 == 0) *element = nextafterf(*element, INFINITY);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
