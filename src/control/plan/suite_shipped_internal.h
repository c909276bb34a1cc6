// SPDX-License-Identifier: Apache-2.0
//
// The suites that come with assay, as data. Everybody but suite.c uses control/plan/suite.h.
#ifndef CONTROL_PLAN_SUITE_SHIPPED_INTERNAL_H
#define CONTROL_PLAN_SUITE_SHIPPED_INTERNAL_H

#include <stddef.h>

struct shipped_problem {
    const char *short_name; // NULL in matrix suites
    const char *fields;     // the problem's name after operator and dtype: "b32/h8/s512/d64"
};

struct shipped_suite {
    const char *name, *summary;
    const char *op, *dtype;
    size_t problem_count;
    const struct shipped_problem *problems;
};

const struct shipped_suite *shipped_suite_at(size_t index); // NULL past the end

#endif
