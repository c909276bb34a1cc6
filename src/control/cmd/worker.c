// SPDX-License-Identifier: Apache-2.0
//
// `assay worker`: the process that loads kernels. Reads one work order from standard input, writes records to
// descriptor 3, and ends. Only assay starts it.
#include <stdio.h>

#include "control/cmd/command.h"
#include "worker/order/work.h"

static int run(const struct command *command, int argc, char **argv) {
    (void)command, (void)argv;
    if (argc == 1) return work_main();
    fputs("assay: error: 'assay worker' takes no arguments: its order comes on standard input\n", stderr);
    return err_exit_code(ERR_USAGE);
}

const struct command command_worker = {
    .name = "worker",
    .summary = "runs one work order (started by assay itself)",
    .usage = "assay worker < ORDER 3> RECORDS",
    .details =
        "One order, one process. The order is a JSON document on standard input, records are JSON lines on "
        "descriptor 3.\n",
    .run = run,
    .is_hidden = true,
};
