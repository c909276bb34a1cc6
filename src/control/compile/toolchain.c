// SPDX-License-Identifier: Apache-2.0
//
// Finds the compiler and its flags: all that decides a module's bytes apart from its source, for the cache
// key and the command line.
#include "control/compile/toolchain.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/compile/cuda/toolchain_cuda_internal.h"
#include "control/compile/tool/build_tool.h"

#ifdef __has_include
#if __has_include("assay_config.h")
#include "assay_config.h" // made by CMake
#endif
#endif

#ifndef ASSAY_INSTALL_INCLUDEDIR_RELATIVE
#define ASSAY_INSTALL_INCLUDEDIR_RELATIVE "../include"
#endif

int build_include_dir(struct arena *arena, const char **ret, struct err *err) {
    const char *chosen = getenv("ASSAY_INCLUDE_DIR");
    char *beside = path_beside_self(ASSAY_INSTALL_INCLUDEDIR_RELATIVE);
    const char *places[] = {
        chosen && *chosen ? chosen : NULL,
        beside,
#ifdef ASSAY_SOURCE_DIR
        ASSAY_SOURCE_DIR "/include",
#endif
#ifdef ASSAY_INSTALL_INCLUDEDIR
        ASSAY_INSTALL_INCLUDEDIR,
#endif
    };
    int result = -ERR_UNAVAILABLE;
    for (size_t i = 0; i < sizeof places / sizeof *places && result < 0; ++i) {
        if (!places[i] || !file_exists(arena_format(arena, "%s/assay/kernel.h", places[i]))) continue;
        char *absolute = path_absolute(places[i]);
        *ret = arena_strdup(arena, absolute);
        free(absolute);
        result = 0;
    }
    if (result < 0) {
        err_set(err, ERR_UNAVAILABLE,
                "cannot find the header assay/kernel.h, which kernels include; set ASSAY_INCLUDE_DIR to its "
                "folder");
    }
    free(beside);
    return result;
}

static const char *find_program(const char *name, struct arena *arena) {
    char *program = path_find_program(name), *absolute = program ? path_absolute(program) : NULL;
    const char *ret = absolute ? arena_strdup(arena, absolute) : NULL;
    free(program);
    free(absolute);
    return ret;
}

// Behind the name of a compiler cache, "ccache gcc": assay calls ccache itself.
static const char *skip_launcher(const char *text) {
    static const char *const launchers[] = {"ccache", "sccache", "distcc"};
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t"), blanks = strspn(text + length, " \t");
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i)
        if (blanks && text[length + blanks] && strlen(launchers[i]) == length &&
            strncmp(text, launchers[i], length) == 0)
            return text + length + blanks;
    return text;
}

// The program that CC or CXX names. Flags are refused: they decide the code, and the flags of a revision are
// in its manifest, while a variable is of whoever calls.
static int chosen_find(const char *variable, const char *value, struct arena *arena, const char **ret,
                       struct err *err) {
    const char *name = skip_launcher(value);
    const size_t length = strcspn(name, " \t");
    const char *rest = name + length + strspn(name + length, " \t");
    if ((*ret = find_program(name, arena))) return 0; // whole: a path may hold blanks
    *ret = find_program(arena_strndup(arena, name, length), arena);
    if (*ret && !*rest) return 0;
    if (*ret)
        return err_set(
            err, ERR_UNAVAILABLE,
            "%s is '%s': name the compiler alone there; a kernel's flags stand in assay.yaml, where "
            "each revision has its own",
            variable, str_shown(value).text);
    return err_set(err, ERR_UNAVAILABLE,
                   "%s names '%s', which is no program that can be run; correct it or unset it", variable,
                   str_shown(value).text);
}

// CC or CXX, else one of two names on PATH.
static int program_find(const char *source, bool is_cxx, struct arena *arena, const char **ret,
                        struct err *err) {
    const char *variable = is_cxx ? "CXX" : "CC", *value = getenv(variable);
    const char *names[] = {is_cxx ? "g++" : "gcc", is_cxx ? "c++" : "cc"};
    if (value && value[strspn(value, " \t")]) return chosen_find(variable, value, arena, ret, err);
    *ret = find_program(names[0], arena);
    if (!*ret) *ret = find_program(names[1], arena);
    if (*ret) return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "no compiler for '%s': neither %s nor %s is on PATH; install %s, or name one in %s",
                   source, names[0], names[1], names[0], variable);
}

