// SPDX-License-Identifier: Apache-2.0
//
// Earlier gates of the same code: those in the gate log of the two machine codes and the device, and those in
// the output folder, each run once. A run counts if it measured a problem of this plan, whatever its
// thresholds, claim or samples were.
#ifndef CONTROL_FLOW_GATE_GATE_RERUN_HISTORY_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_RERUN_HISTORY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/gate/gate_log_internal.h"

struct gate_rerun_history {
    struct arena arena; // owns what the members point to
    size_t count;
    struct gate_entry *entries;       // runs that are evidence, the newest first
    uint32_t failed_count;            // of these
    uint32_t unfinished_count;        // begun in the output folder, not decided, and not running now
    const struct gate_entry *failure; // the newest that failed; NULL: none
    const char *warning;              // from the gate log; NULL: none
};

// The plan's own run is left out. At most 200 runs of the gate log and 200 of the folder root are read; one
// that cannot be read is left out. The caller frees *ret with gate_rerun_history_fini.
void gate_rerun_history_read(const struct plan *plan, const char *root, struct gate_rerun_history *ret);
void gate_rerun_history_fini(struct gate_rerun_history *history);

// Whether a decision is evidence about the code. One that stopped before a round counted, or on an unfit
// machine, is not.
bool gate_is_evidence(const struct decision *decision);

#endif
