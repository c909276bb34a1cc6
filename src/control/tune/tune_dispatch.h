// SPDX-License-Identifier: Apache-2.0
//
// From the variant that is chosen for each measured problem to ranges of problems: the fewest boxes that a
// greedy merge finds, none of which holds a problem with another choice.
#ifndef CONTROL_TUNE_TUNE_DISPATCH_H
#define CONTROL_TUNE_TUNE_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "op/operator.h"

#define TUNE_AXES_MAX 16

// A problem's name in two parts: its kind, "NAME/fp16/b*/s*/causal", and the numbers of its axes.
struct tune_shape {
    char kind[PROBLEM_NAME_BYTES];
    size_t axis_count;
    int64_t axes[TUNE_AXES_MAX];
};
struct tune_shape tune_shape_parse(const char *problem);

struct tune_choice {
    const char *problem;
    size_t variant;
    bool is_exact; // the variant does not take every problem: it is chosen for this one, and for no other
};

struct tune_range {
    struct tune_shape low;       // kind and lower ends
    int64_t high[TUNE_AXES_MAX]; // both ends are in the range
    size_t variant, problem_count;
    bool is_exact; // one problem, of a variant that does not take every problem
};

// ret: as many as choices. Of a shape that was measured with several input distributions the first choice
// counts. Returns the number of ranges, in the order of their first problems.
size_t tune_dispatch_make(const struct tune_choice *choices, size_t count, struct tune_range *ret);

#endif
