// SPDX-License-Identifier: Apache-2.0
//
// The correctness run: which cases a kernel is tried on, and the smallest problem on which it still fails.
#ifndef FLOW_FUZZ_RUN_H
#define FLOW_FUZZ_RUN_H

#include "flow/run_folder.h"
#include "flow/session.h"

#include <stdbool.h>
#include <stdint.h>

struct fuzz_request {
    struct session_options session;
    const char *family, *placement; // of a suite's or an ad-hoc problem's cases; NULL: normal, dense
    bool is_boundary;               // --boundary: add the operator's boundary matrix
    uint32_t repeat_count;          // --repeat
};

// The session's one side: --module, --kernel, or, where none is named, the linked-in plain kernel behind the oracle, which is
// then itself checked (plan.is_oracle_only); on a simulated device its default kernel.
int fuzz_add_side(struct session *session, struct err *err);
int fuzz_plan(struct session *session, const struct fuzz_request *request, struct plan *ret, struct err *err);

// Makes a failing case smaller while it fails in the same way, in fresh workers. False: nothing smaller fails.
bool fuzz_shrink(const struct run *run, uint32_t side, const struct result_case *failing,
                 struct problem *ret_problem, struct check_result *ret_check);

#endif
