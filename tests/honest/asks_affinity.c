// SPDX-License-Identifier: Apache-2.0
//
// Style: asks on which processors it may run, asks to stay on the one that it is on, and puts the former
// set back.
#define _GNU_SOURCE
#include <sched.h>

#include "honest.h"

static int launch(struct honest *h) {
    cpu_set_t before, one;
    const int is_known = sched_getaffinity(0, sizeof before, &before) == 0, here = sched_getcpu();
    CPU_ZERO(&one);
    if (here >= 0) CPU_SET((size_t)here, &one);
    const int is_set = is_known && here >= 0 && sched_setaffinity(0, sizeof one, &one) == 0;
    honest_all(h);
    if (is_set && sched_setaffinity(0, sizeof before, &before))
        return honest_failed(h, "cannot go back to the former processors");
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
