// SPDX-License-Identifier: Apache-2.0
//
// Leaves the traps of floating-point exceptions on: the first inexact sum of whoever computes next in this
// thread is a signal. Its own launches turn them off first.
#include "hostile.h"

#include <fenv.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    fenv_t usual;
    feholdexcept(&usual);
    broken_right(b);
    fesetenv(&usual);
    feclearexcept(FE_ALL_EXCEPT);
#if defined(__GLIBC__)
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) feenableexcept(FE_INEXACT | FE_UNDERFLOW);
#endif
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
