// SPDX-License-Identifier: Apache-2.0
// Do the candidate's times tend to lie above the baseline's?
// Pair counts by one merge, Cliff's delta with its customary labels, Mann-Whitney U with p by the normal
// approximation (tie and continuity correction) and, for small sets without ties, exactly. Values are times:
// above means slower. How far apart the sets lie is hodges_lehmann.h's question.
#ifndef STATS_RANK_H
#define STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Up to this many values a side the exact distribution of U is at hand (7 ms at the limit); 50 is the usual
// choice.
#define RANK_EXACT_MAX 64

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

// How much |delta| is, by the customary limits 0.147, 0.33, 0.474.
enum cliffs_label {
    CLIFFS_INVALID = 0,
    CLIFFS_NEGLIGIBLE,
    CLIFFS_SMALL,
    CLIFFS_MEDIUM,
    CLIFFS_LARGE,
    CLIFFS_COUNT
};

// CLIFFS_INVALID for NaN or |delta| > 1.
enum cliffs_label cliffs_label_of(double delta);

// "negligible" ...; "invalid" for anything that is no label.
const char *cliffs_label_name(enum cliffs_label label);

// The label of that name, or CLIFFS_INVALID.
enum cliffs_label cliffs_label_parse(const char *name);

struct rank_test {
    double u_base;                  // pairs with baseline > candidate, ties counting half
    double u_cand;                  // the same the other way round; the sum is the number of pairs
    double p_two_sided;             // continuity corrected, as the next two
    double p_cand_slower;           // one-sided, alternative: the candidate's times are larger
    double p_cand_faster;           // one-sided, alternative: the candidate's times are smaller
    double p_two_sided_uncorrected; // without continuity correction
};

// Mann-Whitney U. All p are 1 when every value is the same.
void rank_mann_whitney(const struct rank_pairs *pairs, struct rank_test *out);

// True when rank_p_exact has an answer: no ties, neither side above RANK_EXACT_MAX.
bool rank_has_exact(const struct rank_pairs *pairs);

// Exact two-sided p of U. -EINVAL where rank_has_exact is false, -ENOMEM.
int rank_p_exact(const struct rank_pairs *pairs, double *p);

// How many of the C(n + m, n) orders give U = 0 .. u_max, into counts[0 .. u_max]; exact up to 2^53, above
// that to a relative 1e-14. n, m in [1, RANK_EXACT_MAX], u_max <= n m. -EINVAL, -ENOMEM.
int rank_exact_counts(size_t n, size_t m, size_t u_max, double *counts);

#endif
