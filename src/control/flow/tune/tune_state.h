// SPDX-License-Identifier: Apache-2.0
//
// A tuning: its space, its search, and the record of what was tried.
#ifndef CONTROL_FLOW_TUNE_TUNE_STATE_H
#define CONTROL_FLOW_TUNE_TUNE_STATE_H

#include "control/flow/run_folder.h"
#include "control/flow/session.h"
#include "control/tune/proposal_text.h"
#include "control/tune/tune_contest.h"
#include "control/tune/tune_elite.h"
#include "record/tune_record.h"
#include "report/profile/profile_document.h"

#define TUNE_FILE "tune.json"
#define TUNE_LOG  "log.md"

#define TUNE_SOURCE_BYTES_MAX PROPOSAL_BYTES_MAX

struct tune;
struct tune_callbacks {
    void (*on_heat)(void *arg, const struct tune *tune);                  // after each heat; may be NULL
    void (*on_proposal)(void *arg, const struct tune_proposal *proposal); // after each answer; may be NULL
    struct run_callbacks run;                                             // of heats and the final
    void *arg;
};

struct tune_proposer_request {
    const char *command;     // for /bin/sh, in the manifest's folder; NULL: none
    const char *prompt_path; // NULL: none
    uint64_t limit_ns;       // for an answer; 0: the default
    bool has_network;
};

struct tune_proposer {
    const char *command, *prompt; // NULL: none
    uint64_t limit_ns;
    bool has_network;
    struct build_limits build_limits; // of its sources
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
    size_t problem_count;      // of the suite; 0: nothing was measured yet
    uint32_t variant_max;      // 0: no limit
    uint64_t deadline_ns;      // no heat is begun after it; 0: none
    uint64_t variant_limit_ns; // checks and samples of one variant in a heat; 0: none
    struct tune_proposer proposer;
    const struct profile_document *profile; // of the kernel, given by the user; NULL: none
    char *dir;                              // runs/<id>, owned
};

#endif
