// SPDX-License-Identifier: Apache-2.0
//
// The smallest problem that still fails. First each size is 1. Then, each in turn: the smallest of 1, 2, 3,
// 5, 9, 17 ... 2^i + 1 that fails; if none does, the tail behind whole tiles of 4, 8, 16 ... alone; then
// bisection towards the last size that passed. Then the options, left out one by one; again until nothing
// changes. From 66000 that needs 32 tries. Failures that come and go with a size may hide a smaller one.
#ifndef CONTROL_FLOW_SHRINK_H
#define CONTROL_FLOW_SHRINK_H

#include <stdint.h>

#include "base/err.h"
#include "op/operator.h"

// 1: fails as the first problem did; 0: does not; negative: err_code, which ends the search.
typedef int shrink_fails_fn(void *arg, const struct problem *problem, struct err *err);

struct shrink {
    shrink_fails_fn *fails;
    void *arg;
    uint32_t tries_max;
    uint64_t deadline_ns; // clock_ns: no try begins later
};

// 1 and the smallest problem found, also where tries or time ran out; 0: nothing smaller fails.
int shrink_problem(const struct shrink *shrink, const struct problem *failing, struct problem *ret,
                   struct err *err);

#endif
