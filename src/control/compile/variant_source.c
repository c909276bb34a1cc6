// SPDX-License-Identifier: Apache-2.0
//
// Kernels that assay compiles, and their cache key: the preprocessed source, which includes the headers, the
// flags, the compiler and the ABI. For CUDA, where the host and each target see different preprocessed text,
// the contents of all files read are hashed instead; with debug information, as well.
#include <assay/kernel.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "control/compile/call_shim.h"
#include "control/compile/depfile.h"
#include "control/compile/revision.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/variant_internal.h"

#define SOURCE_BYTES_MAX ((size_t)256 << 20) // of a source file, of a preprocessed text

// Hashes the files of a depfile by content, and by name where the module has names and lines.
static int dependencies_add(struct variant_job *job, const char *depfile, struct sha256 *sha,
                            struct arena *arena, struct err *err) {
    struct depfile reader = {.at = depfile};
    const bool has_lines = key_flags_keep_lines(job->request->kernel);
    size_t count = 0;
    for (const char *name; (name = depfile_next(&reader, arena)); ++count) {
        if (has_lines) sha256_add_text(sha, name);
        char *path = path_join(job->request->dir, name), *text = NULL;
        size_t length;
        const int result = file_read(path, SOURCE_BYTES_MAX, &text, &length, err);
        free(path);
        if (result < 0) return err_prefix(err, "kernel '%s'", job->request->kernel->name);
        sha256_add_u64(sha, length);
        sha256_add(sha, text, length);
        job->has_unknown_inputs |= key_text_reads_files(text, length);
        free(text);
    }
    if (!count)
        return err_set(err, ERR_BUILD, "kernel '%s': '%s -M' named no files", job->request->kernel->name,
                       job->toolchain.program);
    return 0;
}

int variant_compile_fail(const struct variant_job *job, const char *folder, const char *output,
                         struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    if (build_tool_is_disk_full(folder, output)) return build_tool_fail_disk_full(kernel->name, err);
    const bool lacks_function = job->shim && strstr(output, "undefined") && strstr(output, SHIM_LAUNCH);
    err_set(err, ERR_BUILD, "kernel '%s' does not build: %s failed on '%s'%s:", kernel->name,
            job->toolchain.label, kernel->source,
            lacks_function ? ", where 'call' looks for its function (in C++ and CUDA C++ as extern \"C\")"
                           : "");
    err_add_lines(err, log_tail(output, BUILD_LOG_BYTES));
    return -ERR_BUILD;
}

// The command that says what the compiler reads: its text (-E), or the names of its files (-M). folder: what
// it may write, of a stranger's source.
static const char *const *reading_command(const struct variant_job *job, const char *folder, const char *what,
                                          struct arena *arena) {
    const char **argv = NULL;
    size_t count = 0;
    for (const char *const *word = confined_build_prefix(job, folder, arena); *word; ++word)
        words_add(arena, &argv, &count, *word);
    words_add(arena, &argv, &count, job->toolchain.program);
    for (size_t i = 0; i < job->flags.count; ++i) words_add(arena, &argv, &count, job->flags.words[i]);
    for (size_t i = 0; i < job->flags.path_count; ++i)
        words_add(arena, &argv, &count, job->flags.path_words[i]);
    words_add(arena, &argv, &count, what);
    if (str_equal(what, "-E")) words_add(arena, &argv, &count, "-P");
    words_add(arena, &argv, &count, job->request->kernel->source);
    return argv;
}

static int read_source(struct variant_job *job, const char *folder, const char *what, struct arena *arena,
                       struct strbuf *text, struct err *err) {
    const struct proc_spec spec = {.argv = reading_command(job, folder, what, arena),
                                   .env_remove = build_tool_env_remove(),
                                   .starts_others = true,
                                   .dir = job->request->dir,
                                   .env_add = build_tool_env(arena),
                                   .timeout_ns = BUILD_TIMEOUT_NS,
                                   .output_limit_bytes = SOURCE_BYTES_MAX};
    struct strbuf log = {0};
    struct proc_status status;
    int result = proc_run_split(&spec, &status, text, &log, err);
    if (result == 0 && (status.end != PROC_EXITED || status.exit_code != 0))
        result = variant_compile_fail(job, str_or(getenv("TMPDIR"), "/tmp"), strbuf_text(&log), err);
    if (result == -ERR_CANCELLED)
        err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' was being built",
                job->request->kernel->name);
    strbuf_fini(&log);
    return result;
}

static int text_add(struct variant_job *job, const char *folder, struct sha256 *sha, struct arena *arena,
                    struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    struct strbuf text = {0};
    int result = read_source(job, folder, "-E", arena, &text, err);
    if (result == 0 && text.length >= SOURCE_BYTES_MAX) // only its end is here
        result =
            err_set(err, ERR_BUILD, "kernel '%s' does not build: '%s' is longer than %zu MB preprocessed",
                    kernel->name, kernel->source, SOURCE_BYTES_MAX >> 20);
    if (result == 0) {
        key_text_add(strbuf_text(&text), text.length, sha);
        job->has_unknown_inputs |= key_text_reads_files(strbuf_text(&text), text.length);
    }
    strbuf_fini(&text);
    return result;
}

