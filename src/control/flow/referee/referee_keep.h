// SPDX-License-Identifier: Apache-2.0
//
// What the referee keeps between candidates, in the cache: references of the problems that it asks for, and
// whether an operator's checks say anything. Inputs of checks are drawn from a few seeds that nobody knows;
// each hour has seeds of its own, and the references of the hour before the last are removed.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_KEEP_H
#define CONTROL_FLOW_REFEREE_REFEREE_KEEP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/plan.h"

struct referee_keep {
    const char *reference_dir; // NULL: nothing is kept, because there is too much already
    uint64_t seed;             // of a candidate's inputs, drawn from the pool
};

int referee_keep_open(struct arena *arena, struct referee_keep *ret, struct err *err);

// Whether the checks of this plan's operator were found to be worth something before, under the same
// declaration, reference and tolerance. Others than declared operators always are.
bool referee_keep_is_judged(const struct plan *plan);
void referee_keep_add_judged(const struct plan *plan);

#endif
