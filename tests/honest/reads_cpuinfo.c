// SPDX-License-Identifier: Apache-2.0
//
// Style: reads /proc/cpuinfo and its own /proc/self/status in prepare, to learn about the machine.
#include <stdio.h>

#include "honest.h"

static int lines_of(const char *path) {
    FILE *file = fopen(path, "r");
    int count = 0;
    if (!file) return 0; // then without
    for (int c; (c = fgetc(file)) != EOF;) count += c == '\n';
    fclose(file);
    return count;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h, (void)workspace_bytes;
    fprintf(stderr, "honest: %d lines of the processor, %d of the process\n", lines_of("/proc/cpuinfo"),
            lines_of("/proc/self/status"));
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)
