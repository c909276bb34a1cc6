// SPDX-License-Identifier: Apache-2.0
//
// Expressions over whole numbers of 64 bits, as rules on settings and sizes of declared tensors have them:
// "BLOCK_M % NUM_WARPS == 0", "ceil_div(hidden, 128)", "max(rows, 2) * (heads + 1)". Numbers, names,
// parentheses, the signs + - * / // and %, min, max and ceil_div, and at most one comparison between two
// sums: == != < <= > >=. Both divisions round down, as Python's second does.
#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// The value of a name of that length; false: there is none.
typedef bool (*expression_lookup_fn)(const void *context, const char *name, size_t length, int64_t *ret);

struct expression_scope {
    expression_lookup_fn lookup; // NULL: every name is known and stands for 1, to look at the form alone
    const void *context;
    const char *unknown; // what is said of a name that there is not: "the kernel declares no such setting"
    const char *(*nearest)(const void *context, const char *name); // to suggest; NULL: nothing is
    const char *example;                                           // of an expression, for errors
};

struct expression_value {
    int64_t number;     // of a comparison: 1 where it holds, else 0
    bool is_defined;    // false: division by zero, or beyond 64 bits
    bool is_comparison; // one was in the text
};

// ERR_CONFIG with text and column.
int expression_evaluate(const char *text, const struct expression_scope *scope, struct expression_value *ret,
                        struct err *err);

#endif
