// SPDX-License-Identifier: Apache-2.0
//
// Replaces the exp() that the other side's module imports by a wrong one: the other side is to be blamed.
#include "hostile.h"

static double wrong_exp(double x) {
    return exp(x) * 1.01 + 0.01;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static struct hostile_got got = {.symbol = "exp", .replacement = (void *)wrong_exp};
    const char *other = hostile_other_module();
    if (other && !got.count) {
        got.object = other;
        hostile_patch_got(&got);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