int toolchain_find(const char *source, struct arena *arena, struct toolchain *ret, struct err *err) {
    struct toolchain found = {0};
    if (str_ends(source, ".cu")) return toolchain_cuda_find(arena, ret, err);
    found.is_cxx = str_ends(source, ".cc") || str_ends(source, ".cpp") || str_ends(source, ".cxx");
    if (!found.is_cxx && !str_ends(source, ".c"))
        return err_set(err, ERR_CONFIG,
                       "cannot tell the language of '%s'; a source for the backend cpu ends in .c, .cc, .cpp "
                       "or .cxx, for cuda in .cu",
                       source);
    TRY(program_find(source, found.is_cxx, arena, &found.program, err));
    TRY(build_tool_query(found.program, "--version", arena, &found.version, err));
    TRY(build_tool_query(found.program, "-dumpmachine", arena, &found.target, err));
    found.version = arena_strndup(arena, found.version, strcspn(found.version, "\n"));
    found.target = arena_strndup(arena, found.target, strcspn(found.target, "\n"));
    found.is_clang = strstr(found.version, "clang") != NULL;
    // "gcc (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6": the last word is the version's number.
    const char *word = strrchr(found.version, ' ');
    found.label = arena_format(arena, "%s %s", found.is_clang ? "clang" : path_base(found.program),
                               word ? word + 1 : found.version);
    *ret = found;
    return 0;
}

static void host_flags(const struct toolchain *toolchain, const struct manifest_kernel *kernel,
                       struct arena *arena, struct toolchain_flags *flags) {
    // Hidden and never unique: two revisions of a kernel in one process must not share statics.
    const char *base[] = {toolchain->is_cxx ? "-std=gnu++17" : "-std=gnu17", "-O3", "-g0", "-fPIC",
                          "-fvisibility=hidden"};
    for (size_t i = 0; i < sizeof base / sizeof *base; ++i)
        words_add(arena, &flags->words, &flags->count, base[i]);
    if (toolchain->is_cxx && !toolchain->is_clang) {
        words_add(arena, &flags->words, &flags->count, "-fno-gnu-unique");
    }
    if (kernel->is_fast_math) words_add(arena, &flags->words, &flags->count, "-ffast-math");
}

int toolchain_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *ret,
                    struct err *err) {
    struct toolchain_flags flags = {0};
    const char *include_dir;
    TRY(build_include_dir(arena, &include_dir, err));
    if (use->toolchain->is_cuda)
        TRY(toolchain_cuda_flags(use, arena, &flags, err));
    else
        host_flags(use->toolchain, use->kernel, arena, &flags);
    for (size_t i = 0; i < use->setting_count; ++i) {
        const char *word =
            arena_format(arena, "-D%s=%lld", use->settings[i].name, (long long)use->settings[i].value);
        words_add(arena, &flags.words, &flags.count, word);
    }
    for (size_t i = 0; i < use->kernel->flag_count; ++i) {
        words_add(arena, &flags.words, &flags.count, use->kernel->flags[i]);
    }
    words_add(arena, &flags.path_words, &flags.path_count, arena_format(arena, "-I%s", include_dir));
    words_add(arena, &flags.path_words, &flags.path_count, "-Ikernels");
    const char *const maps[][2] = {{use->dir, "."}, {include_dir, "assay"}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i) {
        // nvcc passes the word behind -Xcompiler on unquoted and split at commas, so a folder with such
        // characters in its name is not mapped. Its sources are named relative to it all the same.
        if (use->toolchain->is_cuda && strpbrk(maps[i][0], ", \t'\"\\`$&;|<>()*?[]#!")) continue;
        if (use->toolchain->is_cuda) words_add(arena, &flags.path_words, &flags.path_count, "-Xcompiler");
        words_add(arena, &flags.path_words, &flags.path_count,
                  arena_format(arena, "-ffile-prefix-map=%s=%s", maps[i][0], maps[i][1]));
    }
    *ret = flags;
    return 0;
}
