// SPDX-License-Identifier: Apache-2.0
//
// The list of operators: one line each. OPERATOR(x) stands for `const struct operator_def x_operator`,
// which the operator's own file defines.
#include <string.h>

#include "op/operator.h"

#define OPERATORS(OPERATOR)                                                                                  \
    OPERATOR(attention)                                                                                      \
    OPERATOR(gemm)                                                                                           \
    OPERATOR(scale)

#define OPERATOR_DECLARE(name) extern const struct operator_def name##_operator;
#define OPERATOR_ENTRY(name)   &name##_operator,

OPERATORS(OPERATOR_DECLARE)

static const struct operator_def *const operators[] = {OPERATORS(OPERATOR_ENTRY)};

enum { COMPILED_COUNT = sizeof operators / sizeof *operators };

const struct operator_set operators_compiled;

const struct operator_def *operator_at(const struct operator_set *set, size_t index) {
    if (index < COMPILED_COUNT) return operators[index];
    return index - COMPILED_COUNT < set->declared_count ? set->declared[index - COMPILED_COUNT] : NULL;
}

static const struct operator_def *find(const struct operator_set *set, const char *name, size_t length) {
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(set, i)); ++i)
        if (strlen(op->name) == length && memcmp(op->name, name, length) == 0) return op;
    return NULL;
}

const struct operator_def *operator_find(const struct operator_set *set, const char *name) {
    return name ? find(set, name, strlen(name)) : NULL;
}

const struct operator_def *operator_of_problem(const struct operator_set *set, const char *name) {
    return find(set, name, strcspn(name, "/"));
}

const struct op_suite *operator_suite_at(const struct operator_set *set, size_t index,
                                         const struct operator_def **ret_op) {
    for (size_t i = 0; (*ret_op = operator_at(set, i)); ++i)
        for (const struct op_suite *suite = (*ret_op)->suites; suite && suite->name; ++suite)
            if (index-- == 0) return suite;
    return NULL;
}

const struct op_peer *operator_peer_at(const struct operator_set *set, size_t index,
                                       const struct operator_def **ret_op) {
    for (size_t i = 0; (*ret_op = operator_at(set, i)); ++i)
        for (const struct op_peer *peer = (*ret_op)->peers; peer && peer->name; ++peer)
            if (index-- == 0) return peer;
    return NULL;
}
