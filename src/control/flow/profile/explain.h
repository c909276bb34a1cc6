// SPDX-License-Identifier: Apache-2.0
//
// Why a decision came out as it did: profiles both sides on the problems whose time changed, and ranks what
// moved. It runs after the decision and never changes it; a profiler that is missing is a note.
#ifndef CONTROL_FLOW_PROFILE_EXPLAIN_H
#define CONTROL_FLOW_PROFILE_EXPLAIN_H

#include "control/flow/session_options.h"
#include "record/result.h"

#define EXPLAIN_SLOWER_PCT 3.0  // explained without being asked for: slower by more ...
#define EXPLAIN_FASTER_PCT 10.0 // ... or this much less time; a simulated device has no counters

struct explain_request {
    const struct session_options *options; // of the command: device, threads, manifest
    const struct result *results[2];       // of baseline and candidate; may be one
    uint32_t sides[2];                     // in them
    const struct decision *decision;
    bool is_asked_for;  // all problems; else the largest changes, at most three
    bool is_kept;       // the profiles, in the project's store
    const char *folder; // for the profilers' files
    bool wants_progress;
};

// Everything lives in the arena. NULL: nothing changed enough.
const struct explanation *explain(const struct explain_request *request, struct arena *arena);

#endif
