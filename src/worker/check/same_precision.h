// SPDX-License-Identifier: Apache-2.0
//
// The 2 x rule: a kernel's error may be at most twice that of a plain kernel in the same precision (the
// same-precision reference), in the maximum plus 2 ulp of the largest element, in the root mean square plus
// the error of one rounding (fp32: 2 ulp as well), on the same rows: 64 seeded rows a group (head) and its
// first and last. The rows are a function of problem and seed, so that the plain kernel's figures can be
// kept with the reference. The same slices serve the stale check: float64 results of a few rows for inputs
// that have no complete reference.
#ifndef WORKER_CHECK_SAME_PRECISION_H
#define WORKER_CHECK_SAME_PRECISION_H

#include "record/check_result.h"
#include "worker/check/case_buffers.h"
#include "worker/check/precision_tally.h"
#include "worker/check/reference.h"

#define SAME_PRECISION_ROWS_A_GROUP 64
#define SAME_PRECISION_ROWS_MAX     65536 // in all groups: with very many heads fewer rows each
#define SAME_PRECISION_GROUPS_MAX   4096  // seeded ones where there are more, the first and the last of them

// Runs the operator's linked-in plain kernel on the rows, each as a problem of its own, and compares it with
// the reference. Figures stay zero for an operator without a plain kernel, or where no output is gated; of a
// declared one see declared_precision.h.
int same_precision_measure(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err);

// The oracle on just these rows, into dense outputs of float64.
int same_precision_oracle(const struct case_buffers *buffers, const struct reference *reference,
                          double *const *outputs, struct err *err);

// Errors of the outputs that lie in buffers, on the same rows. row_count 0 where the rule does not apply.
void same_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX]);

// Whether the rule holds. A NaN anywhere fails; 0 against 0 passes. *ret_limit: the most that each figure may
// be.
bool same_precision_passes(const struct reference_same_precision *kernel,
                           const struct reference_same_precision *plain, int32_t dtype, double max_ref,
                           struct reference_same_precision *ret_limit);
// Which limit is broken: "error max 0.02, rms 0.02; the most is, by the plain kernel's, max ...".
struct same_precision_text {
    char text[192];
} same_precision_explain(const struct reference_same_precision *kernel,
                         const struct reference_same_precision *limit);
// How far a single element of each output may be off, where no tolerance is declared: twice what the 2 x rule
// allows the largest error on these inputs, since other inputs than the reference's are compared by it too;
// without a plain kernel a few units in the last place of the largest element. 0 of an operator that has a
// tolerance.
void same_precision_limit_elements(const struct case_buffers *buffers, const struct reference *reference,
                                   double ret[OP_TENSORS_MAX]);

// The rule on a tally's output k, which is gated. True where no row was added. *ret_*: errors and their
// limits.
bool precision_tally_passes(const struct precision_tally *tally, const struct case_buffers *buffers,
                            uint32_t k, struct reference_same_precision *ret_error,
                            struct reference_same_precision *ret_limit);

// As checker_ops.check_rows: compares up to rows->row_max rows of the outputs in buffers with the oracle run
// on just these rows. Without slices, or with few rows: all of the output.
int slices_check(struct case_buffers *buffers, const struct rows_wanted *rows, struct slice_failure *ret,
                 struct err *err);

#endif
