// SPDX-License-Identifier: Apache-2.0
//
// Running git in a folder: without hooks, without taking optional locks (the user's index is left alone),
// without the environment of a hook that may have called us.
#ifndef CONTROL_COMPILE_GIT_COMMAND_H
#define CONTROL_COMPILE_GIT_COMMAND_H

#include <stdbool.h>

#include "base/err.h"

// arguments: NULL-terminated, after "git". *ret_output: its standard output without the last newline, caller
// frees. *ret_is_ok: exit code 0; otherwise *ret_output is its standard error. ERR_UNAVAILABLE when git is
// not installed.
int git_run(const char *dir, const char *const *arguments, bool *ret_is_ok, char **ret_output,
            struct err *err);

// As git_run, NULL when it fails for any reason. Caller frees.
char *git_query(const char *dir, const char *const *arguments);

#endif
