// SPDX-License-Identifier: Apache-2.0
//
// See python_declare.h.
#include "control/exec/python_declare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/compile/revision.h"
#include "control/exec/python_program.h"
#include "control/exec/scratch_folder.h"
#include "record/work_order.h"

#define PROGRAM          "assay_declare.py"
#define ANSWER_BYTES_MAX ((size_t)2 << 20) // a larger one is no document of a manifest

// The last line with anything in it; what is behind it is cut off.
static const char *last_line(struct strbuf *text) {
    char *start = text->length ? text->text : NULL;
    for (char *newline; start && (newline = strrchr(start, '\n'));) {
        if (newline[1]) return newline + 1;
        *newline = 0;
    }
    return start ? start : "";
}

static int fail(const struct proc_status *status, const char *file, struct strbuf *printed, struct err *err) {
    struct strbuf end = {0};
    const char *said = last_line(printed);
    proc_status_format(status, &end);
    int code;
    if (status->end == PROC_TIMEOUT)
        code = err_set(err, ERR_CONFIG,
                       "%s: to say what it declares took longer than limits.reference_s: its functions are "
                       "called with small sizes, and return at once",
                       file);
    else
        code = err_set(err, ERR_CONFIG, "%s: Python %s before it said what the file declares%s%s", file,
                       strbuf_text(&end), *said ? ": " : "", str_shown(said).text);
    strbuf_fini(&end);
    return code;
}

int python_declare(const struct manifest_asker *asker, struct manifest *manifest,
                   const struct declared *declared, const char **ret_answer, struct err *err) {
    const char *dir = declared->reference.dir, *file = declared->reference.source;
    char *interpreter = NULL, *peers = NULL, *program = NULL, *joined = path_join(dir, file);
    char *tree = revision_tree_of(dir), *told = tree ? mem_format("%s=%s", WORK_REVISION_TREES, tree) : NULL;
    const char *const python_env[] = {"PYTHONHASHSEED=0", told, NULL}; // as for workers
    char *path = path_absolute(joined), **env = NULL, memory_bytes[24];
    struct strbuf answer = {0}, printed = {0};
    struct scratch_folder scratch = {0};
    struct python_argv worker = {0};
    struct proc_status status;
    int code = file_exists(path) ? 0 : err_set(err, ERR_NO_INPUT, "%s: there is no such file", file);
    if (code == 0)
        code = python_program_find(manifest->python_interpreter, str_or(asker->dir, manifest->dir),
                                   &interpreter, err);
    if (code == 0) code = python_program_peers(&peers, err);
    if (code == 0) code = python_argv_make(interpreter, &worker, err);
    if (code == 0) code = scratch_folder_open(&scratch, err);
    if (code < 0) goto out;
    program = path_join(peers, PROGRAM);
    snprintf(memory_bytes, sizeof memory_bytes, "%" PRIu64, run_limits_memory_bytes(&manifest->limits));
    const char *const argv[] = {interpreter,    program,      worker.library, path,
                                declared->name, scratch.path, memory_bytes,   NULL};
    env = clean_environment_new(scratch.path, python_env);
    const struct proc_spec spec = {.argv = argv,
                                   .env = (const char *const *)env,
                                   .dir = dir,
                                   .starts_others = true,
                                   .timeout_ns = run_limits_reference_ns(&manifest->limits),
                                   .memory_limit_bytes = run_limits_memory_bytes(&manifest->limits),
                                   .output_limit_bytes = ANSWER_BYTES_MAX};
    code = proc_run_split(&spec, &status, &answer, &printed, err);
    if (code < 0) goto out;
    const char *line = last_line(&answer);
    if (status.end != PROC_EXITED || status.exit_code || *line != '{')
        code = fail(&status, file, &printed, err);
    else
        *ret_answer = arena_strdup(&manifest->arena, line);
out:
    strbuf_fini(&answer);
    strbuf_fini(&printed);
    free(tree);
    free(told);
    free(interpreter);
    free(peers);
    free(program);
    free(path);
    free(joined);
    clean_environment_free(env);
    python_argv_free(&worker);
    scratch_folder_close(&scratch);
    return code;
}
