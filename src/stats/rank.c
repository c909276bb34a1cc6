// SPDX-License-Identifier: Apache-2.0
// Do the candidate's times tend to lie above the baseline's?
// Counts are 64-bit integers; only probabilities are floating point. The exact distribution adds positive
// counts only, which keeps its tails (the quotient of polynomials subtracts and loses them).
#include "stats/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const label_names[CLIFFS_COUNT] = {
    [CLIFFS_INVALID] = "invalid", [CLIFFS_NEGLIGIBLE] = "negligible", [CLIFFS_SMALL] = "small",
    [CLIFFS_MEDIUM] = "medium",   [CLIFFS_LARGE] = "large",
};

enum cliffs_label cliffs_label_of(double delta) {
    double size = fabs(delta);

    if (!(size <= 1.0)) return CLIFFS_INVALID;
    if (size < 0.147) return CLIFFS_NEGLIGIBLE;
    if (size < 0.33) return CLIFFS_SMALL;
    if (size < 0.474) return CLIFFS_MEDIUM;
    return CLIFFS_LARGE;
}

const char *cliffs_label_name(enum cliffs_label label) {
    if ((unsigned)label >= CLIFFS_COUNT) label = CLIFFS_INVALID;
    return label_names[label];
}

enum cliffs_label cliffs_label_parse(const char *name) {
    for (unsigned label = CLIFFS_NEGLIGIBLE; label < CLIFFS_COUNT; ++label)
        if (strcmp(name, label_names[label]) == 0) return (enum cliffs_label)label;
    return CLIFFS_INVALID;
}

static double hold_to_one(double p) {
    return fmin(1.0, p);
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
    out->p_two_sided = hold_to_one(2.0 * normal_sf((larger - mean - 0.5) / sd));
    out->p_two_sided_uncorrected = hold_to_one(2.0 * normal_sf((larger - mean) / sd));
}

bool rank_has_exact(const struct rank_pairs *pairs) {
    return pairs->tie_term == 0.0 && pairs->base_count >= 1 && pairs->base_count <= RANK_EXACT_MAX &&
           pairs->cand_count >= 1 && pairs->cand_count <= RANK_EXACT_MAX;
}

// With f(i, j, u) orders of i and j values giving u: the largest value is one of the i and beats all j, or
// one of the j and beats none, so f(i, j, u) = f(i-1, j, u-j) + f(i, j-1, u). One row per j is kept and
// updated in place for each i.
int rank_exact_counts(size_t n, size_t m, size_t u_max, double *counts) {
    size_t width = u_max + 1;

    if (n == 0 || m == 0 || n > RANK_EXACT_MAX || m > RANK_EXACT_MAX || u_max > n * m) return -EINVAL;
    double *rows = calloc((m + 1) * width, sizeof *rows);
    if (rows == NULL) return -ENOMEM;
    for (size_t j = 0; j <= m; ++j) rows[j * width] = 1.0;
    for (size_t i = 1; i <= n; ++i) {
        for (size_t j = 1; j <= m; ++j) {
            double *row = rows + j * width;
            const double *left = row - width;
            size_t last = i * j < u_max ? i * j : u_max;

            for (size_t u = last + 1; u-- > j;) row[u] = row[u - j] + left[u];
            for (size_t u = 0; u < j && u <= last; ++u) row[u] = left[u];
        }
    }
    memcpy(counts, rows + m * width, width * sizeof *counts);
    free(rows);
    return 0;
}

int rank_p_exact(const struct rank_pairs *pairs, double *p) {
    double *counts = NULL;

    if (!rank_has_exact(pairs)) return -EINVAL;
    size_t n = pairs->base_count;
    size_t m = pairs->cand_count;
    // The distribution is symmetric: the tail that matters is the lower one, up to the smaller U.
    size_t u = (size_t)(pairs->cand_above < pairs->cand_below ? pairs->cand_above : pairs->cand_below);
    counts = calloc(u + 1, sizeof *counts);
    if (counts == NULL) return -ENOMEM;
    int rc = rank_exact_counts(n, m, u, counts);
    if (rc == 0) {
        double orders = 1.0; // C(n + m, n)
        double tail = 0.0;

        for (size_t k = 1; k <= n; ++k) orders = orders * (double)(m + k) / (double)k;
        for (size_t k = 0; k <= u; ++k) tail += counts[k];
        *p = hold_to_one(2.0 * tail / orders);
    }
    free(counts);
    return rc;
}
