// SPDX-License-Identifier: Apache-2.0
//
// Telling people of a regression, by e-mail and to a chat: once for each change, not for each run. Off unless
// the manifest says where to. Passwords and addresses of webhooks come from the environment only.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_H

#include "control/flow/session.h"

#define NOTIFY_WEBHOOK_ENV  "ASSAY_WEBHOOK_URL"
#define NOTIFY_USER_ENV     "ASSAY_SMTP_USER"
#define NOTIFY_PASSWORD_ENV "ASSAY_SMTP_PASSWORD"

// What is to be told.
struct notification {
    const char *branch, *run_id, *device, *url; // url: of the job's page; NULL: none
    size_t count;
    const struct decision_case *const *cases; // regressions that nobody was told of
    const char *subject, *text;               // for people; the text has several lines
};

// Tells what is new in the result's decision on this branch, and remembers it beside the manifest. The branch
// NULL, or one that the manifest does not name: nothing is told. Never an error: *ret_warning says what did
// not arrive, and then it is told again by the next run. *ret_count: problems told.
void notify_result(struct session *session, const struct result *result, const char *branch,
                   size_t *ret_count, const char **ret_warning);

// ---- its parts ----

// form: of the webhook's body, as the manifest has it.
int notify_send_webhook(const char *form, const struct notification *notification, struct err *err);
int notify_send_email(const struct manifest *manifest, const struct notification *notification,
                      struct err *err);

#endif
