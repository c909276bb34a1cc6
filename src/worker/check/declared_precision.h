// SPDX-License-Identifier: Apache-2.0
//
// The 2 x rule of declared operators: the reference itself in single precision takes the plain kernel's
// place, on whole outputs (declared_reference.h). No rows are drawn.
#ifndef WORKER_CHECK_DECLARED_PRECISION_H
#define WORKER_CHECK_DECLARED_PRECISION_H

#include "worker/check/precision_tally.h"

// Fills reference->same_precision. row_count stays 0 where the reference does not exist in single precision,
// the rule limits no output, or its results are no numbers where the reference's are. In Python an output
// that is far from fp64 as written is right as written: outputs, the reference's, gets that, and
// reference->decides says why.
int declared_precision_measure(const struct case_buffers *buffers, struct reference *reference,
                               double *const *outputs, struct err *err);

// The same where the figures are those of the case's own inputs, and a kernel is beyond twice these: of each
// the larger one of both. Where outliers decide, those of one draw say little of another one's.
int declared_precision_widen(const struct case_buffers *buffers, struct reference *reference,
                             struct err *err);

// As same_precision_sample: of what lies in the buffers.
void declared_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                               struct reference_same_precision ret[OP_TENSORS_MAX]);

// Adds what lies in the buffers against these right results to the tally, and its figures on the case's
// own inputs, as of as many elements of the same distribution.
void declared_precision_add(const struct case_buffers *buffers, double *const *right,
                            struct precision_tally *tally);

#endif
