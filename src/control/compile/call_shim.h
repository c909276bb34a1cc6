// SPDX-License-Identifier: Apache-2.0
//
// A module of kernel.h around a function that exists (control/plan/call.h): the function's author includes
// nothing of assay. It is C and C++ text, compiled beside the function's source, or against its library.
#ifndef CONTROL_COMPILE_CALL_SHIM_H
#define CONTROL_COMPILE_CALL_SHIM_H

#include "base/arena.h"
#include "control/plan/manifest_types.h"

#define SHIM_LAUNCH "assay_call_launch" // in it the function is called

// settings: what the function is built with; the kernel declares them.
const char *call_shim_text(const struct manifest_kernel *kernel, const struct manifest_setting *settings,
                           size_t setting_count, struct arena *arena);

#endif
