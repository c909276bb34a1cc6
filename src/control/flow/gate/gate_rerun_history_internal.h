// SPDX-License-Identifier: Apache-2.0
//
// Earlier gates of the same code: the gate log of the two machine codes and the device, and the runs in the
// output folder, each run once. Any of them that measured a problem of this plan belongs to its question,
// whatever its thresholds, claim or samples were.
#ifndef CONTROL_FLOW_GATE_GATE_RERUN_HISTORY_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_RERUN_HISTORY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/gate/gate_log_internal.h"

struct gate_rerun_history {
    struct arena arena; // owns what the members point to
    size_t count;
    struct gate_entry *entries;       // that say something of the code, the newest first
    uint32_t failed_count;            // of them
    uint32_t unfinished_count;        // begun in the output folder and not decided, nor being carried out
    const struct gate_entry *failure; // the newest that failed; NULL: none
    const char *warning;              // of the gate log; NULL
};

// The plan's own run is left out. At most 200 runs of the gate log and 200 of the folder root are read; what
// cannot be read is no run. *ret is to be freed with gate_rerun_history_fini.
void gate_rerun_history_read(const struct plan *plan, const char *root, struct gate_rerun_history *ret);
void gate_rerun_history_fini(struct gate_rerun_history *history);

// Does this decision say something of the code? Not one that stopped before rounds had counted, or on a
// machine that was not fit.
bool gate_is_evidence(const struct decision *decision);

#endif
