// SPDX-License-Identifier: Apache-2.0
//
// See python_imports.h.
#include "control/exec/python_imports.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/compile/variant.h"
#include "record/work_order.h"

#define PROGRAM "assay_imports.py"
#define LIMIT_S 60 // it reads some files

static int ask(const struct declared_reference *reference, struct strbuf *ret, struct err *err) {
    const char *tree = reference->python_tree;
    char *peers = path_dir(reference->python_bridge), *program = path_join(peers, PROGRAM);
    char *told = tree ? mem_format("%s=%s", WORK_REVISION_TREES, tree) : NULL;
    const char *const argv[] = {reference->python_interpreter, "-B", program, reference->module_path, NULL};
    const char *const add[] = {told, NULL};
    char **env = clean_environment_new(NULL, add, false);
    const struct proc_spec spec = {
        .argv = argv, .env = (const char *const *)env, .timeout_ns = LIMIT_S * UINT64_C(1000000000)};
    struct proc_status status;
    struct strbuf printed = {0};
    int code = proc_run_split(&spec, &status, ret, &printed, err);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code || !ret->length)) {
        code = err_set(err, ERR_CONFIG,
                       "'%s' cannot say what the reference imports:", reference->python_interpreter);
        err_add_lines(err, strbuf_text(&printed));
    }
    strbuf_fini(&printed);
    clean_environment_free(env);
    free(told);
    free(program);
    free(peers);
    return code;
}

int python_imports_hash(const struct declared_reference *reference, char ret_hex[SHA256_HEX_BYTES],
                        struct err *err) {
    struct arena arena = {0};
    struct strbuf answer = {0};
    const char *folder;
    const char *function = declared_callable(&arena, reference->module_path, reference->function, &folder);
    int code = variant_python_hash(function, folder, ret_hex, err);
    if (code >= 0) code = ask(reference, &answer, err);
    if (code == 0) {
        struct sha256 sha = sha256_make();
        sha256_add_text(&sha, ret_hex);
        sha256_add_text(&sha, strbuf_text(&answer));
        sha256_hex(sha, ret_hex);
    }
    strbuf_fini(&answer);
    arena_fini(&arena);
    return code < 0 ? code : 0;
}
