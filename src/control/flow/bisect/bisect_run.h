// SPDX-License-Identifier: Apache-2.0
//
// A bisect: which commit between two revisions changed a problem's time? Commits are built and gated against
// GOOD, the next one chosen by stats/bisection.h, until one is certain enough. docs/bisect.md.
#ifndef CONTROL_FLOW_BISECT_BISECT_RUN_H
#define CONTROL_FLOW_BISECT_BISECT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "control/compile/revision_history.h"
#include "control/flow/run_folder.h"
#include "control/flow/session_options.h"
#include "record/bisect_record.h"
#include "record/gate_spec.h"
#include "stats/bisection.h"

#define BISECT_FILE          "bisect.json"
#define BISECT_CERTAINTY_PCT 95.0 // the default
#define BISECT_GATES_SPARE   12   // the default limit: log2 of the commits, and these

// What is known of a commit from elsewhere, such as a store of earlier results.
struct bisect_known {
    bool cannot_build;
    double change_pct, se_pct; // against GOOD, as in struct bisect_step; where cannot_build is false
    uint32_t round_count;      // behind them, 2 or more
    const char *source;        // for people: "run 20261121-..."; lives until the callback is called again
};
struct bisect_question {
    const char *good, *commit; // full ids
    const char *kernel, *problem, *device;
};

struct bisect;
struct bisect_callbacks {
    // False: nothing is known. Asked of every commit once, when the change between the ends is measured. NULL:
    // never.
    bool (*known)(void *arg, const struct bisect_question *question, struct bisect_known *ret);
    void (*on_begin)(void *arg, const struct bisect *bisect, size_t place); // of a gate; may be NULL
    void (*on_step)(void *arg, const struct bisect *bisect, const struct bisect_step *step);
    struct run_callbacks gate; // of the gates
    void *arg;
};

struct bisect_request {
    struct session_options session; // its kernel, suite, problem, device; resume
    const char *range;              // "GOOD..BAD"; NULL when resuming
    bool has_all_commits;
    double certainty_pct;
    struct gate_spec spec; // thresholds of the two ends; NAN: GOOD's manifest's
    uint32_t fixed_round_count, gate_max; // 0: interim analyses; the default
    bool is_calibration_ignored;
};

struct bisect {
    struct arena arena;
    struct bisect_callbacks callbacks;
    struct bisect_record record;
    struct revision_history history;
    struct bisection search;
    struct bisection_measurement step; // of BAD against GOOD; change 0 until it is measured
    char *dir;                         // runs/<id>, owned
    bool is_verbose;
    const char *lock_clocks;
};

// Reads the history and, when resuming, what was found. Starts nothing and writes nothing.
int bisect_open(struct bisect *bisect, const struct bisect_request *request, struct err *err);
// Measures until the record has an outcome. The record is on disk after every step.
int bisect_run(struct bisect *bisect, const struct bisect_callbacks *callbacks, struct err *err);
void bisect_close(struct bisect *bisect); // accepts a zeroed one

const struct revision_commit *bisect_commit(const struct bisect *bisect, size_t place);
// Gates still to come if their answers are clear, and the seconds that they take (NAN: none was measured yet).
size_t bisect_gates_left(struct bisect *bisect);
double bisect_seconds_left(struct bisect *bisect);

#endif
