// SPDX-License-Identifier: Apache-2.0
//
// See precision_tally.h.
#include "worker/check/precision_tally.h"

#include <math.h>

bool precision_find_gated(const struct case_buffers *buffers, bool ret_is_gated[OP_TENSORS_MAX]) {
    bool has_any = false;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const uint32_t tensor = buffers->input_count + k;
        ret_is_gated[k] =
            problem_tolerance(&buffers->problem, buffers->distribution, &buffers->own[tensor], tensor)
                .is_two_x_gated;
        has_any |= ret_is_gated[k];
    }
    return has_any;
}

struct reference_same_precision precision_figures(const struct error_sums *sums) {
    const double count = sums->count ? (double)sums->count : 1;
    return (struct reference_same_precision){.max_abs = sums->max_abs,
                                             .rms = sqrt(sums->sum_square / count),
                                             .worst_row = sums->worst_row,
                                             .ref_rms = sqrt(sums->ref_sum_square / count)};
}

double precision_max_ref(const struct reference *reference, uint32_t output) {
    if (reference->device) return reference->max_ref[output];
    double max_ref = 0;
    for (uint64_t i = 0; i < reference->element_count[output]; ++i) {
        double size = fabs(reference->outputs[output][i]);
        if (size > max_ref && isfinite(size)) max_ref = size;
    }
    return max_ref;
}
