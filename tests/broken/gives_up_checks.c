// SPDX-License-Identifier: Apache-2.0
//
// Supports the problems that are timed, and of the check only those that are like them: where it would be
// wrong (sizes that are no multiple of 8) it says that it does not support the problem.
#define BROKEN_SUPPORTS supports_round_sizes
#include "hostile.h"

static int supports_round_sizes(const struct assay_problem *problem, struct assay_message *message) {
    if ((long)assay_scalar_get(problem->scalars, problem->scalar_count, "seq_q", 0) % 8 != 0)
        return assay_say(message, ASSAY_UNSUPPORTED, "only multiples of 8");
    return broken_supports(problem, message);
}

BROKEN_KERNEL(broken_launch_right)
