// SPDX-License-Identifier: Apache-2.0
//
// A run: a plan carried out in runs/<id>/ and folded into a result, with everything written where the reader
// expects it. fuzz, bench, gate and baseline are all runs that differ in their plan and in what is decided at
// the end.
#ifndef CONTROL_FLOW_RUN_FOLDER_H
#define CONTROL_FLOW_RUN_FOLDER_H

#include <time.h>

#include "base/progress.h"
#include "control/exec/executor.h"
#include "control/flow/clock_lock.h"
#include "control/flow/session.h"
#include "control/plan/plan.h"

struct run {
    struct plan plan;
    struct result result;
    struct executor executor;
    struct progress progress;
    char *dir;  // runs/<id>, owned
    char *root; // runs, owned
    bool is_resumed;
    struct clock_lock *clock_lock; // NULL: the clocks are not held
};

// Callbacks for printing, as in control/exec/executor.h; may be NULL.
struct run_callbacks {
    void (*on_check)(void *arg, const struct result *result, uint32_t case_index, uint32_t side);
    void (*on_round)(void *arg, const struct result *result, uint32_t round);
    void (*on_output)(void *arg, const char *tail);
    void *arg;
    bool wants_progress;
};

// A plan with the session's sides and settings and no cases yet.
void run_plan_init(struct plan *plan, const struct session *session, const char *command);
// Rounds take few samples each, more of a noisy problem: the rule counts rounds. --iters given by the user
// stands.
void run_plan_set_round_sampling(struct plan *plan, const struct session *session);
void run_plan_add_check(struct plan *plan, const struct op_case *item, const char *short_name, uint64_t seed);
void run_plan_add_suite(struct plan *plan, const struct suite *suite, bool is_check);

// Starts a new run of *plan (moved into run), or resumes session->options.resume, in which case *plan is
// freed unused.
int run_open(struct run *run, const struct session *session, struct plan *plan,
             const struct run_callbacks *callbacks, struct err *err);
// Reads the plan of a run to be resumed: path of its folder (--resume takes an id, a folder, or "last").
int run_find(const struct session_options *options, char **ret_dir, struct err *err);

// The runs in root that have this file ("plan.json": begun, "result.json": carried out), newest first. NULL:
// none.
struct run_entry {
    char *id;                // its folder in root
    struct timespec written; // the file
};
struct run_entry *run_list(const char *root, const char *file, size_t *ret_count);
void run_list_free(struct run_entry *runs, size_t count); // accepts NULL, 0

int run_write_result(struct run *run, struct err *err); // result.json in the run's folder
// A stored ceiling of this device and thread count makes the share of it, and the accounting guard, possible.
// Asked before anything is decided.
void run_add_ceilings(struct result *result);
// Measures the device's ceilings (a second) when none are stored; after the run's first worker has said which
// device it is.
int run_need_ceilings(struct run *run, struct err *err);
int run_write_file(const struct run *run, const char *name, const char *text, struct err *err);
// runs/summary.json and runs/result_<short name>.json: copies of the last bench's.
int run_publish(const struct run *run, struct err *err);
// Negative: the clocks may still be held (control/flow/clock_lock.h); all else is closed then too. Accepts a
// zeroed one.
int run_close(struct run *run, struct err *err);

#endif
