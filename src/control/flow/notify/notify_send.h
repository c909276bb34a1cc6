// SPDX-License-Identifier: Apache-2.0
//
// Sends kept messages every way that the manifest names: both ways at once, and all of it within one short
// deadline, however many messages there are and whatever a server does.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_SEND_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_SEND_H

#include "control/flow/notify/notify_memory.h"
#include "control/plan/manifest/manifest.h"

bool notify_has_way(const struct manifest *manifest, enum notify_way way);
// A message that went a way is due there no more. Why one did not is added to *complaint, which stays empty
// when all went out.
void notify_send_kept(const struct manifest *manifest, struct notify_memory *memory,
                      struct strbuf *complaint);

// ---- the ways: one try each, within timeout_ms. ERR_UNAVAILABLE: another try may help ----

int notify_send_email(const struct manifest *manifest, const struct notification *message,
                      unsigned timeout_ms, struct err *err);
int notify_send_webhook(const struct manifest *manifest, const struct notification *message,
                        unsigned timeout_ms, struct err *err);

#endif
