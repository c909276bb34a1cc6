// SPDX-License-Identifier: Apache-2.0
//
// The compiler of a source that a stranger wrote runs in the sandbox: it reads the system, the source and
// what the manifest's flags name, and writes its output's folder. Without that a message could quote any
// file (#include "/home/me/notes"), and a source could use up memory and time.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/compile/build_tool_internal.h"
#include "control/compile/confined_command.h"
#include "control/compile/variant_internal.h"

static bool is_within(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    return path && str_starts(path, folder) && (!path[length] || path[length] == '/');
}

// The folder that a compiler is installed in: /opt/cuda of /opt/cuda/bin/nvcc. NULL where it holds the user's
// home or the manifest, which the source is not to see.
static const char *find_prefix(const struct variant_job *job, struct arena *arena) {
    char *program = realpath(job->toolchain.program, NULL), *manifest = realpath(job->request->dir, NULL);
    char *bin = path_dir(str_or(program, "")), *prefix = path_dir(bin);
    const bool is_open = strcmp(prefix, "/") != 0 && strcmp(prefix, ".") != 0 &&
                         !is_within(getenv("HOME"), prefix) && !is_within(manifest, prefix);
    const char *ret = is_open ? arena_strdup(arena, prefix) : NULL;
    free(program);
    free(manifest);
    free(bin);
    free(prefix);
    return ret;
}

// Adds a path that is there, relative to the manifest's folder.
static void path_add(const struct variant_job *job, const char *name, struct arena *arena,
                     const char ***paths, size_t *count) {
    char *path = path_join(job->request->dir, name), *whole = file_exists(path) ? realpath(path, NULL) : NULL;
    if (whole) words_add(arena, paths, count, arena_strdup(arena, whole));
    free(path);
    free(whole);
}

// What the compiler reads besides the system.
static void find_paths(const struct variant_job *job, struct arena *arena, const char ***paths,
                       size_t *count) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char **named = NULL, *prefix = find_prefix(job, arena);
    size_t named_count = 0;
    for (size_t i = 0; i < kernel->flag_count; ++i)
        flag_paths_add(kernel->flags[i], arena, &named, &named_count);
    for (size_t i = 0; i < job->flags.path_count; ++i)
        if (str_starts(job->flags.path_words[i], "-I"))
            words_add(arena, &named, &named_count, job->flags.path_words[i] + strlen("-I"));
    words_add(arena, &named, &named_count, kernel->source);
    if (prefix) words_add(arena, &named, &named_count, prefix);
    for (size_t i = 0; i < named_count; ++i) path_add(job, named[i], arena, paths, count);
}

const char *const *confined_build_prefix(const struct variant_job *job, const char *folder,
                                         struct arena *arena) {
    static const char *const nothing[] = {NULL};
    const struct build_limits *limits = job->request->limits;
    const char **paths = NULL;
    size_t count = 0;
    if (!limits) return nothing;
    find_paths(job, arena, &paths, &count);
    const struct confinement confinement = {.scratch_dir = folder,
                                            .read_paths = paths,
                                            .read_path_count = count,
                                            .memory_limit_bytes = limits->memory_bytes,
                                            .limit_ns = limits->limit_ns};
    return confined_command(&confinement, nothing, arena);
}
