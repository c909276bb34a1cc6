// SPDX-License-Identifier: Apache-2.0
//
// Errors that are added up for the 2 x rule, and the figures that are compared. Rows of compiled operators
// (same_precision.h) and whole outputs of declared ones (declared_precision.h) share them.
#ifndef WORKER_CHECK_PRECISION_TALLY_H
#define WORKER_CHECK_PRECISION_TALLY_H

#include "worker/check/case_buffers.h"
#include "worker/check/reference.h"

// Which outputs the operator gates by the 2 x rule; false: none.
bool precision_find_gated(const struct case_buffers *buffers, bool ret_is_gated[OP_TENSORS_MAX]);

// Errors of a kernel and of the plain kernel on the same rows, added up over many launches.
struct error_sums {
    double max_abs, sum_square, ref_sum_square;
    double worst_row; // as reference_same_precision's
    uint64_t count;   // of elements
};
struct precision_tally {
    struct error_sums kernel[OP_TENSORS_MAX], plain[OP_TENSORS_MAX]; // by output
    double max_ref[OP_TENSORS_MAX];
    uint64_t row_count[OP_TENSORS_MAX];
    double slack[OP_TENSORS_MAX]; // as reference_same_precision's
};
struct reference_same_precision precision_figures(const struct error_sums *sums); // row_count 0

// Largest finite |reference| of one output.
double precision_max_ref(const struct reference *reference, uint32_t output);

#endif
