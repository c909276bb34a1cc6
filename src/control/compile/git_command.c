// SPDX-License-Identifier: Apache-2.0
//
// See git_command_internal.h.
#include "control/compile/git_command_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/compile/tool/build_tool.h"

#define GIT_OUTPUT_BYTES ((size_t)4 << 20)

int git_command_run(const char *dir, const char *const *arguments, bool *ret_is_ok, char **ret_output,
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
        struct strbuf *text = *ret_is_ok ? &out : &complaint;
        strbuf_add(text, "");
        while (text->length && text->text[text->length - 1] == '\n') text->text[--text->length] = 0;
        *ret_output = strbuf_take(text);
    }
    strbuf_fini(&out);
    strbuf_fini(&complaint);
    arena_fini(&arena);
    return result;
}

char *git_command_query(const char *dir, const char *const *arguments) {
    bool is_ok = false;
    char *output = NULL;
    if (git_command_run(dir, arguments, &is_ok, &output, NULL) < 0) return NULL;
    if (is_ok) return output;
    free(output);
    return NULL;
}

char *git_commit_find(const char *repository, const char *name) {
    char *asked = mem_format("%s^{commit}", name);
    const char *arguments[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", asked, NULL};
    char *commit = git_command_query(repository, arguments);
    free(asked);
    if (commit && strlen(commit) < 40) {
        free(commit);
        return NULL;
    }
    return commit;
}

int git_commit_resolve(const char *name, const char *repository, char **ret_commit, struct err *err) {
    bool is_clean = *name && name[0] != '-';
    for (const char *p = name; *p; ++p) is_clean = is_clean && (unsigned char)*p >= ' ';
    if (!is_clean)
        return err_set(err, ERR_USAGE,
                       "'%s' names no revision; write one that git knows, such as HEAD~1 (git:HEAD~1 or "
                       "git:merge-base where a kernel could be meant)",
                       name);
    *ret_commit = git_commit_find(repository, name);
    if (*ret_commit) return 0;
    return err_set(
        err, ERR_USAGE,
        "unknown revision '%s' in '%s'; 'git log' lists commits, and in a shallow clone it may have to be "
        "fetched first",
        name, repository);
}

int git_repository_find(const char *dir, char **ret_root, char **ret_prefix, struct err *err) {
    const char *root[] = {"rev-parse", "--show-toplevel", NULL},
               *prefix[] = {"rev-parse", "--show-prefix", NULL};
    bool is_ok = false;
    char *output = NULL;
    TRY(git_command_run(dir, root, &is_ok, &output, err));
    if (!is_ok) {
        err_set(err, ERR_UNAVAILABLE,
                "'%s' lies in no git repository that can be used (%s); a baseline git:REV needs one", dir,
                output);
        free(output);
        return -ERR_UNAVAILABLE;
    }
    *ret_root = output;
    *ret_prefix = git_command_query(dir, prefix);
    if (*ret_prefix) return 0;
    return err_set(err, ERR_UNAVAILABLE, "git cannot say where '%s' lies in its repository", dir);
}
