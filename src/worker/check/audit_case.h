// SPDX-License-Identifier: Apache-2.0
//
// The audit of one case: wrong results (op/mutant.h), rounded to the outputs' types, lie in the buffers where
// a kernel's outputs would lie, and go through the comparison that a kernel's outputs go through: element
// tolerance, share of elements, relative L2, 2 x rule. No kernel runs. On the host.
#ifndef WORKER_CHECK_AUDIT_CASE_H
#define WORKER_CHECK_AUDIT_CASE_H

#include "op/mutant.h"
#include "record/audit_result.h"
#include "worker/check/case_buffers.h"
#include "worker/check/reference.h"

struct declared_reference_run;

struct audit_case {
    struct case_buffers buffers;
    struct reference reference; // of the right results
    struct mutant_case inputs;
    double *right[OP_TENSORS_MAX], *stale[OP_TENSORS_MAX], *made[OP_TENSORS_MAX];
    double *memory;           // of all three
    struct kept_outputs kept; // the right results in the outputs' types
    // A single rounding's error, and the largest |reference|.
    double rounded_max_abs[OP_TENSORS_MAX], rounded_rms[OP_TENSORS_MAX], max_ref[OP_TENSORS_MAX];
    uint32_t output_count;
    double error_limits[OP_TENSORS_MAX];   // of case_memory
    struct declared_reference_run *others; // computes results for other inputs; NULL: not started
};

// What is audited: as a case of a check.
struct audit_wanted {
    struct device *device; // of the host's memory
    const struct problem *problem;
    const char *distribution;
    enum memory_layout memory_layout;
    uint64_t seed;
    const struct own_tolerance *tolerance; // of its suite; NULL: the operator's
    const struct work_order *order;        // of case_memory
};

// Points into itself: neither copy nor move it. ERR_UNAVAILABLE when there is no memory. Close it in any
// case.
int audit_case_open(struct audit_case *ret, const struct audit_wanted *wanted, struct err *err);
void audit_case_close(struct audit_case *audit); // accepts a zeroed one

// One wrong result: ret[k] is output k's. *ret_applies false: no such mistake can be made on this problem, or
// its reference takes no such inputs.
// Texts belong to the operator. detected_by is NULL.
int audit_case_try(struct audit_case *audit, const struct mutant *mutant,
                   struct audit_result ret[OP_TENSORS_MAX], bool *ret_applies, struct err *err);
// The same for the right results: SAME, or REFUSED where the comparison rejects them.
int audit_case_try_right(struct audit_case *audit, struct audit_result ret[OP_TENSORS_MAX], struct err *err);

#endif
