// SPDX-License-Identifier: Apache-2.0
//
// Shared by the ways to collect a profile: its files.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_INTERNAL_H
#define CONTROL_FLOW_PROFILE_PROFILE_INTERNAL_H

#include "base/strbuf.h"
#include "control/flow/profile/profile_run.h"

struct collecting {
    struct session *session;
    const struct profile_request *request;
    const struct suite_item *item;
    const char *name; // of files: "s512"
};

// <folder>/<name><suffix>, and a copy as runs/ncu_<name><suffix>.
int profile_keep(const struct collecting *c, const char *suffix, const struct strbuf *text, struct err *err);

// Both leave the profiler's page and log in files.
int profile_by_ncu(const struct collecting *c, struct profile_collected *ret, struct err *err);
int profile_by_counters(const struct collecting *c, struct profile_collected *ret, struct err *err);

#endif
