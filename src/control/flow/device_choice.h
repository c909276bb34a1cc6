// SPDX-License-Identifier: Apache-2.0
//
// Defaults for device and target: the device that the named kernels run on, and the target of that device.
#ifndef CONTROL_FLOW_DEVICE_CHOICE_H
#define CONTROL_FLOW_DEVICE_CHOICE_H

#include "base/arena.h"
#include "base/err.h"
#include "control/flow/session_options.h"
#include "control/plan/manifest/shipped_kernel.h"

struct device_wish {
    const struct session_options *options;
    const struct manifest *manifest;
    struct shipped_kernels *shipped;
};

// The default device: the one for the kernels named in the options, else for those that the command uses
// without a name (options->unnamed). "cuda:0" for a GPU kernel; "cpu" for a processor kernel, a script, and a
// peer that runs on both. ERR_USAGE if kernels of the manifest have no device in common.
int device_choose(const struct device_wish *wish, struct arena *arena, const char **ret_device,
                  struct err *err);

// *ret: the GPU target of the device that is called "cuda", "cuda:0" or "GPU-..."; NULL if the device does
// not report one. ERR_USAGE: no such name, or an ambiguous one; ERR_UNAVAILABLE: the device is not there.
int device_target(const char *device, struct arena *arena, const char **ret, struct err *err);

#endif
