// SPDX-License-Identifier: Apache-2.0
//
// How are tools called so that neither a path with blanks nor the environment of a git hook changes what they do?
#include "build/build_tool.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

void shell_quote(struct strbuf *out, const char *text) {
    strbuf_add_char(out, '\'');
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            strbuf_add(out, "'\\''");
        else
            strbuf_add_char(out, *p);
    }
    strbuf_add_char(out, '\'');
}

const char *const *build_tool_argv(struct arena *arena, const char *const *argv) {
    // `git rev-parse --local-env-vars`, without GIT_CONFIG_*, through which safe.directory may be granted.
    static const char *const prefix[] = {
        "env",
        "-u",
        "GIT_DIR",
        "-u",
        "GIT_WORK_TREE",
        "-u",
        "GIT_INDEX_FILE",
        "-u",
        "GIT_PREFIX",
        "-u",
        "GIT_COMMON_DIR",
        "-u",
        "GIT_OBJECT_DIRECTORY",
        "-u",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "-u",
        "GIT_IMPLICIT_WORK_TREE",
        "-u",
        "GIT_NAMESPACE",
    };
    const size_t prefix_count = sizeof prefix / sizeof *prefix;
    size_t count = 0;
    while (argv[count]) count++;
    const char **result = arena_array(arena, prefix_count + count + 1, sizeof *result);
    memcpy(result, prefix, sizeof prefix);
    memcpy(result + prefix_count, argv, count * sizeof *result);
    return result;
}

const char *const *build_tool_env(struct arena *arena) {
    const char **env = arena_array(arena, 3, sizeof *env);
    env[0] = "LC_ALL=C";
    const char *chosen = getenv("CCACHE_DIR");
    if (!chosen || !*chosen) {
        char *cache = path_cache_dir();
        env[1] = arena_format(arena, "CCACHE_DIR=%s/ccache", cache);
        free(cache);
    }
    return env;
}

const char *log_tail(const char *text, size_t byte_count) {
    const size_t length = strlen(text);
    if (length <= byte_count) return text;
    const char *tail = text + length - byte_count;
    const char *line = strchr(tail, '\n');
    return line && line[1] ? line + 1 : tail;
}
