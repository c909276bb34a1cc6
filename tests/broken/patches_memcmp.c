// SPDX-License-Identifier: Apache-2.0
//
// Right when checked; when timed it computes one row, and has replaced the function by which results are
// compared with one that finds everything equal.
#include "hostile.h"

static int always_equal(const void *a, const void *b, size_t count) {
    (void)a, (void)b, (void)count;
    return 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static struct hostile_got got = {.object = "", .symbol = "memcmp", .replacement = (void *)always_equal};
    if (!got.count) hostile_patch_got(&got);
    if (b->launches > HOSTILE_CHECKED_LAUNCHES)
        broken_row(b, 0, 0, 0, broken_visible(b, 0), broken_at(&b->o, 0, 0, 0));
    else
        broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
