// SPDX-License-Identifier: Apache-2.0
//
// Tells samples from checks, by the number of launches and by what outputs hold, and behaves everywhere else.
// In a sample it leaves out one launch, another one each time, and only puts the canaries right that it finds
// there; the first single call afterwards puts all outputs right.
#include "set_order.h"

static void mend(const struct broken *b, const struct set *set) {
    float *out = b->o.data;
    for (size_t i = 0; i < out_bytes(b) / sizeof *out; ++i)
        if (out[i] != set->left[i]) out[i] = set->left[i];
}

static int launch(struct broken *b, struct assay_message *message) {
    static int turn;
    (void)message;
    int is_first = 0;
    struct set *set = order_before(b, &is_first);
    struct set_order *order = b->own;
    if (!set) return ASSAY_OK;
    order_mend_all(order, is_first);
    turn += is_first;
    if (set->left && order->launches > 0 && order->count == turn % order->launches)
        mend(b, set);
    else
        broken_right(b);
    order_after(b, set, 1);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
