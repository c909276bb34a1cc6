// SPDX-License-Identifier: Apache-2.0
//
// Optional shared libraries, loaded with dlopen when needed and never linked, so that the same program
// runs on machines without them.
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// Where a library is: the path in environment variable `env` if that is set and not empty, else `name`,
// searched by the loader.
struct library_place {
    const char *path;
    bool is_given; // by the environment variable
};
struct library_place library_place_of(const char *name, const char *env);

// Returns the dlopen handle, which stays loaded until dlclose. NULL on failure: *ret_why is the loader's
// reason, valid until the next call.
void *library_open(const char *path, const char **ret_why);

struct library_symbol {
    const char *name;
    void *member; // address of a function pointer; set to NULL if the library lacks the symbol
    bool is_optional;
};

// Resolves all symbols. Returns the name of the first required symbol that is missing, or NULL.
const char *library_find(void *library, const struct library_symbol *symbols, size_t count);

#endif
