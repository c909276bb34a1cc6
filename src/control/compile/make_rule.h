// SPDX-License-Identifier: Apache-2.0
//
// Which files does a rule name that a compiler wrote for make (-M)? Names are read as gcc and nvcc quote
// them: "\ " is a blank in a name, backslashes before it are doubled, "\#" is #, "$$" is $. A backslash
// before anything else stands for itself.
#ifndef CONTROL_COMPILE_MAKE_RULE_H
#define CONTROL_COMPILE_MAKE_RULE_H

#include <stdbool.h>

#include "base/arena.h"

// A zeroed one with `at` at the text stands at its beginning.
struct make_rule {
    const char *at;
    bool is_behind_colon;
};

// The next prerequisite, in the arena; of all rules, where there are several (-MP). NULL at the end.
const char *make_rule_next(struct make_rule *rule, struct arena *arena);

#endif
