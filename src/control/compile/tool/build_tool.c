// SPDX-License-Identifier: Apache-2.0
//
// Calling tools so that neither a path with blanks nor the environment of a git hook changes what they do.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "control/compile/tool/build_tool.h"

#define QUERY_TIMEOUT_NS UINT64_C(60000000000)
#define ROOM_BYTES_LEAST ((uint64_t)1 << 20) // with less, an object may not fit

void shell_quote(struct strbuf *out, const char *text) {
    strbuf_add_char(out, '\'');
    for (const char *p = text; *p; ++p) {
        if (*p == '\'')
            strbuf_add(out, "'\\''");
        else
            strbuf_add_char(out, *p);
    }
    strbuf_add_char(out, '\'');
}

const char *const *build_tool_env_remove(void) {
    // `git rev-parse --local-env-vars`, without GIT_CONFIG_*, through which safe.directory may be granted.
    static const char *const names[] = {"GIT_DIR",
                                        "GIT_WORK_TREE",
                                        "GIT_INDEX_FILE",
                                        "GIT_PREFIX",
                                        "GIT_COMMON_DIR",
                                        "GIT_OBJECT_DIRECTORY",
                                        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                        "GIT_IMPLICIT_WORK_TREE",
                                        "GIT_NAMESPACE",
                                        NULL};
    return names;
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

int build_tool_query_words(const char *program, const char *const *arguments, struct arena *arena,
                           const char **ret, struct err *err) {
    const char **argv = NULL, *plain[] = {"LC_ALL=C", NULL};
    size_t count = 0;
    words_add(arena, &argv, &count, program);
    for (size_t i = 0; arguments[i]; ++i) words_add(arena, &argv, &count, arguments[i]);
    const struct proc_spec spec = {.argv = argv, .env_add = plain, .timeout_ns = QUERY_TIMEOUT_NS};
    struct proc_status status;
    struct strbuf output = {0};
    int result = proc_run(&spec, &status, &output, err);
    if (result == 0 && (status.end != PROC_EXITED || status.exit_code != 0)) {
        result = err_set(err, ERR_UNAVAILABLE, "the compiler '%s' does not work: '%s %s' failed: %s", program,
                         program, arguments[0], strbuf_text(&output));
    }
    if (result == 0) *ret = arena_strdup(arena, strbuf_text(&output));
    strbuf_fini(&output);
    return result;
}

int build_tool_query(const char *program, const char *argument, struct arena *arena, const char **ret,
                     struct err *err) {
    const char *const arguments[] = {argument, NULL};
    return build_tool_query_words(program, arguments, arena, ret, err);
}

void words_add(struct arena *arena, const char ***words, size_t *count, const char *word) {
    const char **grown = arena_array(arena, *count + 2, sizeof *grown); // a dozen words: copying is cheap
    if (*count) memcpy(grown, *words, *count * sizeof *grown);
    grown[(*count)++] = word;
    *words = grown;
}

bool build_tool_is_disk_full(const char *dir, const char *output) {
    struct statvfs disk;
    if (strstr(output, "No space left on device") || strstr(output, "Disk quota exceeded")) return true;
    return !*output && statvfs(dir, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < ROOM_BYTES_LEAST;
}

int build_tool_fail_disk_full(const char *kernel, struct err *err) {
    char *cache = path_cache_dir();
    err_set(err, ERR_IO,
            "kernel '%s' cannot be built: no space is left on the disk of '%s' or of temporary files; make "
            "room, or name other folders in XDG_CACHE_HOME and TMPDIR",
            kernel, cache);
    free(cache);
    return -ERR_IO;
}

const char *log_tail(const char *text, size_t byte_count) {
    const size_t length = strlen(text);
    if (length <= byte_count) return text;
    const char *tail = text + length - byte_count;
    const char *line = strchr(tail, '\n');
    return line && line[1] ? line + 1 : tail;
}
