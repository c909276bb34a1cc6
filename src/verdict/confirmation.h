// SPDX-License-Identifier: Apache-2.0
//
// What is said when a gate repeats one that had failed on the same code (docs/deciding.md, "Confirmation runs"): both decisions stand, and where
// they differ the reader sees both estimates and all rounds taken together. Sentences only; nothing is decided here.
#ifndef VERDICT_CONFIRMATION_H
#define VERDICT_CONFIRMATION_H

#include "base/arena.h"
#include "record/decision.h"

#include <stdint.h>

struct confirmation {
    const char *earlier_id;          // of the run that failed
    const struct decision *earlier;  // its decision
    uint32_t earlier_run_count;      // runs of the same code before this one
    const char *earlier_device_uuid; // where the two ran; NULL: not known
    const char *device_uuid;
};

// All rounds of two measurements of one problem as one fixed number of rounds with a 95 % interval, in per cent; NAN where
// one has fewer than two rounds. The mean of both is not biased by order; that the first one was stopped for being slow
// makes it look slower than it is, so this is told and decides nothing.
struct confirmation_pool {
    uint32_t round_count;
    double change_pct, change_low_pct, change_high_pct;
};
struct confirmation_pool confirmation_pool(const struct decision_case *a, const struct decision_case *b);

// Puts "confirmation run 2: " before the decision's sentence, and adds the notes. After gate_rule_apply(). What is made
// lives in the arena.
void confirmation_note(const struct confirmation *confirmation, struct arena *arena,
                       struct decision *decision);

#endif
