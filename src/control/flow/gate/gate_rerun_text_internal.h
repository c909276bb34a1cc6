// SPDX-License-Identifier: Apache-2.0
//
// Sentences on a gate that repeats one that failed on the same code (docs/deciding.md, "Reruns"):
// both decisions stand, and where they differ the reader sees both estimates and their mean. Nothing is
// decided here.
#ifndef CONTROL_FLOW_GATE_GATE_RERUN_TEXT_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_RERUN_TEXT_INTERNAL_H

#include <stdint.h>

#include "base/arena.h"
#include "record/decision.h"

struct rerun {
    const char *earlier_id;         // of the newest run that failed
    const struct decision *earlier; // its decision; NULL: it cannot be read
    uint32_t earlier_run_count;     // runs of the same code before this one ...
    uint32_t failed_run_count;      // ... that decided against it
    const char *question; // what the earlier run asked otherwise: "threshold 3 % (now 3.5 %)"; NULL: nothing
    const char *earlier_device_uuid; // where the two ran; NULL: not known
    const char *device_uuid;
};

// The mean change of all rounds of two runs, in per cent; NAN where one has none. No interval: the first run
// was chosen for its outcome, and looks worse than the code is. Told, and decides nothing.
double rerun_mean_pct(const struct decision_case *a, const struct decision_case *b);

// Puts "rerun 2: " before the decision's sentence, and adds the notes. After gate_rule_apply().
// What is made lives in the arena.
void rerun_note(const struct rerun *rerun, struct arena *arena, struct decision *decision);

#endif
