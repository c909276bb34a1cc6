// SPDX-License-Identifier: Apache-2.0
//
// Two results held against each other: decided by the classic rule, and written as JSON. `assay compare` and
// the server answer with this.
#ifndef VERDICT_CLASSIC_RESULT_COMPARISON_H
#define VERDICT_CLASSIC_RESULT_COMPARISON_H

#include "base/strbuf.h"
#include "verdict/classic/classic.h"

struct result_comparison { // baseline, candidate
    struct result *results[2];
    const char *names[2];  // files or runs, as they are said
    const char *hashes[2]; // of their documents; equal ones are one measurement
    const char *format;    // of the candidate's file
    uint32_t sides[2];     // set by the decision
};

// The decision becomes the candidate's. kernel: which, where a result holds several; NULL: its candidate.
int result_comparison_decide(struct result_comparison *comparison, const char *kernel,
                             const struct classic_options *options, struct err *err);
// The decision with what a text report adds: names, format, warnings about the candidate's numbers.
int result_comparison_write(const struct result_comparison *comparison, struct strbuf *out, struct err *err);

#endif
