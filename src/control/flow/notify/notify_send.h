// SPDX-License-Identifier: Apache-2.0
//
// Sends kept messages every way that the manifest names: both ways at once, and all of it within one short
// deadline, however many messages there are and whatever a server does.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_SEND_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_SEND_H

#include "code_host/curl_run.h"
#include "control/flow/notify/notify_memory.h"
#include "control/plan/manifest/manifest.h"

bool notify_has_way(const struct manifest *manifest, enum notify_way way);
// A message that went a way is due there no more; nor is one that was sent whole for the second time without
// an answer, for a slow server may well have taken both. Why one did not go is added to *complaint, which
// stays empty when all went out.
void notify_send_kept(const struct manifest *manifest, struct notify_memory *memory,
                      struct strbuf *complaint);

// ---- the ways: one try each, within timeout_ms; err is set unless the message was taken ----

enum notify_answer {
    NOTIFY_TAKEN,
    NOTIFY_AGAIN,      // another try may help
    NOTIFY_REFUSED,    // it would not; another message may still be taken
    NOTIFY_UNANSWERED, // sent whole
};

// Of a server that did not say itself whether it takes a message of so many bytes.
enum notify_answer notify_answer_by_end(const struct curl_end *end, size_t byte_count);

enum notify_answer notify_send_email(const struct manifest *manifest, const struct notification *message,
                                     unsigned timeout_ms, struct err *err);
enum notify_answer notify_send_webhook(const struct manifest *manifest, const struct notification *message,
                                       unsigned timeout_ms, struct err *err);

#endif
