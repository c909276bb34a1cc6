// SPDX-License-Identifier: Apache-2.0
//
// What a gate may measure where: by what a metric needs.
#ifndef CONTROL_FLOW_GATE_GATE_METRIC_H
#define CONTROL_FLOW_GATE_GATE_METRIC_H

#include "control/plan/plan.h"

// Call it when plan->sampling is set, before anything is measured. stored: a baseline that is a file, with
// its path; NULL: it is measured. ERR_USAGE: the stored baseline was measured by another metric, or
// instructions cannot be counted for these kernels; ERR_UNAVAILABLE: nothing here counts them.
int gate_metric_check(const struct plan *plan, const struct result *stored, const char *stored_path,
                      struct err *err);

#endif
