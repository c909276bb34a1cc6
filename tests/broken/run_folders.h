// SPDX-License-Identifier: Apache-2.0
//
// The folders of runs in the project that this process was started in.
#ifndef RUN_FOLDERS_H
#define RUN_FOLDERS_H

#include "hostile.h"

#include <dirent.h>

static UNUSED void run_folders(void (*visit)(const char *folder)) {
    char path[512], run[800];
    const char *project = hostile_project();
    if (!project) return;
    snprintf(path, sizeof path, "%s/runs", project);
    DIR *runs = opendir(path);
    const struct dirent *entry;
    while (runs && (entry = readdir(runs)) != NULL) {
        if (*entry->d_name == '.') continue;
        snprintf(run, sizeof run, "%s/%s", path, entry->d_name);
        visit(run);
    }
    if (runs) closedir(runs);
}

#endif
