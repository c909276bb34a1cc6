// SPDX-License-Identifier: Apache-2.0
//
// Parts of a gate that gate_run.c puts together: the stored calibration, problems that were removed,
// and earlier runs of the same code.
#ifndef CONTROL_FLOW_GATE_GATE_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "control/flow/run_folder.h"
#include "control/flow/session.h"
#include "control/plan/plan.h"
#include "record/decision.h"
#include "verdict/acceptance.h"
#include "verdict/rounds/rounds_dependence.h"

struct gate;

// ---- gate_calibration.c ----

// The stored calibration of this device (assay calibrate), looked up before a gate measures: if the machine
// cannot detect a change of the threshold's size in the rounds planned, the gate stops and says how many
// rounds would be enough.

// Call it after gate_start, before anything is measured. When the gate is stopped, *ret_is_refused is true
// and *ret a decision without measurements, ready for gate_rule_apply(): rule "rounds"; VERDICT_UNDECIDABLE
// with REASON_TOO_NOISY and a sentence for each problem whose threshold is out of reach, VERDICT_NONE for the
// others. Out of reach means not detectable even at the lower limit of the spread, which is that of the
// gate's own kernels if they were calibrated. Never stopped: a gate with nothing stored for its device,
// number of threads, problem, driver, power mode and cache mode; one with a stored baseline (classic rule); a
// resumed run that has measured a round; one whose calibration cannot be read; and one with
// --ignore-calibration (is_ignored). For the last two gate_calibration_note() says what is wrong with the
// file, or what the calibration would have said.
int gate_calibration_refuse(struct run *run, bool is_ignored, struct decision *ret, bool *ret_is_refused,
                            struct err *err);
// Adds one sentence to a decision that was measured: what the calibration says, or that there is none.
void gate_calibration_note(struct run *run, bool is_ignored, struct decision *decision);

// ---- gate_accept.c ----

// Regressions that somebody takes on: --accept, and trailers of the commits since the baseline's revision. In
// the arena.
struct acceptances gate_acceptances(const struct gate *gate, struct arena *arena);

// ---- gate_source.c ----

// Says of everything that a decision holds against the candidate where it belongs, if its kernel is a file of
// a repository. Call it when the rule was applied.
void gate_source_add(const struct gate *gate, struct arena *arena, struct decision *decision);

// ---- gate_suites.c ----

// Appends a case with VERDICT_REMOVED for each name of the comma-separated list (NULL: none).
void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena);
// The same for each problem of the check that the baseline supports and the candidate does not. A baseline
// that is a kernel is asked, once and only about these; of a stored one its file tells.
void gate_add_removed_checks(struct gate *gate, struct decision *decision);

// ---- gate_evidence.c ----

// d_r of earlier gates on the device, the newest first, from the project's store, in the result's arena;
// empty where there is none. *ret_warning: why they cannot be read; NULL: all is well. Call it when a worker
// has stated the device.
struct rounds_evidence gate_evidence(struct gate *gate, const char **ret_warning);

// ---- gate_rerun.c ----

// A failed gate cannot be rerun until it passes: a gate on code that has failed before is a rerun on fresh
// data, and the report says so (docs/deciding.md, "Reruns"). Earlier gates of the same two machine codes on
// the same device come from gate_rerun_history_internal.h.

// Call it when the plan is complete; root: folder of the runs. If an earlier run has failed (exit code 1, or
// 3 with rounds that count), sets confirms_run_id (the newest such run) and the counts in plan->gate, and
// derives a new seed from the plan's seed and the number of earlier runs, so that the data are fresh, with or
// without --seed. If none has failed, sets only unfinished_run_count.
void gate_rerun_plan(const char *root, struct plan *plan);

// Call it after gate_rule_apply(). For a rerun, adds the sentence and the notes that say so, with the earlier
// run's verdicts on the problems; if that run cannot be read any more, with what the plan records of it. Then
// adds this run to the gate log; an error there becomes a note. is_refused: nothing was measured, because the
// calibration ruled it out.
void gate_rerun_note(struct run *run, bool is_refused, struct decision *decision);

#endif
