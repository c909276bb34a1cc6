// SPDX-License-Identifier: Apache-2.0
//
// The 2 x rule: a kernel's error may be at most twice that of a plain kernel in the same precision, plus 2
// ulp, in the maximum and in the root mean square, on the same rows: 64 seeded rows a group (head) and its
// first and last. The rows are a function of problem and seed, so that the plain kernel's figures can be kept
// with the reference. The same slices serve the stale check: float64 results of a few rows for inputs that
// have no whole reference.
#ifndef WORKER_CHECK_SAME_PRECISION_H
#define WORKER_CHECK_SAME_PRECISION_H

#include "record/check_result.h"
#include "worker/check/case_buffers.h"
#include "worker/check/reference.h"

#define SAME_PRECISION_ROWS_A_GROUP 64
#define SAME_PRECISION_ROWS_MAX     65536 // of all groups: with very many heads fewer rows each

// Runs the operator's linked-in plain kernel on the rows, each as a problem of its own, and holds it against
// the reference. Figures stay zero for an operator without a same-precision reference, or where no output is
// held to the rule.
int same_precision_measure(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err);

// Errors of the outputs that lie in buffers, on the same rows. row_count 0 where the rule does not apply.
void same_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX]);

// Does the rule hold? A NaN anywhere fails; 0 against 0 passes. *ret_limit_* (may be NULL): what was allowed.
bool same_precision_passes(const struct reference_same_precision *kernel,
                           const struct reference_same_precision *plain, int32_t dtype, double max_ref,
                           double *ret_limit_max, double *ret_limit_rms);
// Largest finite |reference| of one output.
double same_precision_max_ref(const struct reference *reference, uint32_t output);

// Holds up to rows->row_max rows of the outputs in buffers against the oracle run on just these rows. Without
// slices: all of the output. Returns 1 and where, when an element fails; 0 when all pass; negative for an
// error.
struct slice_failure {
    uint32_t output;
    int64_t coord[ASSAY_MAX_DIMS];
    double expected, got;
};
int slices_check(const struct case_buffers *buffers, const struct rows_wanted *rows,
                 struct slice_failure *ret, struct err *err);

#endif
