// SPDX-License-Identifier: Apache-2.0
//
// Replaces the exp() that the other side's module imports by one that takes longer.
#include "hostile.h"

static double slow_exp(double x) {
    volatile double y = x;
    for (int i = 0; i < 8; ++i) y += 1e-300;
    return exp(y);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static struct hostile_got got = {.symbol = "exp", .replacement = (void *)slow_exp};
    const char *other = hostile_other_module();
    if (other && !got.count) {
        got.object = other;
        hostile_patch_got(&got);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
