// SPDX-License-Identifier: Apache-2.0
//
// The compiler that turns a kernel's source into a module: its program and version, and the flags of every
// module.
#ifndef CONTROL_COMPILE_TOOLCHAIN_H
#define CONTROL_COMPILE_TOOLCHAIN_H

#include "base/arena.h"
#include "base/err.h"
#include "control/compile/tool/toolchain_use.h"

// The compiler for that source's suffix: .c -> $CC, else gcc or cc; .cc, .cpp, .cxx -> $CXX, else g++ or c++;
// .cu -> nvcc. ERR_UNAVAILABLE when none is installed or the variable names none, ERR_CONFIG for another
// suffix.
int toolchain_find(const char *source, struct arena *arena, struct toolchain *ret, struct err *err);

int toolchain_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *ret,
                    struct err *err);

// The folder that holds assay/kernel.h: $ASSAY_INCLUDE_DIR, ../include next to the executable, where it was
// built from, where it was installed. ERR_UNAVAILABLE when it is in none of them.
int build_include_dir(struct arena *arena, const char **ret, struct err *err);

#endif
