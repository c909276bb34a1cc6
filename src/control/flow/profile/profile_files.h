// SPDX-License-Identifier: Apache-2.0
//
// One profile while it is collected, and its files.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_FILES_H
#define CONTROL_FLOW_PROFILE_PROFILE_FILES_H

#include "base/strbuf.h"
#include "control/flow/profile/profile_request.h"
#include "control/flow/session.h"

struct collecting {
    struct session *session;
    const struct profile_request *request;
    const struct suite_item *item;
    const char *name; // of files: "s512"
};

struct collecting profile_collecting(struct session *session, const struct profile_request *request,
                                     const struct suite_item *item);

// How a problem's files are called, without suffix: the short name, or the name with _ for / and for the
// blank before an input distribution.
const char *profile_file_name(const char *short_name, const char *problem, struct arena *arena);

// The problem with its inputs, as results and the store name it.
const char *profile_problem_key(const struct suite_item *item, struct arena *arena);

// <folder>/<name><suffix>, and a copy as runs/ncu_<name><suffix>.
int profile_keep(const struct collecting *c, const char *suffix, const struct strbuf *text, struct err *err);

#endif
