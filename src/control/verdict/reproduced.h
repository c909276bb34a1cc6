// SPDX-License-Identifier: Apache-2.0
//
// Was a stored baseline reproduced? Its problems were measured again; each matches when the median is within
// 3 %, the throughput within 5 %, and the 95 % intervals of the medians overlap. The guards of the classic
// rule apply.
#ifndef CONTROL_VERDICT_REPRODUCED_H
#define CONTROL_VERDICT_REPRODUCED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/result.h"

#define REPRODUCED_MEDIAN_PCT     3.0
#define REPRODUCED_THROUGHPUT_PCT 5.0

struct reproduced_row {
    const char *name;              // short name, else the problem's
    double value_ns, reference_ns; // medians
    double median_change_pct;      // positive: slower now
    double throughput_change_pct;  // positive: more now
    bool do_intervals_overlap, is_match;
    const char *invalid; // why it cannot be said; NULL
};

struct reproduced {
    size_t row_count;
    struct reproduced_row *rows;
    int exit_code;        // 0 reproduced, 1 not, 3 invalid
    const char *sentence; // over all rows
};

// Both results have one side. Strings live in the arena.
int reproduced_get(const struct result *reference, const struct result *measured, struct arena *arena,
                   struct reproduced *ret, struct err *err);

#endif
