// SPDX-License-Identifier: Apache-2.0
//
// Kernels that assay compiles, and their cache key: the preprocessed source, which includes the headers, the
// flags, the compiler and the ABI. For CUDA, where the host and each target see different preprocessed text,
// the contents of all files read are hashed instead.
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/compile/build_tool_internal.h"
#include "control/compile/depfile.h"
#include "control/compile/variant_internal.h"

#define PREPROCESSED_BYTES_MAX ((size_t)256 << 20)

// Hashes the files of a depfile by content, not by name.
static int dependencies_add(const struct variant_job *job, const char *depfile, struct hash_state *hash,
                            struct arena *arena, struct err *err) {
    struct depfile reader = {.at = depfile};
    size_t count = 0;
    for (const char *name; (name = depfile_next(&reader, arena)); ++count) {
        char hex[HASH_HEX_BYTES], *path = path_join(job->request->dir, name);
        int result = hash_file_hex(path, hex, err);
        free(path);
        if (result < 0) return err_prefix(err, "kernel '%s'", job->request->kernel->name);
        hash_add_text(hash, hex);
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
    return err_set(err, ERR_BUILD, "kernel '%s' does not build: %s failed on '%s':\n%s", kernel->name,
                   job->toolchain.label, kernel->source, log_tail(output, BUILD_LOG_BYTES));
}

static int source_add(struct variant_job *job, struct hash_state *hash, struct arena *arena,
                      struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char **argv = arena_array(arena, job->flags.count + job->flags.path_count + 5, sizeof *argv);
    size_t n = 0;
    argv[n++] = job->toolchain.program;
    memcpy(argv + n, job->flags.words, job->flags.count * sizeof *argv);
    n += job->flags.count;
    memcpy(argv + n, job->flags.path_words, job->flags.path_count * sizeof *argv);
    n += job->flags.path_count;
    argv[n++] = job->toolchain.is_cuda ? "-M" : "-E";
    if (!job->toolchain.is_cuda) argv[n++] = "-P";
    argv[n++] = kernel->source;
    const struct proc_spec spec = {.argv = argv,
                                   .env_remove = build_tool_env_remove(),
                                   .starts_others = true,
                                   .dir = job->request->dir,
                                   .env_add = build_tool_env(arena),
                                   .timeout_ns = BUILD_TIMEOUT_NS,
                                   .output_limit_bytes = PREPROCESSED_BYTES_MAX};
    struct strbuf text = {0}, log = {0};
    struct proc_status status;
    int result = proc_run_split(&spec, &status, &text, &log, err);
    if (result == 0 && (status.end != PROC_EXITED || status.exit_code != 0))
        result = variant_compile_fail(job, str_or(getenv("TMPDIR"), "/tmp"), strbuf_text(&log), err);
    if (result == -ERR_CANCELLED)
        err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' was being built", kernel->name);
    if (result == 0 && job->toolchain.is_cuda) {
        result = dependencies_add(job, strbuf_text(&text), hash, arena, err);
    } else if (result == 0) { // blank lines, which comments leave behind, are skipped
        const char *line = strbuf_text(&text);
        for (size_t length; *line; line += length) {
            length = strcspn(line, "\n");
            const bool is_blank = length == 0;
            length += line[length] != 0;
            if (!is_blank) hash_add(hash, line, length);
        }
    }
    strbuf_fini(&text);
    strbuf_fini(&log);
    return result;
}

int variant_source_prepare(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct variant_request *request = job->request;
    const struct manifest_kernel *kernel = request->kernel;
    char *path = path_join(request->dir, kernel->source);
    bool is_there = file_exists(path);
    free(path);
    if (!is_there) {
        return err_set(err, ERR_NO_INPUT,
                       "kernel '%s': no file '%s' in '%s'; correct 'source' in the manifest", kernel->name,
                       kernel->source, request->dir);
    }
    TRY(toolchain_find(kernel->source, arena, &job->toolchain, err));
    const struct toolchain_use use = {.toolchain = &job->toolchain,
                                      .kernel = kernel,
                                      .dir = request->dir,
                                      .settings = job->settings,
                                      .setting_count = job->setting_count,
                                      .arch = request->arch};
    TRY(toolchain_flags(&use, arena, &job->flags, err));
    struct hash_state *hash = hash_new();
    const uint32_t abi = ASSAY_ABI_VERSION;
    hash_add_text(hash, "source 3"); // raise it when the way of compiling changes
    hash_add(hash, &abi, sizeof abi);
    hash_add_text(hash, job->toolchain.program);
    hash_add_text(hash, job->toolchain.version);
    hash_add_text(hash, job->toolchain.target);
    for (size_t i = 0; i < job->flags.count; ++i) hash_add_text(hash, job->flags.words[i]);
    const int result = source_add(job, hash, arena, err);
    hash_take_hex(hash, job->key); // frees the hash, whatever the result
    if (result < 0) return result;
    job->is_done = build_cache_find(job->key, arena, &job->entry);
    return 0;
}
