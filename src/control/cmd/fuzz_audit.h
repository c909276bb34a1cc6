// SPDX-License-Identifier: Apache-2.0
//
// `assay fuzz --audit`: known wrong results in place of a kernel's.
#ifndef CONTROL_CMD_FUZZ_AUDIT_H
#define CONTROL_CMD_FUZZ_AUDIT_H

#include "control/cmd/command.h"
#include "control/flow/fuzz_run.h"

// Audits the cases of the plan. Returns the exit code, 0 all detected or 1, or a negative error.
int cmd_fuzz_audit(const struct plan *plan, const struct cmd_options *options, struct err *err);

#endif
