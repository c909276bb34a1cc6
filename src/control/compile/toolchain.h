// SPDX-License-Identifier: Apache-2.0
//
// The compiler that turns a kernel's source into a module: its program and version, and the flags of every
// module.
#ifndef CONTROL_COMPILE_TOOLCHAIN_H
#define CONTROL_COMPILE_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest.h"

struct toolchain {
    const char *program; // absolute path
    const char *version; // first line of --version
    const char *target;  // -dumpmachine: "x86_64-linux-gnu"
    const char *label;   // "gcc 12.2.0"
    bool is_cxx, is_clang, is_cuda;
};

// The compiler for that source's suffix: .c -> $CC, else gcc or cc; .cc, .cpp, .cxx -> $CXX, else g++ or c++;
// .cu -> nvcc. ERR_UNAVAILABLE when none is installed or the variable names none, ERR_CONFIG for another
// suffix.
int toolchain_find(const char *source, struct arena *arena, struct toolchain *ret, struct err *err);

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

int toolchain_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *ret,
                    struct err *err);

// The folder that holds assay/kernel.h: $ASSAY_INCLUDE_DIR, ../include next to the executable, where it was
// built from, where it was installed. ERR_UNAVAILABLE when it is in none of them.
int build_include_dir(struct arena *arena, const char **ret, struct err *err);

#endif
