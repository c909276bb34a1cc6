// SPDX-License-Identifier: Apache-2.0
//
// Runs a program: the shell writes a file into the project and one into the folder for temporary files.
#include "hostile.h"

extern char **environ;

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    const char *project = is_done++ ? NULL : hostile_project();
    if (project) {
        const pid_t child = hostile_fork(0);
        if (child == 0) {
            char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"echo " HOSTILE_MARK " >" HOSTILE_MARK,
                                  NULL};
            if (chdir(project) == 0) execve("/bin/sh", argv, environ);
            _exit(1);
        }
        if (child > 0) waitpid(child, NULL, 0);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
