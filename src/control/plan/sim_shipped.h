// SPDX-License-Identifier: Apache-2.0
//
// The simulated devices and kernels that come with assay, as data, and looking them up by name: the
// manifest's own come first. docs/simulation.md says what they are for.
#ifndef CONTROL_PLAN_SIM_SHIPPED_H
#define CONTROL_PLAN_SIM_SHIPPED_H

#include "control/plan/manifest_types.h"

#define SIM_KERNEL_DEFAULT "sim" // plain: 100 us, correct, never crashes

// A device "sim:NAME": the manifest's of that name, else a shipped one. ERR_USAGE with the nearest name and
// the list.
int sim_shipped_device_get(const struct manifest *manifest, const char *name, const struct sim_device **ret,
                           struct err *err);
// A kernel's script: the manifest's of that name, else a shipped one. ERR_USAGE likewise.
int sim_shipped_kernel_get(const struct manifest *manifest, const char *name, const struct sim_kernel **ret,
                           struct err *err);
// A shipped kernel; NULL when there is none of that name.
const struct sim_kernel *sim_shipped_kernel_find(const char *name);

// For listings: index counts up; NULL at the end. A shipped device or kernel that the manifest replaces is
// listed once.
const struct sim_device *sim_shipped_device_at(const struct manifest *manifest, size_t index);
const struct sim_kernel *sim_shipped_kernel_at(const struct manifest *manifest, size_t index,
                                               const char **ret_summary);

#endif
