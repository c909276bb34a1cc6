// SPDX-License-Identifier: Apache-2.0
//
// See library.h.
#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct library_place library_place_of(const char *name, const char *env) {
    const char *given = getenv(env);
    const bool is_given = given && *given;
    return (struct library_place){.path = is_given ? given : name, .is_given = is_given};
}

void *library_open(const char *path, const char **ret_why) {
    struct stat info;
    if (strchr(path, '/') && stat(path, &info) == 0 &&
        !S_ISREG(info.st_mode)) { // the loader would wait on a pipe
        *ret_why = "it is no file";
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    *ret_why = library || why ? why : path;
    return library;
}

const char *library_find(void *library, const struct library_symbol *symbols, size_t count) {
    const char *missing = NULL;
    for (size_t i = 0; i < count; ++i) {
        // dlsym returns an object pointer. ISO C has no cast to a function pointer; POSIX gives both the
        // same bytes, so copy them.
        void *address = dlsym(library, symbols[i].name);
        memcpy(symbols[i].member, &address, sizeof address);
        if (!address && !symbols[i].is_optional && !missing) missing = symbols[i].name;
    }
    return missing;
}
