// SPDX-License-Identifier: Apache-2.0
//
// Adding up figures and judging them.
#include "worker/check/compare_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void note_first(uint64_t *first, uint64_t index) {
    if (index < *first) *first = index;
}

void compare_figures_clear(struct compare_figures *figures) {
    memset(figures, 0, sizeof *figures);
    figures->first_failed = figures->first_unwritten = figures->first_not_number = figures->worst =
        COMPARE_NO_INDEX;
}

void compare_figures_add(struct compare_figures *into, const struct compare_figures *f) {
    if (f->worst != COMPARE_NO_INDEX && (into->worst == COMPARE_NO_INDEX || f->max_abs > into->max_abs)) {
        into->max_abs = f->max_abs;
        into->worst = f->worst;
    }
    if (f->max_ref > into->max_ref) into->max_ref = f->max_ref;
    note_first(&into->first_failed, f->first_failed);
    note_first(&into->first_unwritten, f->first_unwritten);
    note_first(&into->first_not_number, f->first_not_number);
    into->compared_count += f->compared_count;
    into->failed_count += f->failed_count;
    into->unwritten_count += f->unwritten_count;
    into->not_number_count += f->not_number_count;
    into->number_count += f->number_count;
    into->sum_abs += f->sum_abs;
    into->sum_square += f->sum_square;
    into->sum_ref_square += f->sum_ref_square;
    into->sum_out += f->sum_out;
    into->sum_ref += f->sum_ref;
    into->sum_out_out += f->sum_out_out;
    into->sum_out_ref += f->sum_out_ref;
}

static double correlation(const struct compare_figures *f) {
    double n = (double)f->number_count;
    double cov = f->sum_out_ref - f->sum_out * f->sum_ref / n;
    double var_out = f->sum_out_out - f->sum_out * f->sum_out / n,
           var_ref = f->sum_ref_square - f->sum_ref * f->sum_ref / n;
    return var_out > 0 && var_ref > 0 ? cov / sqrt(var_out * var_ref) : NAN;
}

static double ratio_or_zero(double error, double size) {
    return size > 0 ? error / size : error > 0 ? NAN : 0.0;
}

static uint64_t describe_error(const struct compare_figures *f, const struct assay_tensor *tensor,
                               struct tensor_error *ret) {
    memset(ret, 0, sizeof *ret);
    snprintf(ret->tensor, sizeof ret->tensor, "%s", role_name(tensor->role));
    ret->element_count = tensor_element_count(tensor);
    ret->failed_count = f->failed_count;
    bool has_numbers = f->number_count > 0;
    double n = (double)f->number_count;
    ret->max_abs = has_numbers ? f->max_abs : NAN;
    ret->max_rel = has_numbers ? ratio_or_zero(f->max_abs, f->max_ref) : NAN;
    ret->mean_abs = has_numbers ? f->sum_abs / n : NAN;
    ret->rms = has_numbers ? sqrt(f->sum_square / n) : NAN;
    ret->rel_l2 = has_numbers ? ratio_or_zero(sqrt(f->sum_square), sqrt(f->sum_ref_square)) : NAN;
    ret->correlation = has_numbers ? correlation(f) : NAN;
    ret->same_precision_max_abs = ret->same_precision_rms = ret->sampled_max_abs = ret->sampled_rms = NAN;
    ret->worst_expected = ret->worst_got = NAN;
    uint64_t index = f->first_failed != COMPARE_NO_INDEX ? f->first_failed : f->worst;
    if (index == COMPARE_NO_INDEX) return index;
    tensor_coord(tensor, index, ret->worst_coord);
    ret->dim_count = tensor->dim_count;
    return index;
}

uint64_t compare_figures_judge(const struct compare_figures *all, const struct assay_tensor *tensor,
                               const struct op_tolerance *tolerance, struct tensor_verdict *ret) {
    const uint64_t index = describe_error(all, tensor, &ret->error);
    ret->max_ref = all->max_ref;
    ret->unwritten_count = all->unwritten_count;
    ret->not_number_count = all->not_number_count;
    ret->first_failed = all->first_failed;
    ret->first_unwritten = all->first_unwritten;
    ret->first_not_number = all->first_not_number;
    double passed_fraction =
        all->compared_count ? 1.0 - (double)all->failed_count / (double)all->compared_count : 1.0;
    bool is_rel_l2_kept =
        !isfinite(tolerance->rel_l2_max) || !all->number_count || ret->error.rel_l2 <= tolerance->rel_l2_max;
    ret->is_passed = all->compared_count == ret->error.element_count && all->unwritten_count == 0 &&
                     all->not_number_count == 0 && passed_fraction >= tolerance->min_pass_fraction &&
                     is_rel_l2_kept;
    return index;
}
