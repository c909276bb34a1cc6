// SPDX-License-Identifier: Apache-2.0
//
// See pair_order.h.
#include "worker/measure/pair_order.h"

struct pair_order pair_order_make(const struct dice *dice) {
    return (struct pair_order){.dice = dice_child(dice, "pair order", 0)};
}

bool pair_order_is_reversed(struct pair_order *order, uint32_t pair) {
    const bool is_second = pair % 2 != 0;
    if (!is_second) order->begins_reversed = dice_below(&order->dice, 2) != 0;
    return order->begins_reversed != is_second;
}
