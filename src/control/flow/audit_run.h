// SPDX-License-Identifier: Apache-2.0
//
// `assay fuzz --audit`: would the tolerances let a wrong kernel pass? One worker puts known wrong results of
// every case through the comparison. No kernel is loaded, and nothing is written to the folder of runs.
#ifndef CONTROL_FLOW_AUDIT_RUN_H
#define CONTROL_FLOW_AUDIT_RUN_H

#include "control/flow/fuzz_run.h"
#include "verdict/audit_summary.h"

// Called when a case is done; `audit` holds all results so far.
typedef void (*audit_case_fn)(void *arg, const struct audit *audit, size_t case_index);

// The cases are those of plan->checks (fuzz_plan, in a session without sides). ERR_USAGE: options that an
// audit has no use for, or a device other than the processor. *ret is to be freed with audit_fini in any
// case.
int audit_check_options(const struct fuzz_request *request, struct err *err);
int audit_run(const struct plan *plan, audit_case_fn on_case, void *arg, struct audit *ret, struct err *err);

// Of a run of a declared operator in which all checks passed: would they have failed? Known wrong results of
// one of its small problems, and where one goes unnoticed that an ignored input gives, of others too: of each
// kind of inputs, and the default problem. *out: two lines for each input that matters on none of them, and
// one if the kernel's tolerance lets wrong results pass; empty: the kernel was judged.
int audit_add_not_judged(const struct plan *plan, struct strbuf *out, struct err *err);

#endif
