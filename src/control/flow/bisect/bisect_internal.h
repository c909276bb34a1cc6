// SPDX-License-Identifier: Apache-2.0
//
// Parts of a bisect: one gate of it, what its steps say, and what follows from them.
#ifndef CONTROL_FLOW_BISECT_BISECT_INTERNAL_H
#define CONTROL_FLOW_BISECT_BISECT_INTERNAL_H

#include "control/flow/bisect/bisect_run.h"

#define BISECT_NO_DATA_MAX 2 // gates of one commit that did not count
#define BISECT_UNCLEAR_MAX 3 // that said little; then it counts as one that cannot be measured

// ---- bisect_gate.c ----

// Builds the commit and gates it against GOOD. *ret lives in the bisect's arena. A commit that does not build
// or is wrong is an answer; errors are those of the machine, of GOOD (ERR_BUILD), or an interrupt. run_id: a
// gate that was begun is gone on with; NULL: a new one.
int bisect_gate(struct bisect *bisect, size_t place, const char *run_id, struct bisect_step *ret,
                struct err *err);

// ---- bisect_steps.c ----

size_t bisect_place(const struct bisect *bisect, const char *commit); // SIZE_MAX: not in the range
// The step of the same machine code that was measured; NULL: none.
const struct bisect_step *bisect_find_code(const struct bisect *bisect, const char *code);
// Tells the search what a step of the record says.
void bisect_apply(struct bisect *bisect, const struct bisect_step *step);
// Asks the callback about every commit, and adds what it knows as steps.
void bisect_ask_known(struct bisect *bisect);
// The measurement of a step; its change is not 0.
struct bisection_measurement bisect_measurement(const struct bisect_step *step);

// ---- bisect_outcome.c ----

// Sets outcome, suspects, sentence and exit code of the record. reason: why it ends before it is certain;
// NULL: it need not.
void bisect_conclude(struct bisect *bisect, const char *reason);

#endif
