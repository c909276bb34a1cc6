// SPDX-License-Identifier: Apache-2.0
//
// Sentences about a gate that repeats one that failed on the same code (docs/deciding.md, "Reruns"). Both
// decisions stand; where they differ the reader sees both estimates and their mean. Nothing is decided here.
#ifndef CONTROL_FLOW_GATE_GATE_RERUN_TEXT_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_RERUN_TEXT_INTERNAL_H

#include <stdint.h>

#include "base/arena.h"
#include "record/decision.h"

struct rerun {
    const char *earlier_id;         // of the newest run that failed; NULL: none is known here
    const struct decision *earlier; // its decision; NULL: it cannot be read
    uint32_t earlier_run_count;     // runs of the same code before this one ...
    uint32_t failed_run_count;      // ... that decided against it
    // Attempts of the job before this one, of which nothing else is known, and who counts them.
    uint32_t earlier_attempt_count;
    const char *attempt_host; // "GitHub"
    // How the earlier run's question differs: "threshold 3 % (now 3.5 %)"; NULL: it does not.
    const char *question;
    const char *earlier_device_uuid; // where the two ran; NULL: not known
    const char *device_uuid;
};

// The mean change over all rounds of two runs, in per cent; NAN if one has no rounds. Without a confidence
// interval: the first run was chosen because it failed, so it looks worse than the code is. For the report
// only.
double rerun_mean_pct(const struct decision_case *a, const struct decision_case *b);

// Puts "rerun 2: " before the decision's sentence, and adds the notes. Call it after gate_rule_apply(). New
// texts live in the arena.
void rerun_note(const struct rerun *rerun, struct arena *arena, struct decision *decision);

#endif
