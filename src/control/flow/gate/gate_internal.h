// SPDX-License-Identifier: Apache-2.0
//
// Parts of a gate that gate_run.c puts together: the stored calibration, the suites of both sides, and
// earlier runs of the same code.
#ifndef CONTROL_FLOW_GATE_GATE_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "control/flow/run_folder.h"
#include "control/flow/session.h"
#include "control/plan/plan.h"
#include "record/decision.h"

// ---- gate_calibration.c ----

// The stored calibration of this device (assay calibrate) before a gate measures: a gate whose threshold is
// below what the machine can detect in the rounds planned stops, and says how many rounds would do.

// After gate_start, before anything is measured. Refused: *ret is a decision without measurements (rule
// "rounds", every problem whose threshold is out of reach VERDICT_UNDECIDABLE with REASON_TOO_NOISY and a
// sentence, the others VERDICT_NONE), ready for gate_rule_apply(), and *ret_is_refused is true. Only what is
// surely beyond the machine is refused: by the lower limit of its spread, with the gate's own kernels where
// they were calibrated. Not refused: a gate for which nothing is stored (device, number of threads, problem,
// driver, power mode, cache mode), one with a stored baseline (classic rule), a run that is resumed after its
// first worker, one whose calibration cannot be read (the note says so), and one with --ignore-calibration
// (is_ignored); gate_calibration_note() then says what the calibration would have said.
int gate_calibration_refuse(struct run *run, bool is_ignored, struct decision *ret, bool *ret_is_refused,
                            struct err *err);
// One sentence on what the calibration says, or that there is none, added to a decision that was measured.
void gate_calibration_note(struct run *run, bool is_ignored, struct decision *decision);

// ---- gate_suites.c ----

// Problems that only one side has: the candidate's manifest may have cut a suite that the baseline's revision
// lists. A problem that was dropped did not get faster: it is listed, and the gate decides.

// Compares the suite with the baseline's revision's (nothing to do for other baselines): the one of the same
// name where --suite names it, else the one that its manifest gates. Sets plan->gate.removed_problems and
// plan->gate.added_problems.
int gate_compare_suites(struct session *session, size_t base_side, const struct suite *suite,
                        struct plan *plan, struct err *err);
// Appends a case with VERDICT_REMOVED for each name of the comma-separated list (NULL: none).
void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena);

// ---- gate_rerun.c ----

// Never rerun until green: a gate on code that has failed before is a rerun on fresh data, and the
// report says so (docs/deciding.md, "Reruns"). Earlier gates of the same two machine codes on
// the same device are those of gate_rerun_history_internal.h.

// When the plan is complete; root: folder of the runs. Once any earlier run has failed (exit code 1, or 3
// with rounds that count), sets confirms_run_id (the newest of those) and the counts in plan->gate, and
// draws another seed from the plan's seed and the count, so that the data are fresh, with or without
// --seed. If none has failed, only unfinished_run_count is set.
void gate_rerun_plan(const char *root, struct plan *plan);

// After gate_rule_apply(): the sentence and the notes that say so, with what the earlier run said of which
// problems; where that cannot be read any more, from the plan alone. Then this run's line in the gate log;
// an error there becomes a note. is_refused: nothing was measured, because the calibration ruled it out.
void gate_rerun_note(struct run *run, bool is_refused, struct decision *decision);

#endif
