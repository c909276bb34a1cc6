// SPDX-License-Identifier: Apache-2.0
//
// Kernels that assay does not compile: the user's own build command, a finished library, Python. The command
// is run in the tree it belongs to, unless its inputs say that it was run before. What it makes, and a
// library, are copied into the cache under their hash, so that a later build cannot change what a running
// gate measures. A Python kernel has no module, and no machine code before it runs.
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "control/compile/cuda/ptxas_report.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/tool/elf_file.h"
#include "control/compile/variant_internal.h"

// Copies the library into the cache under the job's key. One that loads libraries from its own folder
// ($ORIGIN) stays where it is.
static int library_keep(struct variant_job *job, const char *library, struct arena *arena, struct err *err) {
    char *bytes;
    size_t length;
    struct elf_file elf;
    TRY(file_read(library, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, library, &elf, err);
    const bool has_origin = result == 0 && elf_has_origin_path(&elf);
    free(bytes);
    if (result < 0) return result;
    if (has_origin) {
        job->entry.module_path = arena_strdup(arena, library);
        return build_entry_inspect(&job->entry, arena, err);
    }
    struct build_stage stage;
    TRY(build_stage_open(arena, &stage, err));
    result = file_copy(library, arena_format(arena, "%s/" BUILD_MODULE_NAME, stage.dir), err);
    if (result == 0) result = build_cache_publish(stage.dir, job->key, arena, &job->entry, err);
    build_stage_close(&stage);
    return result;
}

int variant_library(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    char *joined = path_join(job->request->dir, kernel->library), *library = path_absolute(joined);
    char hex[SHA256_HEX_BYTES];
    int result = sha256_file_hex(library, hex, err);
    if (result == 0) {
        struct sha256 key = sha256_make();
        sha256_add_text(&key, "library 1");
        sha256_add_text(&key, hex);
        sha256_hex(key, job->key);
        if (!build_cache_find(job->key, arena, &job->entry)) {
            job->entry.report = build_report_unknown();
            job->entry.report.build_s = 0;
            result = library_keep(job, library, arena, err);
        }
    }
    if (result < 0) err_prefix(err, "kernel '%s'", kernel->name);
    free(joined);
    free(library);
    job->is_done = result == 0;
    return result;
}

// The environment variables that are added for the user's command.
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

// Fills job->key from the command, its environment and its inputs. *ret_has_key is false without inputs: the
// command is then run each time.
static int own_key(struct variant_job *job, const char *const *env, struct arena *arena, bool *ret_has_key,
                   struct err *err) {
    static const char *const asked[] = {"CC",   "CXX",     "CFLAGS",    "CXXFLAGS",  "CPPFLAGS", "LDFLAGS",
                                        "NVCC", "CUDACXX", "CUDA_HOME", "CUDAFLAGS", "PATH",     "MAKEFLAGS"};
    const struct manifest_kernel *kernel = job->request->kernel;
    *ret_has_key = kernel->build_input_count > 0;
    if (!*ret_has_key) return 0;
    struct sha256 sha = sha256_make();
    sha256_add_text(&sha, "own 1");
    sha256_add_u64(&sha, ASSAY_ABI_VERSION);
    sha256_add_text(&sha, kernel->build_run);
    sha256_add_text(&sha, kernel->build_output);
    for (size_t i = 1; env[i]; ++i)
        sha256_add_text(&sha, env[i]); // not the include folder: the ABI version stands for it
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        const char *value = getenv(asked[i]);
        sha256_add_text(&sha, value ? value : "");
    }
    struct toolchain compiler; // the one that a build most likely uses; it may be missing
    if (toolchain_find("x.c", arena, &compiler, NULL) == 0) sha256_add_text(&sha, compiler.version);
    int result = input_files_hash(job->request->dir, kernel->build_inputs, kernel->build_input_count,
                                  kernel->build_output, &sha, err);
    sha256_hex(sha, job->key);
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
    progress_show(job->request->progress, "building", kernel->name);
    int result = proc_run(&spec, &status, &log, err);
    if (result < 0) {
        if (result == -ERR_CANCELLED) err_prefix(err, "kernel '%s' is not built", kernel->name);
        goto out;
    }
    struct build_report *report = &job->entry.report;
    *report = build_report_unknown();
    report->compiler = "own build";
    report->flags = arena_strdup(arena, kernel->build_run);
    report->build_s = (double)(clock_ns() - start_ns) * 1e-9;
    report->log_tail = log.length ? arena_strdup(arena, strbuf_text(&log)) : NULL;
    ptxas_report_apply(strbuf_text(&log), arena, report);
    job->entry.commands = arena_format(arena, "cd %s && %s\n", job->request->dir, kernel->build_run);
    if (status.end != PROC_EXITED || status.exit_code != 0) {
        proc_status_format(&status, &how);
        result = err_set(err, ERR_BUILD, "kernel '%s' does not build: '%s' in '%s' %s:", kernel->name,
                         kernel->build_run, job->request->dir, strbuf_text(&how));
    } else if (!file_exists(output)) {
        result = err_set(err, ERR_BUILD,
                         "kernel '%s' does not build: '%s' succeeded, but there is no '%s' afterwards; "
                         "correct 'output' in the manifest. Its output:",
                         kernel->name, kernel->build_run, kernel->build_output);
    }
    if (result < 0) err_add_lines(err, log_tail(strbuf_text(&log), BUILD_LOG_BYTES));
out:
    strbuf_fini(&log);
    strbuf_fini(&how);
    return result;
}

