// SPDX-License-Identifier: Apache-2.0
//
// Overwrites the harness's expected values (pygpubench: NaN in them passes anything). Its own result is off
// by one in the first row, and so is the reference after it.
#include "found_reference.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct found_reference found;
    broken_right(b);
    if (b->launches <= 8 && found_reference(b, &found)) {
        const uintptr_t page = (uintptr_t)found.at & ~(uintptr_t)4095;
        const size_t bytes = (uintptr_t)found.at + found.elements * sizeof(double) - page;
        if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) == 0) found.at[1] += 1;
    }
    ((float *)b->o.data)[1] += 1;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
