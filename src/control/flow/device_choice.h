// SPDX-License-Identifier: Apache-2.0
//
// The device and target where the command line names none: the device that the named kernels run on, the
// target of that device.
#ifndef CONTROL_FLOW_DEVICE_CHOICE_H
#define CONTROL_FLOW_DEVICE_CHOICE_H

#include "base/arena.h"
#include "base/err.h"
#include "control/flow/session_options.h"
#include "control/plan/manifest/manifest.h"

// The default device for the options' kernels: those named, else those that the command uses without a name
// (options->unnamed). "cuda:0" for a GPU kernel, "cpu" for a processor kernel, a script, and a peer that runs
// on both. ERR_USAGE for kernels of the manifest that have no device in common.
int device_choose(const struct session_options *options, const struct manifest *manifest, struct arena *arena,
                  const char **ret_device, struct err *err);

// *ret: the GPU target for the device that "cuda", "cuda:0" or "GPU-..." names; NULL: the device does not
// report one. ERR_USAGE: no such name, or an ambiguous one; ERR_UNAVAILABLE: the device is not there.
int device_target(const char *device, struct arena *arena, const char **ret, struct err *err);

#endif
