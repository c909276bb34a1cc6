// SPDX-License-Identifier: Apache-2.0
//
// Making a decision: the entry of one problem (figures, guard, verdict), and what belongs to all problems
// together (counts, geometric mean speed-up, Holm's adjustment, notes). Shared by the classic and the rounds
// rule; the exit code is gate_rule.h's.
#ifndef VERDICT_DECISION_MAKE_H
#define VERDICT_DECISION_MAKE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"

// ---- one problem ----

struct decision_case decision_case_empty(void); // every figure NAN
struct decision_case decision_case_named(const struct result_case *item, struct arena *arena);

// Sets the guard, if none is set yet: the first one stands. sentence must outlive the decision.
void decision_case_guard(struct decision_case *item, enum reason reason, const char *sentence);

// Sets verdict and reason: the guard's if there is one and guards count (has_guards), else the rule's own
// (unguarded_*). If guards do not count, the guard's sentence is kept with the rule's verdict.
void decision_case_settle(struct decision_case *item, bool has_guards);

// Sets verdict and reason, and those of the rule (unguarded_*) too.
void decision_case_set(struct decision_case *item, enum verdict verdict, enum reason reason,
                       const char *sentence);

// Base time over candidate's time: above 1 the candidate is faster. NAN if either is missing.
double decision_case_speedup(const struct decision_case *item);

// Decides a case by the outcomes of its checks, before any time is looked at: a wrong candidate, a wrong
// baseline, a side that does not support the problem, one that could not be measured or was skipped. True:
// the case is decided.
bool decision_case_set_outcomes(struct decision_case *item, const struct result_case *base,
                                uint32_t base_side, const struct result_case *cand, uint32_t cand_side);
// If a side does not support the problem, or could not measure it, adds that side's message to the sentence.
void decision_case_add_message(struct decision_case *item, const struct check_result *base,
                               const struct check_result *cand, struct arena *arena);

// ---- reasons for people ----

// The reason in words; "" for REASON_NONE and for reasons that repeat the verdict.
const char *reason_text(enum reason reason);
// Few samples, or a mean alone: what the rule and the bootstrap say of them is not to be shown.
bool reason_lacks_samples(enum reason reason);

// ---- all problems ----

// A decision without cases: means NAN; spec: thresholds to record, or NULL.
struct decision decision_empty(const char *rule, const struct gate_spec *spec);

// Makes room for so many more cases, and appends one, removed, to a decision that has room; it is counted.
// The name must outlive the decision.
void decision_reserve(struct decision *decision, size_t more, struct arena *arena);
struct decision_case *decision_add_removed(struct decision *decision, const char *name, enum reason reason,
                                           const char *sentence);

// Appends a sentence for the report, made in the arena. After 1000 the last one says that there are more.
void decision_note(struct decision *decision, struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Appends each line of a text that is not empty as a note: "subject: line". subject: NULL: none.
void decision_note_lines(struct decision *decision, const char *subject, const char *text,
                         struct arena *arena);

// Computes counts and mean speed-ups from the cases. The mean leaves out cases without both medians, and
// cases that are not valid or wrong; a note says so if there are any.
void decision_summarize(struct decision *decision, struct arena *arena);

// Sets p_holm of every case from its p_raw; cases without p_raw are left out. ERR_INTERNAL: no memory.
int decision_adjust(struct decision *decision, struct err *err);

#endif
