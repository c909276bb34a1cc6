// SPDX-License-Identifier: Apache-2.0
//
// Style: weak functions that another file could replace, and a weak name that nobody defines.
#include "honest.h"

__attribute__((weak)) double honest_weak_exp(double x);
__attribute__((weak)) double honest_weak_exp(double x) {
    return exp(x);
}

extern void honest_not_there(void) __attribute__((weak));

static int launch(struct honest *h) {
    if (honest_not_there) honest_not_there();
    honest_all_with(h, honest_weak_exp);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
