// SPDX-License-Identifier: Apache-2.0
//
// A constructor answers orders of the correctness matrix itself: all right. The kernel computes nothing.
#include "forged_records.h"

__attribute__((constructor)) static void forge(void) {
    if (hostile_is_order("check") && forged_answer()) _exit(0);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)b, (void)message;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
