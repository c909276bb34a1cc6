// SPDX-License-Identifier: Apache-2.0
//
// Telling people of a regression, by e-mail and to a chat: once for each change, not for each run. Off unless
// the manifest says where to. Passwords and addresses of webhooks come from the environment only.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_H

#include "control/flow/session.h"
#include "verdict/gate_family.h"

#define NOTIFY_WEBHOOK_ENV  "ASSAY_WEBHOOK_URL"
#define NOTIFY_USER_ENV     "ASSAY_SMTP_USER"
#define NOTIFY_PASSWORD_ENV "ASSAY_SMTP_PASSWORD"

struct notify_request {
    const struct result *result;         // with or without a decision
    const char *branch;                  // NULL, or one that the manifest does not name: nothing is told
    const struct family_member *members; // the kernels of `gate --all`; NULL: the result's one
    size_t member_count;
};

struct notify_told {
    size_t count;            // regressions told
    const char *nothing_due; // why none was to be told: "nobody is told of branch 'topic', ..."; else NULL
    const char *warning;     // what could not be sent; NULL: nothing failed
};

// Tells what is new in a gate, and what earlier commands kept because it could not be sent. Takes a few
// seconds at most, whatever the servers do, and is never an error: what could not be sent is kept beside the
// store, and sent by the next call. Texts are in the session's arena.
struct notify_told notify_result(struct session *session, const struct notify_request *request);

#endif
