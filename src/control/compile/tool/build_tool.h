// SPDX-License-Identifier: Apache-2.0
//
// Running compilers, make, Ninja and git: quoting for the shell, an environment without the variables of a
// git hook that may have called us, and the end of a log for an error message.
#ifndef CONTROL_COMPILE_TOOL_BUILD_TOOL_H
#define CONTROL_COMPILE_TOOL_BUILD_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/process/proc.h"
#include "base/strbuf.h"

#define BUILD_TIMEOUT_NS (UINT64_C(3600) * 1000000000) // one compiler run or one own build
#define BUILD_LOG_BYTES  3000                          // end of a log that an error message shows

// Adds 'text' quoted for sh.
void shell_quote(struct strbuf *out, const char *text);

// GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE and their like, for proc_spec.env_remove.
const char *const *build_tool_env_remove(void);

// "CCACHE_DIR=...", "LC_ALL=C": ccache in a folder of our own unless the user chose one.
const char *const *build_tool_env(struct arena *arena);

// What `program argument` prints. ERR_UNAVAILABLE when it cannot be run or fails.
int build_tool_query(const char *program, const char *argument, struct arena *arena, const char **ret,
                     struct err *err);
// The same with several arguments, NULL-terminated.
int build_tool_query_words(const char *program, const char *const *arguments, struct arena *arena,
                           const char **ret, struct err *err);
// Appends to a NULL-terminated list of words in the arena.
void words_add(struct arena *arena, const char ***words, size_t *count, const char *word);

// Whether a tool that failed and printed `output` ran out of disk space in dir or in its temporary folder.
bool build_tool_is_disk_full(const char *dir, const char *output);
// ERR_IO: the kernel cannot be built because the disk is full.
int build_tool_fail_disk_full(const char *kernel, struct err *err);

// The last lines of a text, at most byte_count bytes of it, beginning at a line.
const char *log_tail(const char *text, size_t byte_count);

#endif
