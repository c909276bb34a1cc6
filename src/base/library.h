// SPDX-License-Identifier: Apache-2.0
//
// A shared library that is looked for when it is needed and never linked: machines without it run the same
// program.
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// The path in the environment's variable `env` where that is set and not empty, else `name` where the loader
// finds it.
struct library_place {
    const char *path;
    bool is_given; // by the environment
};
struct library_place library_place_of(const char *name, const char *env);

// Stays loaded until dlclose. NULL: *ret_why is the loader's reason, until the next call of this.
void *library_open(const char *path, const char **ret_why);

struct library_symbol {
    const char *name;
    void *member; // a pointer to a function lies here; it becomes NULL where the library lacks it
    bool is_optional;
};

// Fills all members. The name of the first that is missing and not optional; NULL: none is.
const char *library_find(void *library, const struct library_symbol *symbols, size_t count);

#endif
