// SPDX-License-Identifier: Apache-2.0
//
// Says that it does not support the problem it would be slow on, but only where problems are measured.
#define BROKEN_SUPPORTS supports_some
#include "hostile.h"

static int supports_some(const struct assay_problem *problem, struct assay_message *message) {
    if (assay_scalar_get(problem->scalars, problem->scalar_count, "seq_q", 0) == 48)
        return assay_say(message, ASSAY_UNSUPPORTED, "not that one");
    return broken_supports(problem, message);
}

BROKEN_KERNEL(broken_launch_right)
