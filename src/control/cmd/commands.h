// SPDX-License-Identifier: Apache-2.0
//
// The commands' entries, for command_table.c.
#ifndef CONTROL_CMD_COMMANDS_H
#define CONTROL_CMD_COMMANDS_H

#include "control/cmd/command.h"

extern const struct command command_list, command_fuzz, command_bench, command_gate, command_compare,
    command_build, command_run, command_baseline, command_devices, command_report, command_init,
    command_worker, command_calibrate;

#endif
