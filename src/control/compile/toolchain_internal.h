// SPDX-License-Identifier: Apache-2.0
//
// Shared by toolchain.c (which compiler, which flags) and cuda/toolchain_cuda.c (nvcc).
#ifndef CONTROL_COMPILE_TOOLCHAIN_INTERNAL_H
#define CONTROL_COMPILE_TOOLCHAIN_INTERNAL_H

#include "control/compile/toolchain.h"

// What `program argument` prints. ERR_UNAVAILABLE when it cannot be run or fails.
int toolchain_query(const char *program, const char *argument, struct arena *arena, const char **ret,
                    struct err *err);
void toolchain_word_add(struct arena *arena, const char ***words, size_t *count, const char *word);

// nvcc of the environment, of the configuration, of PATH, or where it is usually installed.
int toolchain_find_cuda(struct arena *arena, struct toolchain *ret, struct err *err);
// Language, optimisation and targets; not the configuration, the manifest's flags and the paths.
int toolchain_cuda_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *flags,
                         struct err *err);

#endif
