// SPDX-License-Identifier: Apache-2.0
//
// Depfiles: the rules that a compiler writes for make (-M), read for the files they name. Names are quoted as
// gcc and nvcc do: "\ " is a blank in a name, backslashes before it are doubled, "\#" is #, "$$" is $. A
// backslash before anything else stands for itself.
#ifndef CONTROL_COMPILE_DEPFILE_H
#define CONTROL_COMPILE_DEPFILE_H

#include <stdbool.h>

#include "base/arena.h"

// A reader; begin with {.at = text}.
struct depfile {
    const char *at;
    bool is_behind_colon;
};

// The next prerequisite of any rule (with -MP there are several), in the arena. NULL at the end.
const char *depfile_next(struct depfile *depfile, struct arena *arena);

#endif
