// SPDX-License-Identifier: Apache-2.0
//
// The list of operators: one line each. OPERATOR(x) stands for `const struct operator_def x_operator`,
// which the operator's own file defines.
#include "base/strbuf.h"
#include "op/operator.h"

#define OPERATORS(OPERATOR)                                                                                  \
    OPERATOR(attention)                                                                                      \
    OPERATOR(gemm)                                                                                           \
    OPERATOR(scale)

#define OPERATOR_DECLARE(name) extern const struct operator_def name##_operator;
#define OPERATOR_ENTRY(name)   &name##_operator,

OPERATORS(OPERATOR_DECLARE)

static const struct operator_def *const operators[] = {OPERATORS(OPERATOR_ENTRY)};

const struct operator_def *operator_at(size_t index) {
    return index < sizeof operators / sizeof operators[0] ? operators[index] : NULL;
}

const struct operator_def *operator_find(const char *name) {
    for (size_t i = 0; operator_at(i); ++i)
        if (str_equal(operator_at(i)->name, name)) return operator_at(i);
    return NULL;
}

const struct op_suite *operator_suite_at(size_t index, const struct operator_def **ret_op) {
    for (size_t i = 0; (*ret_op = operator_at(i)); ++i)
        for (const struct op_suite *suite = (*ret_op)->suites; suite && suite->name; ++suite)
            if (index-- == 0) return suite;
    return NULL;
}

const struct op_peer *operator_peer_at(size_t index, const struct operator_def **ret_op) {
    for (size_t i = 0; (*ret_op = operator_at(i)); ++i)
        for (const struct op_peer *peer = (*ret_op)->peers; peer && peer->name; ++peer)
            if (index-- == 0) return peer;
    return NULL;
}
