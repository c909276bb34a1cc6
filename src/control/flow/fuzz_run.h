// SPDX-License-Identifier: Apache-2.0
//
// The correctness run: chooses the problems that a kernel is checked on.
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
    bool is_not_shrunk;    // --no-shrink: look for no smaller problem that fails
    uint32_t repeat_count; // --repeat
};

// Adds the sides and builds them: --module or --kernel and, with --oracle cudnn or torch, that peer. Without
// a kernel, adds the oracle alone, which is then checked against float64 (plan.is_oracle_only). If the oracle
// is not named either, it is on a GPU the first of cuDNN and PyTorch that is installed, else the linked-in
// plain kernel of the 2 x rule, on the processor; on a simulated device it is the default kernel. ERR_USAGE:
// --oracle names no oracle.
int fuzz_add_sides(struct session *session, const struct fuzz_request *request, struct err *err);
// --distribution and --memory-layout, over the suite's own.
int fuzz_set_inputs(struct suite *suite, const struct fuzz_request *request, struct err *err);
int fuzz_plan(struct session *session, const struct fuzz_request *request, struct plan *ret, struct err *err);

#endif
