// SPDX-License-Identifier: Apache-2.0
//
// One gate as a command runs it: from options to its files and its text. `gate` runs one, `gate --all` one
// for each kernel.
#ifndef CONTROL_CMD_GATE_ONE_H
#define CONTROL_CMD_GATE_ONE_H

#include "control/cmd/print_result.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/notify/notify.h"

struct gate_one {
    const struct cmd_options *options;
    const struct gate_request *request;
    const char *code_host; // "github"; NULL: nothing is published
    bool is_part;          // of a family: its report is written, and neither printed nor published
};

// Returns the exit code of the decision. The caller closes the gate.
int gate_one_run(const struct gate_one *one, struct gate *gate, struct err *err);
// After a failure: a side that does not build is a decision, with the exit code of one (else 0). And: prints
// the error, publishes such a decision, returns the exit code.
int gate_one_broken_code(const struct gate *gate);
int gate_one_fail(const struct gate_one *one, struct gate *gate, const struct err *err);

// What is done with a result that has a decision. report.md and report.html in dir, the document where
// --output says; published; printed, with the exit code as the value.
int gate_write_reports(const struct result *result, const char *dir, const struct cmd_options *options,
                       struct err *err);
void gate_publish_to(const char *host, struct result *result, const char *dir);
// Tells whom the manifest names; fills in the branch. Comes last: a server that does not answer delays no
// comment and no report.
void gate_notify(struct session *session, struct notify_request request);
int gate_print_report(const struct cmd_options *options, const struct result *result, const char *dir,
                      struct err *err);

#endif
