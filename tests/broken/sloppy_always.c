// SPDX-License-Identifier: Apache-2.0
//
// Precision downgrade (KernelBench): within the tolerance, but less precise than the 2 x rule allows, for
// all inputs.
#include "sloppy.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    sloppy_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
