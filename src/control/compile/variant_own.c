// SPDX-License-Identifier: Apache-2.0
//
// How does a kernel that assay does not compile become a module of the cache? The user's own command is run
// in the tree it belongs to, unless its inputs say that it was run before; a library is taken as it is. Both
// are copied under the hash of what they are, so that a later build cannot change what a running gate
// measures.
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "control/compile/build_tool.h"
#include "control/compile/cuda/elf_file.h"
#include "control/compile/variant_internal.h"

static int has_origin_path(const char *path, bool *ret, struct err *err) {
    char *bytes;
    size_t length;
    struct elf_file elf;
    TRY(file_read(path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, path, &elf, err);
    if (result == 0) *ret = elf_has_origin_path(&elf);
    free(bytes);
    return result;
}

// Copies the library into the cache under key. One that looks for its own libraries beside itself stays where
// it is.
static int library_keep(struct variant_job *job, const char *library, const char *key, struct arena *arena,
                        struct err *err) {
    bool has_origin = false;
    struct build_stage stage;
    TRY(has_origin_path(library, &has_origin, err));
    if (has_origin) {
        job->entry.module_path = arena_strdup(arena, library);
        return build_entry_inspect(&job->entry, arena, err);
    }
    TRY(build_stage_open(arena, &stage, err));
    char *copy = path_join(stage.dir, BUILD_MODULE_NAME);
    int result = file_copy(library, copy, err);
    free(copy);
    if (result == 0) result = build_cache_publish(stage.dir, key, arena, &job->entry, err);
    build_stage_close(&stage);
    return result;
}

static struct build_report report_of(const char *compiler, const char *flags) {
    struct build_report report = build_report_unknown();
    report.compiler = compiler;
    report.flags = flags;
    report.build_s = 0;
    return report;
}

int variant_library(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    char *joined = path_join(job->request->dir, kernel->library), *library = path_absolute(joined);
    char hash[HASH_HEX_BYTES];
    int result = hash_file_hex(library, hash, err);
    if (result == 0) {
        struct hash_state *key = hash_new();
        hash_add_text(key, "library 1");
        hash_add_text(key, hash);
        hash_take_hex(key, job->key);
        if (!build_cache_find(job->key, arena, &job->entry)) {
            job->entry.report = report_of(NULL, NULL);
            result = library_keep(job, library, job->key, arena, err);
        }
    }
    if (result < 0) err_prefix(err, "kernel '%s'", kernel->name);
    free(joined);
    free(library);
    job->is_done = result == 0;
    return result;
}

// What an own build may ask for, besides the environment that it is run in.
static const char *const *own_environment(const struct variant_job *job, struct arena *arena,
                                          struct err *err) {
    const char *include_dir;
    if (build_include_dir(arena, &include_dir, err) < 0) return NULL;
    struct strbuf defines = {0}, flags = {0};
    for (size_t i = 0; i < job->setting_count; ++i) {
        strbuf_addf(&defines, "%s-D%s=%lld", i ? " " : "", job->settings[i].name,
                    (long long)job->settings[i].value);
    }
    const struct manifest_kernel *kernel = job->request->kernel;
    for (size_t i = 0; i < kernel->flag_count; ++i)
        strbuf_addf(&flags, "%s%s", i ? " " : "", kernel->flags[i]);
    const char **env = arena_array(arena, 6, sizeof *env);
    env[0] = arena_format(arena, "ASSAY_INCLUDE_DIR=%s", include_dir);
    env[1] = arena_format(arena, "ASSAY_CONFIG=%s", job->config ? job->config : "");
    env[2] = arena_format(arena, "ASSAY_DEFINES=%s", strbuf_text(&defines));
    env[3] = arena_format(arena, "ASSAY_FLAGS=%s", strbuf_text(&flags));
    env[4] = "LC_ALL=C";
    strbuf_fini(&defines);
    strbuf_fini(&flags);
    return env;
}

// Without inputs nothing can be known beforehand: *ret_is_known is false and the command is run each time.
static int own_key(struct variant_job *job, const char *const *env, struct arena *arena, bool *ret_is_known,
                   struct err *err) {
    static const char *const asked[] = {"CC",   "CXX",     "CFLAGS",    "CXXFLAGS",  "CPPFLAGS", "LDFLAGS",
                                        "NVCC", "CUDACXX", "CUDA_HOME", "CUDAFLAGS", "PATH",     "MAKEFLAGS"};
    const struct manifest_kernel *kernel = job->request->kernel;
    *ret_is_known = kernel->build_input_count > 0;
    if (!*ret_is_known) return 0;
    struct hash_state *hash = hash_new();
    const uint32_t abi = ASSAY_ABI_VERSION;
    hash_add_text(hash, "own 1");
    hash_add(hash, &abi, sizeof abi);
    hash_add_text(hash, kernel->build_run);
    hash_add_text(hash, kernel->build_output);
    for (size_t i = 1; env[i]; ++i)
        hash_add_text(hash, env[i]); // not the include folder: the ABI stands for it
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        const char *value = getenv(asked[i]);
        hash_add_text(hash, value ? value : "");
    }
    struct toolchain compiler; // the one that a build most likely uses; none is no error here
    if (toolchain_find("x.c", arena, &compiler, NULL) == 0) hash_add_text(hash, compiler.version);
    int result = input_files_hash(job->request->dir, kernel->build_inputs, kernel->build_input_count,
                                  kernel->build_output, hash, err);
    hash_take_hex(hash, job->key);
    return result;
}

