// SPDX-License-Identifier: Apache-2.0
//
// The final of a tuning: finalists measured again in fresh processes, who of them is in the elite, and what is
// best for each problem.
#ifndef CONTROL_FLOW_TUNE_TUNE_FINAL_H
#define CONTROL_FLOW_TUNE_TUNE_FINAL_H

#include "control/flow/tune/tune_state.h"

#define TUNE_FINAL_NAME "final" // of its folder

// Fills finalists and choices of the record.
int tune_final_run(struct tune *tune, const struct tune_point *points, size_t count, struct err *err);

#endif
