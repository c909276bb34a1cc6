// SPDX-License-Identifier: Apache-2.0
//
// Compares an output with its float64 reference, element by element, by the operator's tolerance, with an
// explicit rule for NaN and infinity: where the reference is NaN the output must be NaN, where it is infinite
// the output must be the same infinity (a faint one, DEV_FAINT_INFINITY_BITS, may be NaN), where it is a
// number NaN and infinity fail.
#ifndef WORKER_CHECK_TENSOR_COMPARE_H
#define WORKER_CHECK_TENSOR_COMPARE_H

#include "device/device_kernel_core.h"
#include "op/operator.h"
#include "record/check_result.h"
#include "worker/check/tensor_rows.h"

#define TENSOR_WHY_BYTES 256

struct tensor_verdict {
    struct tensor_error error; // figures without those of sampled rows
    double max_ref;            // largest finite |reference| of an element that is a number
    uint64_t unwritten_count;  // elements that still hold the poison and should be numbers
    uint64_t not_number_count; // mismatches of NaN and infinity, unwritten ones not counted
    uint64_t first_failed;     // dense index; UINT64_MAX: none
    uint64_t first_unwritten, first_not_number;
    bool is_passed; // nothing unwritten, no mismatch of kind, enough elements within tolerance, rel_l2 kept
    bool is_miscounted; // what is used of it the kernel says wrong: nothing else is known
    // What is wrong with the first element that fails, in a sentence, where a rule of the output says more
    // than a number (result_rules.h); else empty.
    char why[TENSOR_WHY_BYTES];
};

// The verdict from the figures of all parts of an output (dev_compare_merge adds them up in their order, so
// that the same output gives the same figures whoever was first): all of it except the values of its worst
// element (worst_expected, worst_got: NAN), whose dense index is returned; DEV_NONE: there is none. far: the
// figures with the tolerance of tolerance_find_far; NULL: it has none, or nothing failed.
uint64_t tensor_verdict_of(const struct dev_compare_part *all, const struct dev_compare_part *far,
                           const struct assay_tensor *tensor, const struct op_tolerance *tolerance,
                           struct tensor_verdict *ret);

// On the host. reference: dense in shape order. poison: what the output was filled with before the launch.
void tensor_compare(const struct assay_tensor *tensor, const double *reference,
                    const struct op_tolerance *tolerance, enum poison poison,
                    const struct assay_cpu_stream *stream, struct tensor_verdict *ret);

// One element: the rule above.
static inline bool element_passes(double out, double ref, const struct op_tolerance *tolerance) {
    return dev_element_passes(out, ref, tolerance->atol, tolerance->rtol);
}

// The tolerance that every element must keep, where a share may fail the other; false: there is none.
static inline bool tolerance_find_far(const struct op_tolerance *tolerance, struct op_tolerance *ret) {
    *ret = *tolerance;
    ret->atol *= tolerance->far_factor;
    ret->rtol *= tolerance->far_factor;
    return tolerance->far_factor > 0 && tolerance->min_pass_fraction < 1;
}

// Whether a few rows pass. A tolerance that lets a share of a tensor's elements fail says little of a row: a
// weight that was rounded is wrong in all of its elements. Where there is a bound on the relative L2 error
// too, rows may have four times that, 20 % of fp8 (results for other inputs have over 100 %); else the same
// share of the elements may fail, at least one. error_sq: NAN or infinite where one of both is no number.
bool tolerance_rows_pass(const struct op_tolerance *tolerance, uint64_t failed, uint64_t compared,
                         double error_sq, double reference_sq);

// A coordinate as "[0][3][63]", which has room in COORD_TEXT_BYTES.
#define COORD_TEXT_BYTES 128
void coord_format(const int64_t *coord, int dim_count, char *ret_text, size_t capacity);

#endif
