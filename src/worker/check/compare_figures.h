// SPDX-License-Identifier: Apache-2.0
//
// What was seen of (a part of) an output beside its reference, and what follows from it. Parts come from
// threads of the host or from blocks on a device and are added up in their order, so that the same output
// gives the same figures whoever was first; what the figures mean is decided here, once for both.
#ifndef WORKER_CHECK_COMPARE_FIGURES_H
#define WORKER_CHECK_COMPARE_FIGURES_H

#include "worker/check/tensor_compare.h"

#define COMPARE_NO_INDEX UINT64_MAX

struct compare_figures {
    uint64_t compared_count, failed_count, unwritten_count, not_number_count;
    uint64_t number_count; // numbers on both sides: only of these are the sums
    uint64_t first_failed, first_unwritten, first_not_number, worst;
    double max_abs, max_ref;
    double sum_abs, sum_square, sum_ref_square;
    double sum_out, sum_ref, sum_out_out, sum_out_ref; // for the correlation
};

void compare_figures_clear(struct compare_figures *figures);
void compare_figures_add(struct compare_figures *into, const struct compare_figures *part); // parts in order
// All of the verdict but the values of its worst element (worst_expected, worst_got: NAN), whose dense index
// is returned; COMPARE_NO_INDEX: there is none.
uint64_t compare_figures_judge(const struct compare_figures *all, const struct assay_tensor *tensor,
                               const struct op_tolerance *tolerance, struct tensor_verdict *ret);

#endif
