// SPDX-License-Identifier: Apache-2.0
//
// The compiler of a source that a stranger wrote runs in the sandbox: it reads the system, the source and
// what the manifest's flags name, and writes its output's folder. Without that a message could quote any
// file (#include "/home/me/notes"), and a source could use up memory and time.
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "control/compile/confined_command.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/variant_internal.h"

// The path with all links resolved; NULL: there is no such file, or no path.
static const char *find_real(const char *path, struct arena *arena) {
    char *real = path ? realpath(path, NULL) : NULL;
    const char *ret = real ? arena_strdup(arena, real) : NULL;
    free(real);
    return ret;
}

static const char *parent_of(const char *path, struct arena *arena) {
    char *parent = path_dir(path);
    const char *ret = arena_strdup(arena, parent);
    free(parent);
    return ret;
}

// Whether the user's home is the folder or lies below it. HOME may be unset, or another folder than the user
// database names.
static bool holds_home(const char *folder, struct arena *arena) {
    const struct passwd *user = getpwuid(getuid());
    return path_is_within(find_real(getenv("HOME"), arena), folder) ||
           (user && path_is_within(find_real(user->pw_dir, arena), folder));
}

// What the compiler reads besides the system: a list of paths.
struct reading {
    const struct variant_job *job;
    struct arena *arena;
    const char *manifest; // its folder
    const char **paths;
    size_t count;
};

// Adds a path that is there, relative to the manifest's folder. The source is not to see all that a user has,
// whatever names it: neither home nor a folder that the manifest's lies in.
static void path_add(struct reading *reading, const char *name) {
    struct arena *arena = reading->arena;
    char *whole = path_join(reading->manifest, name);
    const char *path = find_real(whole, arena);
    free(whole);
    if (path && !holds_home(path, arena) && !path_is_within(parent_of(reading->manifest, arena), path))
        words_add(arena, &reading->paths, &reading->count, path);
}

// Adds the compiler and what is its own where it is installed (/opt/cuda of /opt/cuda/bin/nvcc): there may be
// anything else, as in ~/.local. Where home or the manifest lies below that folder, even its bin may be the
// user's own.
static void compiler_add(struct reading *reading) {
    static const char *const parts[] = {"bin", "lib", "lib64", "libexec", "include", "nvvm", "targets"};
    const struct toolchain *toolchain = &reading->job->toolchain;
    struct arena *arena = reading->arena;
    const char *program = find_real(toolchain->program, arena);
    if (!program) return;
    path_add(reading, program);
    const char *prefix = parent_of(parent_of(program, arena), arena);
    if (path_is_within(reading->manifest, prefix) || holds_home(prefix, arena)) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        path_add(reading, arena_format(arena, "%s/%s", prefix, parts[i]));
    if (!*toolchain->target) return;
    path_add(reading, arena_format(arena, "%s/%s", prefix, toolchain->target));
    path_add(reading, arena_format(arena, "%s/share/%s", prefix, toolchain->target));
}

static void find_paths(struct reading *reading) {
    const struct variant_job *job = reading->job;
    const struct manifest_kernel *kernel = job->request->kernel;
    const char **named = NULL;
    size_t named_count = 0;
    for (size_t i = 0; i < kernel->flag_count; ++i)
        flag_paths_add(kernel, i, reading->arena, &named, &named_count);
    for (size_t i = 0; i < job->flags.path_count; ++i)
        if (str_starts(job->flags.path_words[i], "-I"))
            words_add(reading->arena, &named, &named_count, job->flags.path_words[i] + strlen("-I"));
    words_add(reading->arena, &named, &named_count, kernel->source);
    for (size_t i = 0; i < named_count; ++i) path_add(reading, named[i]);
    compiler_add(reading);
}

const char *const *confined_build_prefix(const struct variant_job *job, const char *folder,
                                         struct arena *arena) {
    static const char *const nothing[] = {NULL};
    const struct build_limits *limits = job->request->limits;
    if (!limits) return nothing;
    struct reading reading = {
        .job = job, .arena = arena, .manifest = str_or(find_real(job->request->dir, arena), "/")};
    find_paths(&reading);
    const struct confinement confinement = {.scratch_dir = folder,
                                            .read_paths = reading.paths,
                                            .read_path_count = reading.count,
                                            .memory_limit_bytes = limits->memory_bytes,
                                            .limit_ns = limits->limit_ns};
    return confined_command(&confinement, nothing, arena);
}
