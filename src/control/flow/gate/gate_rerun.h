// SPDX-License-Identifier: Apache-2.0
//
// Never rerun until green: a gate on code that has failed before is a confirmation on fresh data, and is said
// to be one (docs/deciding.md, "Confirmation runs"). Earlier gates of the same two machine codes on the same
// device are those of gate_rerun_history.h.
#ifndef CONTROL_FLOW_GATE_GATE_RERUN_H
#define CONTROL_FLOW_GATE_GATE_RERUN_H

#include <stdbool.h>

#include "control/flow/run_folder.h"

// When the plan is complete; root: folder of the runs. Once any earlier run has failed (exit code 1, or 3
// with rounds that count), sets confirms_run_id (the newest of those) and the counts in plan->gate, and draws
// another seed from the plan's and the count, so that the data are fresh, whether --seed was given or not.
// Where none has failed only unfinished_run_count is set.
void gate_rerun_plan(const char *root, struct plan *plan);

// After gate_rule_apply(): the sentence and the notes that say so, with what the earlier run said of which
// problems; where that cannot be read any more, from the plan alone. Then this run's line in the gate log;
// what goes wrong there is a note. is_refused: nothing was measured because the calibration says that it
// would be of no use.
void gate_rerun_note(struct run *run, bool is_refused, struct decision *decision);

#endif
