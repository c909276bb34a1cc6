// SPDX-License-Identifier: Apache-2.0
//
// The problems of one decision taken together: how many of each verdict, geometric mean speed-up with its
// members, best and worst, Holm's adjustment, notes. What follows for the exit code is gate_rule.h's.
#ifndef CONTROL_VERDICT_FAMILY_H
#define CONTROL_VERDICT_FAMILY_H

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/gate_spec.h"

// Means NAN, nothing decided; spec: thresholds to record, or NULL.
struct decision family_empty(const char *rule, const struct gate_spec *spec);

// Appends a sentence for the report; text outlives the decision. After 1000 the last one says that there are
// more.
void family_add_note(struct decision *decision, struct arena *arena, const char *text);

// Counts and speed-ups from the cases. Cases without both medians, and cases that are not valid or wrong, are
// not members of the mean; a note says so when some were left out.
void family_summarize(struct decision *decision, struct arena *arena);

// p_holm of every case from its p_raw; cases without one are not in the family. ERR_INTERNAL: no memory.
int family_adjust(struct decision *decision, struct err *err);

#endif
