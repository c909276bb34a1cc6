// SPDX-License-Identifier: Apache-2.0
//
// nvcc: where it is found, the targets it compiles for, and its flags. Its version includes the host compiler
// that it calls.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/comma.h"
#include "base/file.h"
#include "control/compile/cuda/toolchain_cuda_internal.h"
#include "control/compile/tool/build_tool.h"

#ifdef __has_include
#if __has_include("assay_config.h")
#include "assay_config.h" // made by CMake
#endif
#endif
#ifndef ASSAY_NVCC
#define ASSAY_NVCC ""
#endif

#define TARGETS_MAX       16
#define TARGET_NUMBER_MAX 1000

// Targets if neither --arch nor the manifest nor a device names any: those of Ampere and Hopper cards.
static const char *const usual_targets[] = {"sm_80", "sm_90a"};

// The absolute path of a program or of a name on PATH; NULL when it cannot be run.
static const char *runnable_find(struct arena *arena, const char *program) {
    if (!program || !*program) return NULL;
    char *found = strchr(program, '/') ? path_absolute(program) : path_find_program(program);
    const char *result =
        found && access(found, X_OK) == 0 && !file_is_dir(found) ? arena_strdup(arena, found) : NULL;
    free(found);
    return result;
}

// An nvcc that the user names in the environment is used or is an error, never ignored.
static int nvcc_find(struct arena *arena, const char **ret, struct err *err) {
    static const struct {
        const char *variable;
        bool is_home; // names the toolkit's folder
    } named[] = {
        {"ASSAY_NVCC", false}, {"CUDACXX", false}, {"NVCC", false}, {"CUDA_HOME", true}, {"CUDA_PATH", true}};
    const char *chosen = getenv("ASSAY_NVCC");
    if (chosen && !*chosen) // as on a machine without
        return err_set(
            err, ERR_UNAVAILABLE,
            "a CUDA kernel needs nvcc: ASSAY_NVCC is empty, which hides every nvcc; unset it, or install "
            "the CUDA toolkit (11.8 or newer)");
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i) {
        const char *variable = named[i].variable, *value = getenv(variable);
        if (!value || !*value) continue;
        *ret = runnable_find(arena, named[i].is_home ? arena_format(arena, "%s/bin/nvcc", value) : value);
        if (*ret) return 0;
        if (named[i].is_home)
            return err_set(
                err, ERR_UNAVAILABLE,
                "a CUDA kernel needs nvcc: %s is '%s', but there is no '%s/bin/nvcc' that can be run; "
                "correct %s or unset it",
                variable, value, value, variable);
        return err_set(
            err, ERR_UNAVAILABLE,
            "a CUDA kernel needs nvcc: %s names '%s', which is no program that can be run; correct it or "
            "unset it",
            variable, value);
    }
    *ret = runnable_find(arena, ASSAY_NVCC);
    if (!*ret) *ret = runnable_find(arena, "nvcc");
    if (!*ret) *ret = runnable_find(arena, "/usr/local/cuda/bin/nvcc");
    if (*ret) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "a CUDA kernel needs nvcc: it is not on PATH, nor below CUDA_HOME or /usr/local/cuda; install "
        "the CUDA toolkit (11.8 or newer), or name nvcc in CUDACXX");
}

// Version and machine of NVCC_CCBIN, or of the gcc that nvcc finds on PATH. A compiler that does not run is
// left out: nvcc will report it.
static const char *host_compiler(struct arena *arena) {
    const char *chosen = getenv("NVCC_CCBIN"), *version = NULL, *target = NULL;
    const char *program = chosen && *chosen ? chosen : "gcc";
    if (file_is_dir(program)) program = arena_format(arena, "%s/gcc", program);
    if (build_tool_query(program, "--version", arena, &version, NULL) < 0) return program;
    if (build_tool_query(program, "-dumpmachine", arena, &target, NULL) < 0) target = "";
    return arena_format(arena, "%s%s", version, target);
}

