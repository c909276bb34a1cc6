// SPDX-License-Identifier: Apache-2.0
//
// The state of a bisect: its commits, what was asked of them so far, and what that says of the others.
#ifndef CONTROL_FLOW_BISECT_BISECT_STATE_H
#define CONTROL_FLOW_BISECT_BISECT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "control/compile/revision_history.h"
#include "control/flow/run_folder.h"
#include "record/bisect_record.h"
#include "stats/bisection.h"

#define BISECT_FILE        "bisect.json"
#define BISECT_NO_DATA_MAX 2 // gates of one commit that did not count
#define BISECT_UNCLEAR_MAX 3 // that said little; then it counts as one that cannot be measured

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
    // False: nothing is known. Asked of every commit once, when the change between the ends is measured.
    // NULL: never.
    bool (*known)(void *arg, const struct bisect_question *question, struct bisect_known *ret);
    void (*on_begin)(void *arg, const struct bisect *bisect, size_t place); // of a gate; may be NULL
    void (*on_step)(void *arg, const struct bisect *bisect, const struct bisect_step *step);
    struct run_callbacks gate; // of the gates
    void *arg;
};

struct bisect {
    struct arena arena;
    struct bisect_callbacks callbacks;
    struct bisect_record record;
    struct revision_history history;
    struct bisection search;
    struct bisection_measurement step; // of BAD against GOOD; change 0 until it is measured
    char *dir;                         // runs/<id>, owned
    struct device_lock *device_lock;   // of the command
    bool is_verbose;
};

void bisect_state_fini(struct bisect *bisect); // accepts a zeroed one

const struct revision_commit *bisect_commit(const struct bisect *bisect, size_t place);
// Gates still to come if their answers are clear, and the seconds that they take (NAN: none was measured
// yet).
size_t bisect_gates_left(struct bisect *bisect);
double bisect_seconds_left(struct bisect *bisect);

size_t bisect_place(const struct bisect *bisect, const char *commit); // SIZE_MAX: not in the range
// The step of the same machine code that was measured; NULL: none.
const struct bisect_step *bisect_find_code(const struct bisect *bisect, const char *code);
// Tells the search what a step of the record says.
void bisect_apply(struct bisect *bisect, const struct bisect_step *step);
// Asks the callback about every commit, and adds what it knows as steps.
void bisect_ask_known(struct bisect *bisect);
// The measurement of a step; its change is not 0.
struct bisection_measurement bisect_measurement(const struct bisect_step *step);

#endif
