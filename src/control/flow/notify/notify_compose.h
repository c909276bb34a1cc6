// SPDX-License-Identifier: Apache-2.0
//
// The message of regressions that nobody was told of.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_COMPOSE_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_COMPOSE_H

#include "control/flow/notify/notify_memory.h"
#include "control/flow/session.h"

struct notify_case {
    const char *name, *shown; // with its kernel; shown: with the short name
    const struct decision_case *item;
};

// In the session's arena, due every way that the manifest names. Of a result with a decision; count: of the
// cases, at least one.
struct notification notify_compose(struct session *session, const struct result *result, const char *branch,
                                   const struct notify_case *cases, size_t count);

#endif
