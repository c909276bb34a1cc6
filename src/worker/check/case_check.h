// SPDX-License-Identifier: Apache-2.0
//
// Checks one kernel on one case: right values, everything written, nothing else touched, the same bits
// every time, and other results for other inputs. The finding names the fault. Launches at least three
// times; afterwards the buffers are as before, except for the outputs, which hold the kernel's results for
// the inputs of the case.
#ifndef WORKER_CHECK_CASE_CHECK_H
#define WORKER_CHECK_CASE_CHECK_H

#include "worker/check/check_request.h"

// The 2 x rule on inputs that nobody has seen: fills the buffers from that seed, launches once, and compares
// with the oracle and the plain kernel on rows_a_group drawn rows of every group. An error a little beyond
// the limit counts only if three more draws find one. Leaves the last inputs there.
// enum check_search: found, *ret says how.
int case_check_drawn(const struct check_request *request, uint64_t seed, uint64_t rows_a_group,
                     struct check_result *ret, struct err *err);

// The 2 x rule on what a launch on the inputs that lie there has left, with rows_a_group drawn rows of every
// group. enum check_search. *ret_is_far_off: more than twice beyond a limit; less may be chance.
int case_check_left(const struct check_request *request, uint64_t rows_a_group, struct check_result *ret,
                    bool *ret_is_far_off, struct err *err);

// *ret: outcome OK or FAIL with finding, message and figures; members filled by kernel_instance_open are
// kept. Negative only for an error of ours (no memory).
int case_check_run(const struct check_request *request, struct check_result *ret, struct err *err);

// Guards, gaps and inputs after a launch. hashes: of the inputs as they are now. True: all untouched; else
// FAIL with its finding in *ret.
bool case_check_memory(struct case_buffers *buffers, enum poison poison,
                       const struct kernel_instance *instance, const struct tensor_hashes *hashes,
                       struct check_result *ret);

#endif
