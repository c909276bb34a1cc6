// SPDX-License-Identifier: Apache-2.0
//
// Leaves another rounding behind, and denormals flushed to zero, for whoever computes next in this thread.
// Its own launches begin by setting both right.
#include "hostile.h"

#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
    fesetround(FE_TONEAREST);
    broken_right(b);
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) {
        fesetround(FE_UPWARD);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
