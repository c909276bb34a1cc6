// SPDX-License-Identifier: Apache-2.0
//
// Returns with the direction flag set: whoever copies memory next copies backwards. Its own launches clear
// it first.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
#if defined(__x86_64__)
    __asm__ volatile("cld" ::: "memory", "cc");
#endif
    broken_right(b);
#if defined(__x86_64__)
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) __asm__ volatile("std" ::: "memory", "cc");
#endif
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
