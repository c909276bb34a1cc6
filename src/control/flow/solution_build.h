// SPDX-License-Identifier: Apache-2.0
//
// A solution of a set in C++ or CUDA that PyTorch binds: an extension module, which is built in the sandbox
// with the flags of that PyTorch and kept in the cache.
#ifndef CONTROL_FLOW_SOLUTION_BUILD_H
#define CONTROL_FLOW_SOLUTION_BUILD_H

#include "control/plan/dataset/dataset.h"
#include "control/plan/manifest/manifest.h"

// Builds it and makes solution->kernel the function in it, as one in Python. ERR_UNAVAILABLE: what it needs
// is not installed. ERR_BUILD with the compiler's words.
int solution_build(const struct manifest *manifest, struct arena *arena, struct dataset_kernel *solution,
                   struct err *err);

#endif
