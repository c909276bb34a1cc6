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
    bool is_part;          // of a family: it is kept, and nothing else is done with its result
};

// Returns the exit code of the decision. The caller closes the gate.
int gate_one_run(const struct gate_one *one, struct gate *gate, struct err *err);
// After a failure: a side that does not build is a decision, with the exit code of one (else 0). And: prints
// the error, publishes such a decision, returns the exit code.
int gate_one_broken_code(const struct gate *gate);
int gate_one_fail(const struct gate_one *one, struct gate *gate, const struct err *err);

// All that is done with a result that has a decision, once it is kept: report.md and report.html in dir;
// published; printed; told, of the kernels of request; written where --output says. Returns its exit code, in
// place of 0 that of a file that could not be written.
int gate_put(const struct gate_one *one, struct session *session, struct result *result,
             struct notify_request request, const char *dir, struct err *err);
int gate_write_reports(const struct result *result, const char *dir, struct err *err);
void gate_publish_to(const char *host, struct result *result, const char *dir);
// Tells whom the manifest names; fills in the branch. Comes last: a server that does not answer delays no
// comment and no report.
void gate_notify(struct session *session, struct notify_request request);
// dir: NULL if it has no reports.
int gate_print_report(const struct cmd_options *options, const struct result *result, const char *dir,
                      struct err *err);

#endif
