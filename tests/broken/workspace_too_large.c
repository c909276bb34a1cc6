// SPDX-License-Identifier: Apache-2.0
//
// Asks for a quarter more workspace than the machine has memory. Whoever fills it brings the machine down.
#define BROKEN_WORKSPACE ((size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4 * 5)
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
