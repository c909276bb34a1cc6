// SPDX-License-Identifier: Apache-2.0
//
// Every subcommand, one line each, in the order of `assay --help`. A new command is its file, this line and
// its page.
#include "control/cmd/command.h"
#include "control/cmd/commands.h"

// clang-format off
const struct command *const command_table[] = {
    &command_list,
    &command_fuzz,
    &command_bench,
    &command_gate,
    &command_compare,
    &command_build,
    &command_run,
    &command_baseline,
    &command_calibrate,
    &command_devices,
    &command_report,
    &command_init,
    &command_worker,
    NULL,
};
// clang-format on
