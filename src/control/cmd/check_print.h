// SPDX-License-Identifier: Apache-2.0
//
// Prints the line of a check as soon as its case is done: fuzz and gate.
#ifndef CONTROL_CMD_CHECK_PRINT_H
#define CONTROL_CMD_CHECK_PRINT_H

#include "base/progress.h"
#include "control/cmd/command.h"
#include "record/result.h"

struct check_print {
    const struct cmd_options *options;
    struct progress *progress; // hidden while the line is printed
    bool checks_all;           // every side goes through the matrix: lines name theirs
};

// An on_check callback (control/flow/run_folder.h); arg is a struct check_print. Silent with --json and
// --quiet.
void check_print_line(void *arg, const struct result *result, uint32_t case_index, uint32_t side);

#endif
