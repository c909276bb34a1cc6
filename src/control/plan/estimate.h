// SPDX-License-Identifier: Apache-2.0
//
// About how long will a plan take? For --dry-run: of the right size, no more.
#ifndef CONTROL_PLAN_ESTIMATE_H
#define CONTROL_PLAN_ESTIMATE_H

#include "control/plan/plan.h"

// Until the first look is over: the correctness matrix, and that many rounds. 0 where time is virtual, or
// nothing is measured.
double plan_expected_s(const struct plan *plan);

#endif
