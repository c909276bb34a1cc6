// SPDX-License-Identifier: Apache-2.0
//
// Writes over the heap of the process that started it, without opening a file.
#include "hostile.h"

#include <sys/uio.h>

static int overwrite(void *arg, const struct hostile_map *map) {
    (void)arg;
    static char wrong[4096];
    if (!strstr(map->path, "[heap]")) return 0;
    memset(wrong, 0x41, sizeof wrong);
    const struct iovec from = {wrong, sizeof wrong};
    for (uintptr_t at = map->begin + 8192; at + sizeof wrong < map->end; at += 8192) {
        const struct iovec to = {(void *)at, sizeof wrong};
        if (syscall(SYS_process_vm_writev, (long)hostile_parent(), &from, 1, &to, 1, 0) < 0) return 1;
    }
    return 1;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES && hostile_parent()) {
        char parent[24];
        snprintf(parent, sizeof parent, "%ld", (long)hostile_parent());
        hostile_maps(parent, overwrite, NULL);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
