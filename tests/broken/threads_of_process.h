// SPDX-License-Identifier: Apache-2.0
//
// Every thread of this process, whoever started it.
#ifndef THREADS_OF_PROCESS_H
#define THREADS_OF_PROCESS_H

#include "hostile.h"

#include <dirent.h>

static UNUSED void threads_of_process(void (*visit)(pid_t thread)) {
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL)
        if (*entry->d_name != '.') visit((pid_t)strtol(entry->d_name, NULL, 10));
    if (folder) closedir(folder);
}

#endif