int toolchain_cuda_find(struct arena *arena, struct toolchain *ret, struct err *err) {
    struct toolchain found = {.is_cxx = true, .is_cuda = true};
    TRY(nvcc_find(arena, &found.program, err));
    TRY(build_tool_query(found.program, "--version", arena, &found.version, err));
    found.target = host_compiler(arena);
    // Flags that nvcc reads from the environment belong to the cache key as well.
    const char *before = getenv("NVCC_PREPEND_FLAGS"), *after = getenv("NVCC_APPEND_FLAGS");
    if (before || after)
        found.target = arena_format(arena, "%s %s %s", found.target, str_or(before, ""), str_or(after, ""));
    const char *number = strstr(found.version, ", V"); // "Cuda compilation tools, release 13.0, V13.0.88"
    found.label = number ? arena_format(arena, "nvcc %.*s", (int)strcspn(number + 3, "\n "), number + 3)
                         : "nvcc of unknown version";
    *ret = found;
    return 0;
}

// ---- targets ----

// 90 of "sm_90a"; 0: not a target.
static int target_number(const char *target, size_t length) {
    if (length < 5 || length > 7 || strncmp(target, "sm_", 3) != 0) return 0;
    int number = 0;
    size_t i = 3;
    for (; i < length && isdigit((unsigned char)target[i]); ++i) number = number * 10 + (target[i] - '0');
    if (i < 5 || length - i > 1) return 0;
    const char suffix = i < length ? target[i] : 0;
    if (suffix && suffix != 'a' && suffix != 'f') return 0;
    if (suffix == 'a' && number < 90) return 0; // sm_90 is the first with architecture-specific code
    return suffix == 'f' && number < 100 ? 0 : number;
}

// Whether a line of --list-gpu-code is that target, without its suffix.
static bool is_supported(const char *known, int number) {
    char line[24];
    const int length = snprintf(line, sizeof line, "sm_%d\n", number);
    return length > 0 && strstr(known, line) != NULL;
}

struct target_list {
    const char *items[TARGETS_MAX];
    size_t count;
};

// The lines of --list-gpu-code by number, "sm_80, sm_90, sm_100".
static const char *known_text(const char *known, struct arena *arena) {
    struct strbuf text = {0};
    for (int number = 1; number < TARGET_NUMBER_MAX; ++number)
        if (is_supported(known, number)) comma_addf(&text, "sm_%d", number);
    const char *result = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return result;
}

static int target_add(struct target_list *list, const char *target, const char *known,
                      const struct toolchain_use *use, struct arena *arena, struct err *err) {
    const int number = target_number(target, strlen(target));
    if (!number || !is_supported(known, number)) {
        return err_set(
            err, ERR_USAGE,
            "kernel '%s': %s has no target '%s'; there are %s (sm_90 and newer also with an a, "
            "for code of these alone: sm_90a; sm_100 and newer with an f, for their family: sm_120f)",
            use->kernel->name, use->toolchain->label, str_shown(target).text, known_text(known, arena));
    }
    for (size_t i = 0; i < list->count; ++i)
        if (str_equal(list->items[i], target)) return 0;
    if (list->count == TARGETS_MAX)
        return err_set(err, ERR_USAGE, "kernel '%s': more than %d targets; name fewer", use->kernel->name,
                       TARGETS_MAX);
    list->items[list->count++] = target;
    return 0;
}

// A requested target must be in the manifest's `arch`, the targets that the kernel can be built for. sm_90a
// also serves sm_90.
static int manifest_allows(const struct toolchain_use *use, const char *asked, const char **ret,
                           struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = use->kernel;
    struct strbuf all = {0};
    *ret = kernel->arch_count ? NULL : asked;
    for (size_t i = 0; i < kernel->arch_count && !*ret; ++i) {
        const char *own = kernel->archs[i];
        const int number = target_number(asked, strlen(asked));
        if (str_equal(own, asked) || (number && number == target_number(own, strlen(own)))) *ret = own;
        comma_add(&all, own);
    }
    if (!*ret)
        err_set(err, ERR_USAGE,
                "kernel '%s' is not for the target '%s': its 'arch' in the manifest is %s; name one of these",
                kernel->name, str_shown(asked).text, arena_strdup(arena, strbuf_text(&all)));
    strbuf_fini(&all);
    return *ret ? 0 : -ERR_USAGE;
}

