// SPDX-License-Identifier: Apache-2.0
//
// A tuning from options to an elite: heats until the search ends, then a final. docs/tune.md.
#ifndef CONTROL_FLOW_TUNE_TUNE_RUN_H
#define CONTROL_FLOW_TUNE_TUNE_RUN_H

#include "control/flow/tune/tune_state.h"

struct tune_request {
    struct session_options session;
    const char *strategy;             // NULL: evolutionary
    uint32_t round_max, final_rounds; // TUNE_RACE_ROUNDS, TUNE_FINAL_ROUNDS where nothing is asked for
    uint32_t variant_max;             // 0: no limit
    const char *header;               // --emit, for the command; NULL: none
    const char *trial;                // "BLOCK_M=128": this variant alone; NULL: a search
    const char *prediction;           // of what it will do, for the report; NULL: none
    const char *profile;              // a profile's document, whose bottleneck steers; NULL: none
    struct tune_proposer_request proposer;
    uint64_t budget_ns;        // 0: no limit
    uint64_t variant_limit_ns; // of one variant in a heat; 0: no limit
};

// Makes the space. Measures nothing and writes nothing; a kernel from a source is built and asked.
int tune_open(struct tune *tune, const struct tune_request *request, struct err *err);
// Measures until the record has an exit code; tune.json is on disk after every heat.
int tune_run(struct tune *tune, const struct tune_callbacks *callbacks, struct err *err);
void tune_close(struct tune *tune); // accepts a zeroed one

#endif
