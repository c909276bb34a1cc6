// SPDX-License-Identifier: Apache-2.0
//
// What the stored calibration of this device (assay calibrate) says of a gate before it measures: a threshold
// finer than the machine can certify in the rounds planned is refused, with the number of rounds that would
// do.
#ifndef CONTROL_FLOW_GATE_GATE_CALIBRATION_H
#define CONTROL_FLOW_GATE_GATE_CALIBRATION_H

#include "control/flow/gate/gate_run.h"

// After gate_start, before anything is measured. Refused: *ret is a decision without measurements (rule
// "rounds", every problem that cannot be certified VERDICT_UNDECIDABLE with REASON_TOO_NOISY and a sentence,
// the others VERDICT_NONE), ready for gate_rule_apply(), and *ret_is_refused is true. Only what is surely
// beyond the machine is refused: by the lower limit of its spread, with the gate's own kernels where they
// were calibrated. Nothing is refused where nothing is stored for this device, number of threads, problem,
// driver, power mode and cache mode, with a stored baseline (classic rule), of a run that is resumed after
// its first worker, where what is stored cannot be read (the note says so), or with
// gate->request.is_calibration_ignored; gate_calibration_note() says then what the calibration would have
// said.
int gate_calibration_refuse(struct gate *gate, struct decision *ret, bool *ret_is_refused, struct err *err);
// One sentence on what the calibration says, or that there is none, added to a decision that was measured.
void gate_calibration_note(struct gate *gate, struct decision *decision);

#endif
