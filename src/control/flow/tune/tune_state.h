// SPDX-License-Identifier: Apache-2.0
//
// A tuning: its space, its search, and the record of what was tried.
#ifndef CONTROL_FLOW_TUNE_TUNE_STATE_H
#define CONTROL_FLOW_TUNE_TUNE_STATE_H

#include "control/flow/run_folder.h"
#include "control/flow/session.h"
#include "control/tune/tune_contest.h"
#include "control/tune/tune_elite.h"
#include "record/tune_record.h"

#define TUNE_FILE "tune.json"
#define TUNE_LOG  "log.md"

struct tune;
struct tune_callbacks {
    void (*on_heat)(void *arg, const struct tune *tune); // after each heat; may be NULL
    struct run_callbacks run;                            // of heats and the final
    void *arg;
};

struct tune {
    struct session session; // of the kernel as the manifest has it; heats have their own
    const struct manifest_kernel *kernel;
    struct tune_space space;
    struct tune_contest contest;
    struct tune_record record;
    struct tune_callbacks callbacks;
    bool is_trial; // one variant is measured, and nothing is searched
    struct tune_point trial;
    uint32_t variant_max; // 0: no limit
    uint64_t deadline_ns; // no heat is begun after it; 0: none
    char *dir;            // runs/<id>, owned
};

#endif
