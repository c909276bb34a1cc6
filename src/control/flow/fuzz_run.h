// SPDX-License-Identifier: Apache-2.0
//
// The correctness run: which cases a kernel is tried on, and the smallest problem on which it still fails.
#ifndef CONTROL_FLOW_FUZZ_RUN_H
#define CONTROL_FLOW_FUZZ_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/run_folder.h"
#include "control/flow/session.h"

struct fuzz_request {
    struct session_options session;
    const char *oracle; // --oracle: "float64", "cudnn", "torch"; NULL: not given
    const char *distribution,
        *memory_layout;    // of a suite's or an ad-hoc problem's cases; NULL: normal, dense
    bool is_boundary;      // --boundary: add the operator's boundary matrix
    uint32_t repeat_count; // --repeat
};

// Adds the sides and builds them: --module or --kernel, with --oracle cudnn or torch that peer with it;
// where no kernel is named, the oracle alone, which is then itself checked against float64
// (plan.is_oracle_only). On a GPU the oracle without a name is the first of cuDNN and PyTorch that is there,
// else the linked-in plain kernel behind the 2 x rule, on the processor; on a simulated device its default
// kernel. ERR_USAGE for a name that is no oracle.
int fuzz_add_sides(struct session *session, const struct fuzz_request *request, struct err *err);
int fuzz_plan(struct session *session, const struct fuzz_request *request, struct plan *ret, struct err *err);

// Shrinks a failing case while it fails in the same way, in fresh workers. False: nothing smaller fails.
bool fuzz_shrink(const struct run *run, uint32_t side, const struct result_case *failing,
                 struct problem *ret_problem, struct check_result *ret_check);

#endif
