// SPDX-License-Identifier: Apache-2.0
//
// Its inputs are shared with the other side, for reading only: it opens the memory behind them again, for
// writing (/proc/self/fd, /proc/self/map_files, /proc/self/mem), and changes a key.
#include "pages_of_tensor.h"

#include <dirent.h>

static void write_by_path(const char *path, off_t at) {
    const float wrong = 3;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    if (pwrite(fd, &wrong, sizeof wrong, at) < 0) errno = 0;
    close(fd);
}

static int write_map_file(void *arg, const struct hostile_map *map) {
    const uintptr_t at = (uintptr_t)arg;
    char path[128];
    if (at < map->begin || at >= map->end) return 0;
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", (unsigned long)map->begin,
             (unsigned long)map->end);
    write_by_path(path, (off_t)(at - map->begin));
    return 1;
}

static void write_descriptors(const char *data) {
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    char link[64], path[256];
    while (folder && (entry = readdir(folder)) != NULL) {
        snprintf(link, sizeof link, "/proc/self/fd/%.16s", entry->d_name);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        if (length <= 0) continue;
        path[length] = 0;
        if (strstr(path, "memfd:") && !strstr(path, "memfd:out"))
            write_by_path(link, (off_t)((uintptr_t)data & 4095));
    }
    if (folder) closedir(folder);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches != HOSTILE_CHECKED_LAUNCHES) return ASSAY_OK;
    const struct pages pages = pages_of_tensor(&b->k);
    if (mprotect(pages.begin, pages.bytes, PROT_READ | PROT_WRITE) == 0) *(float *)b->k.data = 3;
    write_by_path("/proc/self/mem", (off_t)(uintptr_t)b->k.data);
    hostile_maps("self", write_map_file, b->k.data);
    write_descriptors(b->k.data);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