static int targets_choose(const struct toolchain_use *use, struct target_list *list, struct arena *arena,
                          struct err *err) {
    const char *known;
    TRY(build_tool_query(use->toolchain->program, "--list-gpu-code", arena, &known, err));
    struct comma_item item;
    for (const char *at = use->arch, *target; comma_next(&at, &item);) {
        TRY(manifest_allows(use, arena_strndup(arena, item.text, item.length), &target, arena, err));
        TRY(target_add(list, target, known, use, arena, err));
    }
    if (use->arch) return 0;
    for (size_t i = 0; i < use->kernel->arch_count; ++i)
        TRY(target_add(list, use->kernel->archs[i], known, use, arena, err));
    if (list->count) return 0;
    const size_t usual_count = sizeof usual_targets / sizeof *usual_targets;
    for (size_t i = 0; i < usual_count; ++i) // an older nvcc knows only the first
        if (is_supported(known, target_number(usual_targets[i], strlen(usual_targets[i]))))
            TRY(target_add(list, usual_targets[i], known, use, arena, err));
    if (list->count) return 0;
    return err_set(err, ERR_USAGE, "kernel '%s': name a target with --arch; %s has %s", use->kernel->name,
                   use->toolchain->label, known_text(known, arena));
}

// nvcc makes names of a file's own functions from the source's absolute path, and two work trees would have
// different code. cudafe++ takes another path instead; whether it knows the option shows in what nvcc calls.
static void source_name_fix(const struct toolchain *toolchain, struct arena *arena,
                            struct toolchain_flags *flags) {
    static const char *const dry_run[] = {"--dryrun", "kernel.cu", NULL};
    const char *steps;
    if (build_tool_query_words(toolchain->program, dry_run, arena, &steps, NULL) < 0) return;
    if (!strstr(steps, "--orig_src_path_name")) return;
    words_add(arena, &flags->words, &flags->count, "-Xcudafe");
    words_add(arena, &flags->words, &flags->count, "--orig_src_path_name=kernel.cu");
}

int toolchain_cuda_flags(const struct toolchain_use *use, struct arena *arena, struct toolchain_flags *flags,
                         struct err *err) {
    // Uncompressed, so that machine code can be read separately; a fixed seed, so that names do not depend on
    // the folder.
    static const char *const base[] = {"-std=c++17",
                                       "-O3",
                                       "-Xcompiler",
                                       "-fPIC,-fvisibility=hidden,-fno-gnu-unique",
                                       "-Xptxas",
                                       "-v",
                                       "-cudart=static",
                                       "-no-compress",
                                       "-frandom-seed=assay"};
    for (size_t i = 0; i < sizeof base / sizeof *base; ++i)
        words_add(arena, &flags->words, &flags->count, base[i]);
    source_name_fix(use->toolchain, arena, flags);
    if (use->kernel->is_fast_math) words_add(arena, &flags->words, &flags->count, "--use_fast_math");
    struct target_list targets = {0};
    TRY(targets_choose(use, &targets, arena, err));
    struct strbuf text = {0};
    for (size_t i = 0; i < targets.count; ++i) {
        const char *number = targets.items[i] + 3; // "90a"
        words_add(
            arena, &flags->words, &flags->count,
            arena_format(arena, "-gencode=arch=compute_%s,code=[sm_%s,compute_%s]", number, number, number));
        strbuf_addf(&text, "%ssm_%s", i ? "," : "", number);
    }
    flags->targets = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return 0;
}
