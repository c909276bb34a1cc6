// SPDX-License-Identifier: Apache-2.0
//
// Rank statistics of two sets of times. Counts are 64-bit integers; only probabilities are floating point.
#include "stats/rank.h"

#include <errno.h>
#include <math.h>

#include "stats/float_order.h"
#include "stats/student_t.h"

int rank_count_pairs(const double *base, size_t base_count, const double *cand, size_t cand_count,
                     struct rank_pairs *out) {
    struct rank_pairs pairs = {.base_count = base_count, .cand_count = cand_count};
    size_t i = 0;
    size_t j = 0;

    if (base_count == 0 || base_count > INT32_MAX || !float_order_is_sorted(base, base_count)) return -EINVAL;
    if (cand_count == 0 || cand_count > INT32_MAX || !float_order_is_sorted(cand, cand_count)) return -EINVAL;
    while (i < base_count || j < cand_count) {
        double value = j == cand_count || (i < base_count && base[i] <= cand[j]) ? base[i] : cand[j];
        size_t i_end = i;
        size_t j_end = j;

        while (i_end < base_count && base[i_end] == value) ++i_end;
        while (j_end < cand_count && cand[j_end] == value) ++j_end;
        uint64_t in_base = i_end - i;
        uint64_t in_cand = j_end - j;
        double tied = (double)(in_base + in_cand);
        pairs.cand_above += in_cand * i;
        pairs.cand_below += in_base * j;
        pairs.equal += in_base * in_cand;
        pairs.tie_term += (tied * tied - 1.0) * tied;
        i = i_end;
        j = j_end;
    }
    *out = pairs;
    return 0;
}

static double pair_count(const struct rank_pairs *pairs) {
    return (double)((uint64_t)pairs->base_count * pairs->cand_count);
}

double rank_cliffs_delta(const struct rank_pairs *pairs) {
    return ((double)pairs->cand_above - (double)pairs->cand_below) / pair_count(pairs);
}

void rank_mann_whitney(const struct rank_pairs *pairs, struct rank_test *out) {
    double all = (double)pairs->base_count + (double)pairs->cand_count;
    double mean = pair_count(pairs) / 2.0;
    double ties = pairs->tie_term / (all * (all - 1.0));
    double sd = sqrt(pair_count(pairs) / 12.0 * ((all + 1.0) - ties));

    out->u_base = (double)pairs->cand_below + 0.5 * (double)pairs->equal;
    out->u_cand = (double)pairs->cand_above + 0.5 * (double)pairs->equal;
    if (!(sd > 0.0)) {
        out->p_two_sided = out->p_cand_slower = out->p_cand_faster = out->p_two_sided_uncorrected = 1.0;
        return;
    }
    double larger = fmax(out->u_base, out->u_cand);
    out->p_cand_slower = normal_sf((out->u_cand - mean - 0.5) / sd);
    out->p_cand_faster = normal_sf((out->u_base - mean - 0.5) / sd);
    out->p_two_sided = fmin(1.0, 2.0 * normal_sf((larger - mean - 0.5) / sd));
    out->p_two_sided_uncorrected = fmin(1.0, 2.0 * normal_sf((larger - mean) / sd));
}
