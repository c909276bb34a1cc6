// SPDX-License-Identifier: Apache-2.0
//
// A folder for the processes that one worker starts, gone when the worker is. What a killed assay has left is
// removed when the next one opens a folder: a lock, which ends with its holder, tells it from one in use.
#ifndef CONTROL_EXEC_SCRATCH_FOLDER_H
#define CONTROL_EXEC_SCRATCH_FOLDER_H

#include "base/err.h"

struct scratch_folder {
    char *path; // NULL: none
    int fd;     // holds the lock
};

// In $TMPDIR, or /tmp.
int scratch_folder_open(struct scratch_folder *ret, struct err *err);
void scratch_folder_close(struct scratch_folder *folder); // accepts a zeroed one

#endif
