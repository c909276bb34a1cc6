// SPDX-License-Identifier: Apache-2.0
//
// What is found out about a failure of a check, in fresh workers: whether its problem fails alone, after
// which problems it does if not, and which is the smallest problem that fails in the same way.
#ifndef CONTROL_FLOW_FUZZ_FAILURE_H
#define CONTROL_FLOW_FUZZ_FAILURE_H

#include <stddef.h>
#include <stdint.h>

#include "control/flow/run_folder.h"

// Whether a failing case fails in the same way when it is checked alone: 1 or 0. Negative: interrupted, or a
// worker did not come to the case.
int fuzz_fails_alone(const struct run *run, uint32_t side, const struct result_case *failing,
                     struct err *err);

// The problems, among those that were checked before a case that passes alone, after which it fails in the
// same way: the shortest list that was found, in their order. 0: none was found, not even all of them; then
// it may be chance.
#define FUZZ_BEFORE_MAX 8 // longer lists are of no use
size_t fuzz_find_before(const struct run *run, uint32_t side, size_t failing,
                        struct problem ret[FUZZ_BEFORE_MAX]);

// Shrinks a failing case as long as it fails in the same way: 1 and the smallest problem, or 0 when nothing
// smaller fails. A case that ran out of time is not tried where each try would take longer than all of them
// may. Negative: interrupted, or a worker did not come to the case.
int fuzz_shrink(const struct run *run, uint32_t side, const struct result_case *failing,
                struct problem *ret_problem, struct check_result *ret_check, struct err *err);

#endif
