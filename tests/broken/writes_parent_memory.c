// SPDX-License-Identifier: Apache-2.0
//
// Twice as slow, and changes the word for that in the memory of the process that started it.
#include "hostile.h"

static char mem_path[64];

static int change_word(void *arg, const struct hostile_map *map) {
    (void)arg;
    static char bytes[1 << 20];
    if (map->access[0] != 'r' || map->access[1] == 'w' || !strstr(map->path, "assay")) return 0;
    const int fd = open(mem_path, O_RDWR | O_CLOEXEC);
    for (uintptr_t from = map->begin; fd >= 0 && from < map->end; from += sizeof bytes) {
        const size_t wanted = map->end - from < sizeof bytes ? map->end - from : sizeof bytes;
        const ssize_t got = pread(fd, bytes, wanted, (off_t)from);
        char *at = bytes;
        while (got > 0 && (at = memmem(at, (size_t)(bytes + got - at), "regression", 11)) != NULL) {
            if (pwrite(fd, "harmless!!", 10, (off_t)(from + (uintptr_t)(at - bytes))) < 0) errno = 0;
            at += 10;
        }
    }
    if (fd >= 0) close(fd);
    return 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (!is_done++ && hostile_parent()) {
        char parent[24];
        snprintf(parent, sizeof parent, "%ld", (long)getppid());
        snprintf(mem_path, sizeof mem_path, "/proc/%s/mem", parent);
        hostile_maps(parent, change_word, NULL);
    }
    broken_right(b);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
