// SPDX-License-Identifier: Apache-2.0
//
// `assay list --dataset DIR`: the definitions of a set, and which of them are operators.
#ifndef CONTROL_CMD_LIST_DATASET_H
#define CONTROL_CMD_LIST_DATASET_H

#include "control/cmd/command.h"

// Prints them; the exit code, or the error.
int list_dataset(const struct cmd_options *options, struct err *err);

#endif
