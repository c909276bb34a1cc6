// SPDX-License-Identifier: Apache-2.0
//
// Style: prepare tries something in a process of its own, as compilers of kernels do, and waits for its
// end.
#include <sys/wait.h>
#include <unistd.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    int status = 0;
    const pid_t child = fork();
    if (child < 0) return honest_failed(h, "no process");
    if (child == 0) _exit(7);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        return honest_failed(h, "the trial's process is lost");
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)
