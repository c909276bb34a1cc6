// SPDX-License-Identifier: Apache-2.0
//
// Questions to git, for revision.c and revision_history.c.
#ifndef CONTROL_COMPILE_GIT_COMMAND_INTERNAL_H
#define CONTROL_COMPILE_GIT_COMMAND_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"

// Runs git in dir without hooks, without optional locks (the user's index is left alone) and without the
// environment of a hook that may have called us. arguments: NULL-terminated, after "git". *ret_is_ok: exit
// code 0. *ret_output: standard output without the last newline, or standard error when it failed; caller
// frees. ERR_UNAVAILABLE when git is not installed.
int git_command_run(const char *dir, const char *const *arguments, bool *ret_is_ok, char **ret_output,
                    struct err *err);
// As git_command_run, NULL when it fails for any reason. Caller frees.
char *git_command_query(const char *dir, const char *const *arguments);

// The full commit id, which the caller frees; NULL when there is no such commit.
char *git_commit_find(const char *repository, const char *name);
// The same for a name that a person gave. ERR_USAGE.
int git_commit_resolve(const char *name, const char *repository, char **ret_commit, struct err *err);
// The root of dir's repository, and the path of dir below it ("" or "sub/"). Caller frees. ERR_UNAVAILABLE.
int git_repository_find(const char *dir, char **ret_root, char **ret_prefix, struct err *err);

#endif
