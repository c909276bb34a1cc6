// SPDX-License-Identifier: Apache-2.0
//
// Stops the other processes of the one that started it: the other side's, and whatever looks after the
// clocks.
#include "hostile.h"

#include <dirent.h>

static void stop_siblings(void) {
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        char path[64], text[512] = "";
        long parent = 0;
        if (pid <= 1 || pid == getpid()) continue;
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
        FILE *file = fopen(path, "re");
        if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
            sscanf(strrchr(text, ')') + 1, " %*c %ld", &parent);
        if (file) fclose(file);
        if (parent > 1 && parent == (long)hostile_parent()) kill(pid, SIGSTOP);
    }
    if (folder) closedir(folder);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES && hostile_parent()) stop_siblings();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
