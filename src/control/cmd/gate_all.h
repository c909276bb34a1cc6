// SPDX-License-Identifier: Apache-2.0
#ifndef CONTROL_CMD_GATE_ALL_H
#define CONTROL_CMD_GATE_ALL_H

#include "control/cmd/gate_one.h"

// `gate --all`: every kernel of the manifest that runs on the device against its namesake at the baseline's
// revision, one after the other; then one decision over all of them. Returns the exit code.
int gate_all_run(const struct gate_one *one);

#endif
