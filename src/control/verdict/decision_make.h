// SPDX-License-Identifier: Apache-2.0
//
// Making a decision: the entry of one problem (figures, guard, verdict), and what belongs to all problems
// together (counts, geometric mean speed-up, Holm's adjustment, notes). Shared by the classic and the rounds
// rule; the exit code is gate_rule.h's.
#ifndef CONTROL_VERDICT_DECISION_MAKE_H
#define CONTROL_VERDICT_DECISION_MAKE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"

// ---- one problem ----

struct decision_case decision_case_empty(void); // every figure NAN
struct decision_case decision_case_named(const struct result_case *item, struct arena *arena);

// The first guard stands: a later one changes nothing. sentence outlives the decision.
void decision_case_guard(struct decision_case *item, enum reason reason, const char *sentence);

// Sets verdict and reason from the rule's own (unguarded_*) and from the guard, where guards count. Keeps the
// guard's sentence with the rule's verdict where they do not.
void decision_case_settle(struct decision_case *item, bool has_guards);

// Verdict and reason at once, the rule's own included.
void decision_case_set(struct decision_case *item, enum verdict verdict, enum reason reason,
                       const char *sentence);

// Base time over candidate's time; NAN where one is missing. Above 1: the candidate is faster.
double decision_case_speedup(const struct decision_case *item);

// What the outcomes of both sides say before any time is looked at: a wrong candidate, a wrong baseline, a
// side that does not support the problem, one that could not be measured or was skipped. True: the case is
// settled.
bool decision_case_set_outcomes(struct decision_case *item, const struct result_case *base,
                                uint32_t base_side, const struct result_case *cand, uint32_t cand_side);
// Adds to the sentence of a problem that a side does not support, or could not measure, what that side said
// of it.
void decision_case_add_message(struct decision_case *item, const struct check_result *base,
                               const struct check_result *cand, struct arena *arena);

// ---- reasons for people ----

// "" for REASON_NONE and for reasons that the verdict says already
const char *reason_text(enum reason reason);

// ---- all problems ----

// Means NAN, nothing decided; spec: thresholds to record, or NULL.
struct decision decision_empty(const char *rule, const struct gate_spec *spec);

// Appends a sentence for the report, made in the arena. After 1000 the last one says that there are more.
void decision_note(struct decision *decision, struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Counts and speed-ups from the cases. Cases without both medians, and cases that are not valid or wrong, are
// not members of the mean; a note says so when some were left out.
void decision_summarize(struct decision *decision, struct arena *arena);

// p_holm of every case from its p_raw; cases without one are not in the family. ERR_INTERNAL: no memory.
int decision_adjust(struct decision *decision, struct err *err);

#endif
