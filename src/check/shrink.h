// SPDX-License-Identifier: Apache-2.0
//
// A smaller problem that fails the same way: what a person wants to debug. Tries the operator's suggestions, smallest
// first as the operator orders them, takes the first that fails with the same finding, and goes on from there.
#ifndef CHECK_SHRINK_H
#define CHECK_SHRINK_H

#include "backend/backend.h"
#include "op/operator.h"
#include "record/outcome.h"

#include <stdint.h>

struct shrink_request {
    struct device *device;
    const struct assay_kernel *kernel;
    const struct problem *problem;
    const char *family;
    enum placement placement;
    uint64_t seed;
    uint32_t repeat_count;
    enum finding finding; // what must be found again
    uint32_t try_max;
    uint64_t deadline_ns; // clock_ns; no new try after it
};

// 1 and *ret when there is a smaller one, 0 when there is none, negative for an error. A kernel that crashes on a smaller
// problem takes the worker with it, as it does on any.
int shrink_run(const struct shrink_request *request, struct problem *ret);

#endif
