// SPDX-License-Identifier: Apache-2.0
//
// File paths: splitting, joining, and a few well-known places. Text only, apart from path_self,
// path_absolute (the working folder) and path_find_program.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

char *path_join(const char *a, const char *b) {
    if (b[0] == '/' || !*a) return mem_strdup(b);
    if (!*b) return mem_strdup(a);
    return mem_format(str_ends(a, "/") ? "%s%s" : "%s/%s", a, b);
}

// Removes "." and empty components, and ".." with the component before it, from an absolute path, in
// place. Works on the text alone: a link before ".." is not followed.
static void path_normalize(char *path) {
    char *out = path; // path[0] is '/'; everything before out is final
    const char *in = path;
    while (*in) {
        while (*in == '/') ++in;
        size_t length = strcspn(in, "/");
        if (length == 2 && in[0] == '.' && in[1] == '.') {
            while (out > path && *--out != '/') continue;
        } else if (length > 0 && !(length == 1 && in[0] == '.')) {
            *out++ = '/';
            memmove(out, in, length);
            out += length;
        }
        in += length;
    }
    if (out == path) *out++ = '/';
    *out = 0;
}

char *path_absolute(const char *path) {
    char *current = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *joined = path_join(current ? current : "/", path);
    free(current);
    path_normalize(joined);
    return joined;
}

bool path_leads_out(const char *path) {
    int depth = 0;
    if (path[0] == '/') return true;
    for (size_t length; *path; path += length) {
        length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
            --depth;
        else if (length > 0 && !(length == 1 && path[0] == '.'))
            ++depth;
        if (depth < 0) return true;
        length += strspn(path + length, "/");
    }
    return false;
}

bool path_is_within(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    return path &&
           (str_equal(folder, "/") || (str_starts(path, folder) && (!path[length] || path[length] == '/')));
}

char *path_dir(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return mem_strdup(".");
    while (slash > path && slash[-1] == '/') --slash;
    return slash == path ? mem_strdup("/") : mem_format("%.*s", (int)(slash - path), path);
}

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// By the XDG base directory rules, which ignore relative names. NULL: neither variable is set.
static char *user_cache_dir(void) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return path_join(cache, "assay");
    return home && home[0] == '/' ? path_join(home, ".cache/assay") : NULL;
}

bool path_cache_is_temporary(void) {
    char *dir = user_cache_dir();
    const bool is_temporary = !dir;
    free(dir);
    return is_temporary;
}

char *path_cache_dir(void) {
    const char *temporary = getenv("TMPDIR");
    char *dir = user_cache_dir();
    if (dir) return dir;
    return mem_format("%s/assay-cache-%ld", temporary && *temporary ? temporary : "/tmp", (long)getuid());
}

char *path_self(void) {
    char target[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", target, sizeof target - 1);
    if (length < 0) return mem_strdup("assay"); // no /proc: the name, to be looked up on PATH
    target[length] = 0;
    return mem_strdup(target);
}

char *path_beside_self(const char *relative) {
    char *self = path_self(), *dir = path_dir(self), *joined = path_join(dir, relative);
    char *path = path_absolute(joined);
    free(self);
    free(dir);
    free(joined);
    return path;
}

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *path_find_program(const char *name) {
    if (!*name) return NULL;
    if (strchr(name, '/')) return is_program(name) ? mem_strdup(name) : NULL;
    const char *search = getenv("PATH");
    if (!search) search = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t length = strcspn(search, ":");
        char *path = length ? mem_format("%.*s/%s", (int)length, search, name) : mem_format("./%s", name);
        if (is_program(path)) return path;
        free(path);
        if (!search[length]) return NULL;
        search += length + 1;
    }
}
