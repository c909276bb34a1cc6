// SPDX-License-Identifier: Apache-2.0
//
// Allocates 3 GB in every launch, touches some of it and frees it.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const size_t bytes = (size_t)3 << 30;
    volatile char *memory = malloc(bytes);
    for (size_t i = 0; memory && i < bytes; i += bytes / 8) memory[i] = 1;
    broken_right(b);
    free((void *)(uintptr_t)memory);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
