// SPDX-License-Identifier: Apache-2.0
//
// What the stored calibration of this device (assay calibrate) says of a gate before it measures: a gate
// whose threshold is finer than the machine can detect in the rounds planned stops, and says how many rounds
// would do.
#ifndef CONTROL_FLOW_GATE_GATE_CALIBRATION_H
#define CONTROL_FLOW_GATE_GATE_CALIBRATION_H

#include "control/flow/run_folder.h"

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

#endif
