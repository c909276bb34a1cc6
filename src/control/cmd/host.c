// SPDX-License-Identifier: Apache-2.0
//
// `assay host`: the process that a kernel under test runs in. Only the judge starts it.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "control/cmd/command.h"
#include "worker/host/host_main.h"
#include "worker/host/host_process.h"

static int run(const struct command *command, int argc, char **argv) {
    (void)command, (void)argv;
    if (argc == 1 && fcntl(HOST_CHANNEL_FD, F_GETFD) >= 0) return host_main(NULL);
    fputs("assay: error: 'assay host' is started by assay itself, with a channel at descriptor 3\n", stderr);
    return err_exit_code(ERR_USAGE);
}

const struct command command_host = {
    .name = "host",
    .summary = "runs one kernel for the judge (started by assay itself)",
    .usage = "assay host 3<> CHANNEL",
    .details = "The judge checks and times a kernel; the host is the process that the kernel runs in.\n",
    .run = run,
    .is_hidden = true,
};
