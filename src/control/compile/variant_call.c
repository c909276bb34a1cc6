// SPDX-License-Identifier: Apache-2.0
//
// A function of a library, as a module: the library becomes part of it (call_body.h), so that there is one
// file to hash, to load and to seal. What is known of the library's code stays what is reported.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/compile/call_shim.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/tool/elf_file.h"
#include "control/compile/variant_internal.h"
#include "control/plan/call.h"

// Whether the library has the function, and may lie anywhere.
static int check_library(const struct variant_job *job, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char *path = job->entry.module_path, *name = str_or(kernel->library, kernel->build_output);
    char *bytes;
    size_t length;
    struct elf_file elf;
    TRY(file_read(path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, path, &elf, err);
    if (result == 0 && !elf_exports(&elf, kernel->call->function))
        result = err_set(err, ERR_BUILD,
                         "'%s' has no function '%s', which 'call' names; C++ and CUDA C++ give it this name "
                         "as extern \"C\", and -fvisibility=hidden hides it",
                         name, kernel->call->function);
    if (result == 0 && elf_has_origin_path(&elf))
        result = err_set(err, ERR_BUILD,
                         "'%s' loads libraries from its own folder ($ORIGIN), which 'call' does not take; "
                         "link it with their absolute folder",
                         name);
    free(bytes);
    return result;
}

static int compile(struct variant_job *job, const char *stage, const char *entry, struct arena *arena,
                   struct err *err) {
    const char *include_dir, *source = arena_format(arena, "%s/call.c", stage);
    char *library_dir = path_dir(job->entry.module_path);
    struct strbuf log = {0};
    struct proc_status status;
    int result = build_include_dir(arena, &include_dir, err);
    if (result == 0) result = file_make_dirs(entry, err);
    if (result == 0) result = file_write_atomic(source, job->shim, strlen(job->shim), err);
    if (result == 0) {
        const char *argv[] = {job->toolchain.program,
                              "-std=gnu17",
                              "-O2",
                              "-g0",
                              "-fPIC",
                              "-shared",
                              "-fvisibility=hidden",
                              "-Wl,--build-id=none",
                              "-Wl,-z,defs",
                              arena_format(arena, "-I%s", include_dir),
                              source,
                              "-o",
                              arena_format(arena, "%s/" BUILD_MODULE_NAME, entry),
                              "-ldl",
                              NULL};
        const struct proc_spec spec = {.argv = argv,
                                       .env_remove = build_tool_env_remove(),
                                       .starts_others = true,
                                       .dir = library_dir,
                                       .env_add = build_tool_env(arena),
                                       .timeout_ns = BUILD_TIMEOUT_NS};
        result = proc_run(&spec, &status, &log, err);
    }
    if (result == 0 && (status.end != PROC_EXITED || status.exit_code != 0)) {
        result = err_set(err, ERR_BUILD, "%s failed on the module that calls '%s':", job->toolchain.label,
                         job->request->kernel->call->function);
        err_add_lines(err, log_tail(strbuf_text(&log), BUILD_LOG_BYTES));
    }
    strbuf_fini(&log);
    free(library_dir);
    return result;
}

static int make(struct variant_job *job, struct arena *arena, struct build_entry *ret, struct err *err) {
    struct build_stage stage;
    TRY(build_stage_open(arena, &stage, err));
    const char *entry = arena_format(arena, "%s/entry", stage.dir);
    ret->report = job->entry.report;
    int result = compile(job, stage.dir, entry, arena, err);
    if (result == 0) result = build_cache_publish(entry, job->key, arena, ret, err);
    build_stage_close(&stage);
    return result;
}

static int add_shim(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    TRY(check_library(job, err));
    TRY(toolchain_find("call.c", arena, &job->toolchain, err));
    job->shim = call_shim_text(kernel, job->settings, job->setting_count, arena);
    const char *const parts[] = {"call 1",
                                 job->shim,
                                 job->entry.report.module_hash,
                                 job->toolchain.program,
                                 job->toolchain.version,
                                 job->toolchain.target};
    struct sha256 sha = sha256_make();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) sha256_add_text(&sha, parts[i]);
    sha256_hex(sha, job->key);
    struct build_entry module = {0};
    if (!build_cache_find(job->key, arena, &module)) TRY(make(job, arena, &module, err));
    job->entry.module_path = module.module_path;
    job->entry.report.module_hash = module.report.module_hash;
    job->entry.report.code_hash = module.report.code_hash;
    return 0;
}

int variant_call(struct variant_job *job, struct arena *arena, struct err *err) {
    const int result = add_shim(job, arena, err);
    job->is_done = result == 0;
    return result < 0 ? err_prefix(err, "kernel '%s'", job->request->kernel->name) : 0;
}
