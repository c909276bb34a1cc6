// SPDX-License-Identifier: Apache-2.0
//
// A bisect: which commit between two revisions changed a problem's time? Commits are built and gated against
// GOOD, the next one chosen by stats/bisection.h, until one is certain enough. docs/bisect.md.
#ifndef CONTROL_FLOW_BISECT_BISECT_RUN_H
#define CONTROL_FLOW_BISECT_BISECT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/bisect/bisect_state.h"
#include "control/flow/session_options.h"
#include "record/gate_spec.h"

#define BISECT_CERTAINTY_PCT 95.0 // the default
#define BISECT_GATES_SPARE   12   // the default limit: log2 of the commits, and these

struct bisect_request {
    struct session_options session; // its kernel, suite, problem, device; resume
    const char *range;              // "GOOD..BAD"; NULL when resuming
    bool has_all_commits;
    double certainty_pct;
    struct gate_spec spec;                // thresholds of the two ends; NAN: GOOD's manifest's
    uint32_t fixed_round_count, gate_max; // 0: interim analyses; the default
    bool is_calibration_ignored;
};

// Reads the history and, when resuming, what was found. Starts nothing and writes nothing.
int bisect_open(struct bisect *bisect, const struct bisect_request *request, struct err *err);
// Measures until the record has an outcome. The record is on disk after every step.
int bisect_run(struct bisect *bisect, const struct bisect_callbacks *callbacks, struct err *err);

#endif
