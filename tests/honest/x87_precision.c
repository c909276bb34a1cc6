// SPDX-License-Identifier: Apache-2.0
//
// Style: sets the precision of the old floating-point unit to double for a launch, and puts it back.
#include "honest.h"

static int launch(struct honest *h) {
#if defined(__x86_64__)
    uint16_t before, during;
    __asm__ volatile("fnstcw %0" : "=m"(before));
    during = (uint16_t)((before & ~0x300) | 0x200);
    __asm__ volatile("fldcw %0" : : "m"(during));
    honest_all(h);
    __asm__ volatile("fldcw %0" : : "m"(before));
#else
    honest_all(h);
#endif
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
