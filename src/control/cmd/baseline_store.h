// SPDX-License-Identifier: Apache-2.0
//
// `assay baseline set RUN`, show and list: which stored run a branch is measured against, on each device and
// suite.
#ifndef CONTROL_CMD_BASELINE_STORE_H
#define CONTROL_CMD_BASELINE_STORE_H

#include "control/cmd/command.h"
#include "control/flow/session.h"

struct baseline_request {
    const char *store_path, *branch, *device; // --store, --branch, --on; NULL: not given
};

// Each appends what is printed. The session is not open yet; close it.
int baseline_store_set(const struct baseline_request *request, const struct cmd_options *options,
                       const char *run_id, struct session *session, struct strbuf *out, struct err *err);
int baseline_store_list(const struct baseline_request *request, const struct cmd_options *options,
                        struct session *session, struct strbuf *out, struct err *err);
// The report of the one baseline that fits; of the branch that is checked out, unless --branch names one.
int baseline_store_show(const struct baseline_request *request, const struct cmd_options *options,
                        struct session *session, struct strbuf *out, struct err *err);

#endif
