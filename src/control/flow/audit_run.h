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

// Why a kernel of a declared operator is not judged though all its checks passed.
struct audit_fault {
    const char *sentence; // "paged gives the same result whatever 'page_len' is: ..."
    const char *to_do;    // NULL: the sentence says it
};
struct audit_faults {
    size_t count; // 0: it is judged
    struct audit_fault items[OP_TENSORS_MAX + OP_SCALARS_MAX + 1];
};

// When all checks of a run passed: would a wrong kernel of their operator have failed? Asked once an
// operator, of its own matrix, whichever was checked: a suite of one's own may be of large problems, or of
// one that lets an input not matter. Known wrong results of one of its small problems, and where one goes
// unnoticed that an ignored input gives, of others too: of each kind of inputs, and the default problem. A
// fault for each input that matters on none of them, one if the tolerance of that side lets wrong results
// pass, and one if that cannot be found out. Others than declared operators have none. Negative: interrupted.
int audit_not_judged(const struct plan *plan, uint32_t side, struct arena *arena, struct audit_faults *ret,
                     struct err *err);

#endif
