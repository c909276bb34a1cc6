// SPDX-License-Identifier: Apache-2.0
//
// How is git called so that asking changes nothing in the user's repository?
#include "control/compile/git_command.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "control/compile/build_tool.h"

#define GIT_OUTPUT_BYTES ((size_t)1 << 20)

int git_run(const char *dir, const char *const *arguments, bool *ret_is_ok, char **ret_output,
            struct err *err) {
    static const char *const prefix[] = {
        "git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", "-c", "gc.auto=0"};
    static const char *const env[] = {"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", NULL};
    const size_t prefix_count = sizeof prefix / sizeof *prefix;
    char *git = path_find_program("git");
    if (!git) {
        return err_set(err, ERR_UNAVAILABLE,
                       "revisions need the program 'git', which is not on PATH; install git");
    }
    free(git);
    struct arena arena = {0};
    size_t count = 0;
    while (arguments[count]) ++count;
    const char **argv = arena_array(&arena, prefix_count + count + 1, sizeof *argv);
    memcpy(argv, prefix, sizeof prefix);
    memcpy(argv + prefix_count, arguments, count * sizeof *argv);
    const struct proc_spec spec = {.argv = argv,
                                   .env_remove = build_tool_env_remove(),
                                   .dir = dir,
                                   .env_add = env,
                                   .timeout_ns = BUILD_TIMEOUT_NS,
                                   .output_limit_bytes = GIT_OUTPUT_BYTES};
    struct proc_status status;
    struct strbuf out = {0}, complaint = {0};
    int result = proc_run_split(&spec, &status, &out, &complaint, err);
    if (result == 0) {
        *ret_is_ok = status.end == PROC_EXITED && status.exit_code == 0;
        struct strbuf *said = *ret_is_ok ? &out : &complaint;
        strbuf_add(said, "");
        while (said->length && said->text[said->length - 1] == '\n') said->text[--said->length] = 0;
        *ret_output = strbuf_take(said);
    }
    strbuf_fini(&out);
    strbuf_fini(&complaint);
    arena_fini(&arena);
    return result;
}

char *git_query(const char *dir, const char *const *arguments) {
    bool is_ok = false;
    char *output = NULL;
    if (git_run(dir, arguments, &is_ok, &output, NULL) < 0) return NULL;
    if (is_ok) return output;
    free(output);
    return NULL;
}
