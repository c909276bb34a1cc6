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

// ERR_NO_INPUT: one is not there.
static int find_files(const struct declared *const *declared, size_t count, struct arena *arena,
                      const char **ret_paths, struct err *err) {
    for (size_t i = 0; i < count; ++i) {
        char *joined = path_join(declared[i]->reference.dir, declared[i]->reference.source);
        char *path = path_absolute(joined);
        ret_paths[i] = arena_strdup(arena, path);
        free(path);
        free(joined);
        if (!file_exists(ret_paths[i]))
            return err_set(err, ERR_NO_INPUT, "%s: there is no such file", declared[i]->reference.source);
    }
    return 0;
}

// What an interpreter said, and how it ended.
struct answers {
    struct strbuf lines, printed;
    struct proc_status status;
};

// An answer that is missing is of the file that ended the interpreter.
static int take_answers(struct answers *from, const struct declared *const *declared, size_t count,
                        struct arena *arena, const char **ret, struct err *err) {
    const bool has_ended = from->status.end == PROC_EXITED && !from->status.exit_code;
    char *line = from->lines.text;
    for (size_t i = 0; i < count; ++i) {
        char *end = line ? strchr(line, '\n') : NULL;
        if (!end || *line != '{' || (i + 1 == count && !has_ended))
            return fail(&from->status, declared[i]->reference.source, &from->printed, err);
        ret[i] = arena_strndup(arena, line, (size_t)(end - line));
        line = end + 1;
    }
    return 0;
}

int python_declare(const struct manifest_asker *asker, struct manifest *manifest,
                   const struct declared *const *declared, size_t count, const char **ret_answers,
                   struct err *err) {
    struct arena *arena = &manifest->arena;
    const char *dir = declared[0]->reference.dir;
    char *interpreter = NULL, *peers = NULL, *program = NULL;
    char *tree = revision_tree_of(dir), *told = tree ? mem_format("%s=%s", WORK_REVISION_TREES, tree) : NULL;
    const char *const python_env[] = {"PYTHONHASHSEED=0", told, NULL}; // as for workers
    const char **paths = arena_array(arena, count, sizeof *paths);
    const char **argv = arena_array(arena, 2 * count + 6, sizeof *argv);
    char **env = NULL;
    struct answers answers = {0};
    struct scratch_folder scratch = {0};
    struct python_argv worker = {0};
    int code = find_files(declared, count, arena, paths, err);
    if (code == 0)
        code = python_program_find(manifest->python_interpreter, str_or(asker->dir, manifest->dir),
                                   &interpreter, err);
    if (code == 0) code = python_program_peers(&peers, err);
    if (code == 0) code = python_argv_make(interpreter, &worker, err);
    if (code == 0) code = scratch_folder_open(&scratch, err);
    if (code < 0) goto out;
    program = path_join(peers, PROGRAM);
    const char *const first[] = {interpreter, program, worker.library, scratch.path,
                                 arena_format(arena, "%" PRIu64, run_limits_memory_bytes(&manifest->limits))};
    memcpy(argv, first, sizeof first);
    for (size_t i = 0; i < count; ++i) {
        argv[5 + 2 * i] = paths[i];
        argv[6 + 2 * i] = declared[i]->name;
    }
    env = clean_environment_new(scratch.path, python_env, false);
    const struct proc_spec spec = {.argv = argv,
                                   .env = (const char *const *)env,
                                   .dir = dir,
                                   .starts_others = true,
                                   .timeout_ns = count * run_limits_reference_ns(&manifest->limits),
                                   .memory_limit_bytes = run_limits_memory_bytes(&manifest->limits),
                                   .output_limit_bytes = count * ANSWER_BYTES_MAX};
    code = proc_run_split(&spec, &answers.status, &answers.lines, &answers.printed, err);
    if (code == 0) code = take_answers(&answers, declared, count, arena, ret_answers, err);
out:
    strbuf_fini(&answers.lines);
    strbuf_fini(&answers.printed);
    free(tree);
    free(told);
    free(interpreter);
    free(peers);
    free(program);
    clean_environment_free(env);
    python_argv_free(&worker);
    scratch_folder_close(&scratch);
    return code;
}
