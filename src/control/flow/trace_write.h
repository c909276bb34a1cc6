// SPDX-License-Identifier: Apache-2.0
//
// A result as traces of a set (FlashInfer Trace, SOL-ExecBench): a line of JSON for each workload and kernel,
// with the statuses of the set and what each has or lacks beside it.
#ifndef CONTROL_FLOW_TRACE_WRITE_H
#define CONTROL_FLOW_TRACE_WRITE_H

#include "control/flow/session_options.h"
#include "record/result.h"

// The status of a check that did not pass. is_strict: of a set that knows REWARD_HACK.
const char *trace_status(const struct check_result *check, bool is_strict);
// Adds lines to the file. A workload that passed has one only where its time and the reference's are known:
// the form asks for both. ERR_CREATE, ERR_IO; errors of the set, which is read again.
int trace_write(const struct session_options *options, const struct result *result, const char *path,
                struct err *err);
// Adds a line for each workload where `why`, which ended a command, is that its solution does not compile or
// cannot be imported; else nothing.
int trace_write_unbuilt(const struct session_options *options, const struct err *why, const char *path,
                        struct err *err);

#endif