// One own build at a time in one folder.
static int own_lock(const char *dir, int *ret_fd, struct err *err) {
    char hash[HASH_HEX_BYTES];
    hash_bytes_hex(dir, strlen(dir), hash);
    char *cache = path_cache_dir(), *locks = path_join(cache, "locks");
    char *path = mem_format("%s/%s.lock", locks, hash);
    int result = file_make_dirs(locks, err);
    if (result == 0) result = file_lock_open(path, true, ret_fd, err);
    free(cache);
    free(locks);
    free(path);
    return result;
}

static int own_run(struct variant_job *job, const char *const *env, const char *output, struct arena *arena,
                   struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char *argv[] = {"/bin/sh", "-c", kernel->build_run, NULL};
    const struct proc_spec spec = {.argv = argv,
                                   .env_remove = build_tool_env_remove(),
                                   .starts_others = true,
                                   .dir = job->request->dir,
                                   .env_add = env,
                                   .timeout_ns = BUILD_TIMEOUT_NS};
    struct proc_status status;
    struct strbuf log = {0}, how = {0};
    const uint64_t start_ns = clock_ns();
    int result = proc_run(&spec, &status, &log, err);
    if (result < 0) {
        if (result == -ERR_CANCELLED) err_prefix(err, "kernel '%s' is not built", kernel->name);
        goto out;
    }
    job->entry.report = report_of("own build", arena_strdup(arena, kernel->build_run));
    job->entry.report.build_s = (double)(clock_ns() - start_ns) * 1e-9;
    job->entry.report.log_tail = log.length ? arena_strdup(arena, strbuf_text(&log)) : NULL;
    build_report_take_log(&job->entry.report, strbuf_text(&log), arena);
    job->entry.commands = arena_format(arena, "cd %s && %s\n", job->request->dir, kernel->build_run);
    if (status.end != PROC_EXITED || status.exit_code != 0) {
        proc_status_format(&status, &how);
        result = err_set(err, ERR_BUILD, "kernel '%s' does not build: '%s' in '%s' %s:\n%s", kernel->name,
                         kernel->build_run, job->request->dir, strbuf_text(&how),
                         log_tail(strbuf_text(&log), BUILD_LOG_BYTES));
    } else if (!file_exists(output)) {
        result = err_set(err, ERR_BUILD,
                         "kernel '%s' does not build: '%s' ended well, but there is no '%s' afterwards; "
                         "correct 'output' in the manifest. It said:\n%s",
                         kernel->name, kernel->build_run, kernel->build_output,
                         log_tail(strbuf_text(&log), BUILD_LOG_BYTES));
    }
out:
    strbuf_fini(&log);
    strbuf_fini(&how);
    return result;
}

int variant_own_build(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char *const *env = own_environment(job, arena, err);
    if (!env) return -ERR_UNAVAILABLE;
    char *output = path_join(job->request->dir, kernel->build_output), hash[HASH_HEX_BYTES];
    bool is_known = false;
    int lock_fd = -1;
    int result = own_lock(job->request->dir, &lock_fd, err);
    if (result == 0) result = own_key(job, env, arena, &is_known, err);
    if (result < 0) goto out;
    if (is_known && build_cache_find(job->key, arena, &job->entry)) goto out;
    result = own_run(job, env, output, arena, err);
    if (result < 0) goto out;
    if (!is_known) {
        result = hash_file_hex(output, hash, err);
        memcpy(job->key, hash, sizeof hash);
    }
    if (result == 0) result = library_keep(job, output, job->key, arena, err);
    if (result < 0) err_prefix(err, "kernel '%s'", kernel->name);
out:
    file_lock_close(lock_fd);
    free(output);
    job->is_done = result == 0;
    return result;
}
