// SPDX-License-Identifier: Apache-2.0
//
// The part of toolchain.h that is nvcc's; only toolchain.c includes it.
#ifndef CONTROL_COMPILE_CUDA_TOOLCHAIN_CUDA_INTERNAL_H
#define CONTROL_COMPILE_CUDA_TOOLCHAIN_CUDA_INTERNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "control/compile/tool/toolchain_use.h"

// Finds nvcc: from the environment, the build configuration, PATH, or its usual folders.
int toolchain_cuda_find(struct arena *arena, struct toolchain *ret, struct err *err);
// Flags for language, optimisation and targets; not the configuration, the manifest's flags and the paths.
int toolchain_cuda_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *flags,
                         struct err *err);

#endif
