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

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
