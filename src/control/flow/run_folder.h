// SPDX-License-Identifier: Apache-2.0
//
// A run: carries out a plan in runs/<id>/, collects the result and writes its documents. fuzz, bench, gate
// and baseline are runs; they differ in their plan and in what they decide at the end.
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
    struct clock_holder *clock_lock; // NULL: the clocks are not locked
};

// Callbacks for printing, as in control/exec/executor.h; may be NULL.
struct run_callbacks {
    void (*on_check)(void *arg, const struct result *result, uint32_t case_index, uint32_t side);
    void (*on_output)(void *arg, const char *tail);
    void (*on_notice)(void *arg, const char *text);
    void *arg;
    bool wants_progress;
};

// Waits until no other assay measures on the session's device (control/flow/device_lock.h). 1: it has waited,
// and what was looked at before is old.
int run_take_device(const struct session *session, const struct run_callbacks *callbacks, struct err *err);
// Starts a new run of *plan (moved into run), or resumes session->options.resume and frees *plan unused.
// Takes the device, unless nothing is to be run on it.
int run_open(struct run *run, const struct session *session, struct plan *plan,
             const struct run_callbacks *callbacks, struct err *err);
// The folder that a name means: an id below root, a folder, or "last", the newest in root that has this file.
// Whether it is there is the caller's to see, who frees it.
char *run_dir_of(const char *name, const char *root, const char *file);
// Finds the folder of a begun run by its id, its folder, or "last"; the caller frees it.
int run_find(const char *name, const char *root, char **ret_dir, struct err *err);
// Finds a run's document; name may be a result file, too. "last" is the newest that is finished. A run
// without a plan has one: the decision of `gate --all`, a gate whose kernel does not build.
int run_find_result(const char *name, const char *root, char **ret_path, struct err *err);

// The runs in root that have this file ("plan.json": begun, "result.json": finished), newest first.
struct run_entry {
    char *id;                // its folder in root
    struct timespec written; // when the file was written
};
struct run_entry *run_list(const char *root, const char *file, size_t *ret_count);
void run_list_free(struct run_entry *runs, size_t count); // accepts NULL, 0

int run_write_result(struct run *run, struct err *err); // result.json in the run's folder
int run_write_file(const struct run *run, const char *name, const char *text, struct err *err);
// runs/summary.json and runs/result_<short name>.json: copies of the last bench's.
int run_publish(const struct run *run, struct err *err);
// Closes the run. Negative: the clocks may still be locked (control/flow/clock_lock.h); everything else is
// closed nevertheless. Accepts a zeroed run.
int run_close(struct run *run, struct err *err);

#endif
