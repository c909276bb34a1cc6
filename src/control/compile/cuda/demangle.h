// SPDX-License-Identifier: Apache-2.0
//
// Names of C++ functions as a reader knows them: with template arguments, without namespaces and parameters.
#ifndef CONTROL_COMPILE_CUDA_DEMANGLE_H
#define CONTROL_COMPILE_CUDA_DEMANGLE_H

#include <stddef.h>

#include "base/arena.h"

// "_ZN5flash3fwdI6__halfLi64EEEvPT_" -> "fwd<half, 64>". ret holds count texts in the arena; all are NULL
// without c++filt (it comes with the linker).
void demangle_names(const char *const *names, size_t count, struct arena *arena, const char **ret);
// The function's own name: "fwd<half, 64>" of "flash::fwd<__half, 64>".
const char *demangle_own_name(const char *demangled, struct arena *arena);

#endif
