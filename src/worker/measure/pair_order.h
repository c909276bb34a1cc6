// SPDX-License-Identifier: Apache-2.0
//
// The order of samples: of four in a row, A B B A or B A A B, as drawn. Drift affects both sides alike, and
// what disturbs every fourth sample (a timer's tick, a daemon) does not meet the same side each time, as
// it would if all quadruples were alike; nor does a kernel know which sample is next.
#ifndef WORKER_MEASURE_PAIR_ORDER_H
#define WORKER_MEASURE_PAIR_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dice.h"

struct pair_order {
    struct dice dice;
    bool begins_reversed; // the quadruple that is being taken
};

// Dice of its own from those of the case.
struct pair_order pair_order_make(const struct dice *dice);

// Whether the last side comes first in that pair. Asked for pair 0, 1, 2 and so on.
bool pair_order_is_reversed(struct pair_order *order, uint32_t pair);

#endif
