// SPDX-License-Identifier: Apache-2.0
//
// Compares an output with its float64 reference, element by element, by the operator's tolerance, with an
// explicit rule for NaN and infinity: where the reference is NaN the output must be NaN, where it is infinite
// the output must be the same infinity, where it is a number NaN and infinity fail.
#ifndef WORKER_CHECK_TENSOR_COMPARE_H
#define WORKER_CHECK_TENSOR_COMPARE_H

#include "op/operator.h"
#include "record/check_result.h"
#include "worker/check/tensor_rows.h"

struct tensor_verdict {
    struct tensor_error error; // figures without those of sampled rows
    double max_ref;            // largest finite |reference| of an element that is a number
    uint64_t unwritten_count;  // elements that still hold the poison and should be numbers
    uint64_t not_number_count; // mismatches of NaN and infinity, unwritten ones not counted
    uint64_t first_failed;     // dense index; UINT64_MAX: none
    uint64_t first_unwritten, first_not_number;
    bool is_passed; // nothing unwritten, no mismatch of kind, enough elements within tolerance, rel_l2 kept
};

#define COMPARE_NO_INDEX UINT64_MAX

// What one part of an output gives. Parts come from threads of the host or from blocks on a device and are
// added up in their order, so that the same output gives the same figures whoever was first.
struct compare_figures {
    uint64_t compared_count, failed_count, unwritten_count, not_number_count;
    uint64_t number_count; // numbers on both sides: the sums are over these only
    uint64_t first_failed, first_unwritten, first_not_number, worst;
    double max_abs, max_ref;
    double sum_abs, sum_square, sum_ref_square;
    double sum_out, sum_ref, sum_out_out, sum_out_ref; // for the correlation
};

void compare_figures_clear(struct compare_figures *figures);
void compare_figures_add(struct compare_figures *into, const struct compare_figures *part); // parts in order
// All of the verdict except the values of its worst element (worst_expected, worst_got: NAN), whose dense
// index is returned; COMPARE_NO_INDEX: there is none.
uint64_t compare_figures_verdict(const struct compare_figures *all, const struct assay_tensor *tensor,
                                 const struct op_tolerance *tolerance, struct tensor_verdict *ret);

// On the host. reference: dense in shape order. poison: what the output was filled with before the launch.
void tensor_compare(const struct assay_tensor *tensor, const double *reference,
                    const struct op_tolerance *tolerance, enum poison poison,
                    const struct assay_cpu_stream *stream, struct tensor_verdict *ret);

// One element: the rule above.
static inline bool element_passes(double out, double ref, const struct op_tolerance *tolerance) {
    if (ref != ref) return out != out;
    if (ref - ref != 0) return out == ref; // infinite
    double error = out > ref ? out - ref : ref - out;
    double size = ref < 0 ? -ref : ref;
    return error <= tolerance->atol + tolerance->rtol * size;
}

// A coordinate as "[0][3][63]".
void coord_format(const int64_t *coord, int dim_count, char *ret_text, size_t capacity);

#endif
