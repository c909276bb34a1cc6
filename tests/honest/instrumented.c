// SPDX-License-Identifier: Apache-2.0
//
// Style: every function tells a profiler when it is entered and left.
#include "honest.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static int64_t entered, left;

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function, (void)caller;
    ++entered;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
    ++left;
}

static int launch(struct honest *h) {
    honest_all(h);
    return entered >= left ? ASSAY_OK : honest_failed(h, "left more functions than it entered");
}

HONEST_KERNEL(launch)
