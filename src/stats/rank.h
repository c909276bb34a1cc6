// SPDX-License-Identifier: Apache-2.0
//
// Rank statistics of two sets of times: pair counts by one merge, Cliff's delta, and Mann-Whitney U with p
// by the normal approximation (tie and continuity correction). Values are times: above means slower.
// hodges_lehmann.h estimates how far apart the sets lie.
#ifndef STATS_RANK_H
#define STATS_RANK_H

#include <stddef.h>
#include <stdint.h>

// Counts over all base_count * cand_count pairs.
struct rank_pairs {
    size_t base_count;
    size_t cand_count;
    uint64_t cand_above; // candidate > baseline
    uint64_t cand_below;
    uint64_t equal;
    double tie_term; // sum of t^3 - t over groups of t equal values in both sets together; 0: no ties at all
};

// Both sets ascending and finite, both counts in [1, 2^31). Time O(n + m). -EINVAL.
int rank_count_pairs(const double *base, size_t base_count, const double *cand, size_t cand_count,
                     struct rank_pairs *out);

// (cand_above - cand_below) / pairs, in [-1, 1]: positive when the candidate is slower.
double rank_cliffs_delta(const struct rank_pairs *pairs);

struct rank_test {
    double u_base;                  // pairs with baseline > candidate, ties counting half
    double u_cand;                  // pairs with candidate > baseline; the sum is the number of pairs
    double p_two_sided;             // continuity corrected, as the next two
    double p_cand_slower;           // one-sided, alternative: the candidate's times are larger
    double p_cand_faster;           // one-sided, alternative: the candidate's times are smaller
    double p_two_sided_uncorrected; // without continuity correction
};

// Mann-Whitney U. All p are 1 when every value is the same.
void rank_mann_whitney(const struct rank_pairs *pairs, struct rank_test *out);

#endif