int variant_own_build(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char *const *env = own_environment(job, arena, err);
    if (!env) return -ERR_UNAVAILABLE;
    const char *dir = job->request->dir;
    char *output = path_join(dir, kernel->build_output), *cache = path_cache_dir(),
         *locks = path_join(cache, "locks");
    char hash[HASH_HEX_BYTES];
    bool has_key = false;
    int lock_fd = -1;
    // One own build at a time in one folder.
    hash_bytes_hex(dir, strlen(dir), hash);
    int result = file_make_dirs(locks, err);
    if (result == 0)
        result = file_lock_open(arena_format(arena, "%s/%s.lock", locks, hash), true, &lock_fd, err);
    if (result == 0) result = own_key(job, env, arena, &has_key, err);
    if (result < 0) goto out;
    if (has_key && build_cache_find(job->key, arena, &job->entry)) goto out;
    result = own_run(job, env, output, arena, err);
    if (result < 0) goto out;
    if (!has_key) result = sha256_file_hex(output, job->key, err);
    if (result == 0) result = library_keep(job, output, arena, err);
    if (result < 0) err_prefix(err, "kernel '%s'", kernel->name);
out:
    file_lock_close(lock_fd);
    free(output);
    free(cache);
    free(locks);
    job->is_done = result == 0;
    return result;
}

int variant_python_hash(const char *python, const char *dir, char ret_hex[SHA256_HEX_BYTES],
                        struct err *err) {
    // "kern.fa:forward" -> "kern/fa"
    char *place = mem_format("%.*s", (int)strcspn(python, ":"), python);
    for (char *p = place; *p; ++p)
        if (*p == '.') *p = '/';
    char *package = mem_format("%s/%.*s", dir, (int)strcspn(place, "/"), place);
    char *file = mem_format("%s/%s.py", dir, place), hex[SHA256_HEX_BYTES];
    static const char *const patterns[] = {"**/*.py"};
    struct sha256 sha = sha256_make();
    sha256_add_text(&sha, python);
    // A module that is not found here is installed elsewhere or missing; the import will tell.
    bool is_found = false;
    int result = 0;
    if (file_is_dir(package)) {
        is_found = input_files_hash(package, patterns, 1, NULL, &sha, NULL) == 0;
    } else if (file_exists(file)) {
        is_found = true;
        result = sha256_file_hex(file, hex, err);
        if (result == 0) sha256_add_text(&sha, hex);
    }
    sha256_hex(sha, ret_hex);
    free(place);
    free(package);
    free(file);
    return result < 0 ? result : is_found;
}

struct build_report variant_python_report(const char *source_hash) {
    struct build_report ret = build_report_unknown();
    ret.compiler = "Python source";
    ret.source_hash = source_hash;
    return ret;
}

int variant_python(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct variant_request *request = job->request;
    const int is_found = variant_python_hash(request->kernel->python, request->dir, job->key, err);
    if (is_found < 0) return is_found;
    job->entry.report = variant_python_report(is_found ? arena_strdup(arena, job->key) : NULL);
    job->is_done = true;
    return 0;
}
