// SPDX-License-Identifier: Apache-2.0
//
// A compiler, what it compiles, and the flags that it gets.
#ifndef CONTROL_COMPILE_TOOL_TOOLCHAIN_USE_H
#define CONTROL_COMPILE_TOOL_TOOLCHAIN_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "control/plan/manifest_types.h"

struct toolchain {
    const char *program; // absolute path
    const char *version; // first line of --version
    const char *target;  // -dumpmachine: "x86_64-linux-gnu"
    const char *label;   // "gcc 12.2.0"
    bool is_cxx, is_clang, is_cuda;
};

// Flags as a list of words. `words` depends on the manifest alone, so that equal kernels of two trees have
// equal flags (they are part of the cache key); paths of this machine are kept apart.
struct toolchain_flags {
    const char **words; // NULL-terminated
    size_t count;
    const char **path_words; // -I..., -ffile-prefix-map=...; NULL-terminated
    size_t path_count;
    const char *targets; // "sm_80,sm_90a"; NULL: not for a GPU
};

// What is compiled, and how it is configured.
struct toolchain_use {
    const struct toolchain *toolchain;
    const struct manifest_kernel *kernel;
    const char *dir;                         // folder of the manifest
    const struct manifest_setting *settings; // sorted by name
    size_t setting_count;
    const char *arch; // cuda: targets asked for; NULL: the manifest's, else the usual ones
};

#endif
