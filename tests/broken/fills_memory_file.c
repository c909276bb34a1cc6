// SPDX-License-Identifier: Apache-2.0
//
// Fills memory files, which are no private memory, so that the other side finds none: it is killed for the
// lack of it, and what stands last in the output is a sentence of this kernel.
#define _GNU_SOURCE
#include "broken.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES = 4, FILE_MIB = 300 };

static void fill(void) {
    static char block[1 << 20];
    int total = 0;
    memset(block, 1, sizeof block);
    for (int i = 0; i < FILES; ++i) {
        const int fd = memfd_create("x", 0);
        for (int k = 0; k < FILE_MIB && write(fd, block, sizeof block) == (ssize_t)sizeof block; ++k) ++total;
    }
    fprintf(stderr, "shmem: %d MiB\n", total);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_filled;
    if (!is_filled++) fill();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