static int files_add(struct variant_job *job, const char *folder, struct sha256 *sha, struct arena *arena,
                     struct err *err) {
    struct strbuf text = {0};
    int result = read_source(job, folder, "-M", arena, &text, err);
    if (result == 0) result = dependencies_add(job, strbuf_text(&text), sha, arena, err);
    strbuf_fini(&text);
    return result;
}

// The preprocessed text has no comments and blank lines; a module with line numbers depends on them.
static int source_add(struct variant_job *job, const char *folder, struct sha256 *sha, struct arena *arena,
                      struct err *err) {
    const bool is_cuda = job->toolchain.is_cuda;
    if (!is_cuda) TRY(text_add(job, folder, sha, arena, err));
    return is_cuda || key_flags_keep_lines(job->request->kernel) ? files_add(job, folder, sha, arena, err)
                                                                 : 0;
}

// The source must be an ordinary file below the manifest's folder, wherever symbolic links lead.
static int source_check(const struct variant_request *request, struct err *err) {
    const struct manifest_kernel *kernel = request->kernel;
    char *path = path_join(request->dir, kernel->source);
    char *folder = realpath(str_or(request->source_dir, request->dir), NULL);
    char *file = realpath(path, NULL); // its errno is read below
    const size_t length = folder ? strlen(folder) : 0;
    struct file_input input;
    int result = 0;
    if (!file && errno != ENOENT && errno != ENOTDIR) {
        result = err_set_errno(err, ERR_NO_INPUT, "cannot read '%s'", path);
    } else if (!file) {
        result = revision_explain_missing(request->dir, kernel->source, err);
        if (result == 0)
            result = err_set(err, ERR_NO_INPUT, "no file '%s' in '%s'; correct its name in the manifest",
                             kernel->source, request->dir);
    } else if (!folder || !str_starts(file, folder) || (file[length] != '/' && length > 1)) {
        result = err_set(err, ERR_CONFIG, "source: " MANIFEST_SOURCE_RULE "; '%s' is a link to '%s'",
                         kernel->source, file);
    } else {
        result = file_open(path, SIZE_MAX, &input, err);
        if (result == 0) file_close(&input);
    }
    if (result < 0) err_prefix(err, "kernel '%s'", kernel->name);
    free(path);
    free(folder);
    free(file);
    return result;
}

static int confined_source_add(struct variant_job *job, struct sha256 *sha, struct arena *arena,
                               struct err *err) {
    struct build_stage stage;
    TRY(build_stage_open(arena, &stage, err));
    sha256_add_text(sha, "confined"); // what a stranger's compiler made is nobody else's module
    const int code = source_add(job, stage.dir, sha, arena, err);
    build_stage_close(&stage);
    return code;
}

int variant_source_prepare(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct variant_request *request = job->request;
    const struct manifest_kernel *kernel = request->kernel;
    TRY(source_check(request, err));
    TRY(toolchain_find(kernel->source, arena, &job->toolchain, err));
    const struct toolchain_use use = {.toolchain = &job->toolchain,
                                      .kernel = kernel,
                                      .dir = request->dir,
                                      .settings = job->settings,
                                      .setting_count = job->setting_count,
                                      .arch = request->arch};
    TRY(toolchain_flags(&use, arena, &job->flags, err));
    struct sha256 sha = sha256_make();
    sha256_add_text(&sha, "source 4"); // raise it when the way of compiling changes
    sha256_add_u64(&sha, ASSAY_ABI_VERSION);
    sha256_add_text(&sha, job->toolchain.program);
    sha256_add_text(&sha, job->toolchain.version);
    sha256_add_text(&sha, job->toolchain.target);
    for (size_t i = 0; i < job->flags.count; ++i) sha256_add_text(&sha, job->flags.words[i]);
    if (kernel->call) {
        job->shim = call_shim_text(kernel, job->settings, job->setting_count, arena);
        sha256_add_text(&sha, job->shim);
    }
    TRY(key_flags_add(job, arena, &sha, err));
    if (request->limits)
        TRY(confined_source_add(job, &sha, arena, err));
    else
        TRY(source_add(job, NULL, &sha, arena, err));
    // A key that nobody has.
    if (job->has_unknown_inputs || (request->limits && request->limits->own_dir)) {
        sha256_add_u64(&sha, (uint64_t)getpid());
        sha256_add_u64(&sha, clock_ns());
    }
    sha256_hex(sha, job->key);
    job->is_done = !job->has_unknown_inputs && build_cache_find(job->key, arena, &job->entry);
    return 0;
}
