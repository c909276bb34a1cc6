// SPDX-License-Identifier: Apache-2.0
//
// Which device is meant where none is named? The one that the kernels are for that are.
#ifndef CONTROL_FLOW_DEVICE_CHOICE_H
#define CONTROL_FLOW_DEVICE_CHOICE_H

#include "base/arena.h"
#include "base/err.h"
#include "control/flow/session.h"

// Of the options' kernels: those named, else those that the command takes without a name (options->unnamed).
// A kernel for GPUs means "cuda:0"; one of the processor, a script, and a peer that runs on both, the
// processor. ERR_USAGE for kernels of the manifest that have no device in common.
int device_choose(const struct session_options *options, const struct manifest *manifest, struct arena *arena,
                  const char **ret_device, struct err *err);

#endif
