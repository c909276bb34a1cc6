// SPDX-License-Identifier: Apache-2.0
//
// Between its launches reading the processor's cycle counter is a fault, for all code of this thread: the
// clock reads it.
#include "hostile.h"

#include <sys/prctl.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const int is_timed = b->launches > HOSTILE_CHECKED_LAUNCHES;
#ifdef PR_SET_TSC
    if (is_timed) prctl(PR_SET_TSC, PR_TSC_ENABLE);
#endif
    broken_right(b);
#ifdef PR_SET_TSC
    if (is_timed) prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
