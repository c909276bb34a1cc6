// SPDX-License-Identifier: Apache-2.0
//
// NumPy's RandomState and the bootstrap interval drawn with it. A resample is a histogram over ranks, whose
// middle is found by one scan: no sort per resample. The generator is that of Matsumoto and Nishimura
// (1998).
#include "stats/bootstrap_mt19937.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#define WORDS 624
#define SHIFT 397

void mt19937_init(struct mt19937 *mt, uint32_t seed) {
    mt->key[0] = seed;
    for (uint32_t i = 1; i < WORDS; ++i)
        mt->key[i] = 1812433253u * (mt->key[i - 1] ^ (mt->key[i - 1] >> 30)) + i;
    mt->used = WORDS;
}

uint32_t mt19937_next(struct mt19937 *mt) {
    if (mt->used >= WORDS) { // the next 624 words
        for (unsigned i = 0; i < WORDS; ++i) {
            uint32_t y = (mt->key[i] & 0x80000000u) | (mt->key[(i + 1) % WORDS] & 0x7fffffffu);

            mt->key[i] = mt->key[(i + SHIFT) % WORDS] ^ (y >> 1) ^ ((y & 1u) != 0 ? 0x9908b0dfu : 0u);
        }
        mt->used = 0;
    }
    uint32_t y = mt->key[mt->used++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

uint32_t mt19937_below(struct mt19937 *mt, uint32_t bound) {
    uint32_t last = bound - 1;
    uint32_t mask = last;
    uint32_t value = 0;

    if (last == 0) return 0;
    mask |= mask >> 1;
    mask |= mask >> 2;
    mask |= mask >> 4;
    mask |= mask >> 8;
    mask |= mask >> 16;
    do value = mt19937_next(mt) & mask;
    while (value > last);
    return value;
}

static uint32_t mt19937_source_below(void *context, uint32_t bound) {
    return mt19937_below(context, bound);
}

struct ranked {
    double value;
    uint32_t index;
};

static int compare_ranked(const void *pa, const void *pb) {
    const struct ranked *a = pa;
    const struct ranked *b = pb;

    return (a->value > b->value) - (a->value < b->value);
}

// The median of the resample whose counts by rank are given; clears the counts.
static double median_of_counts(uint32_t *counts, const struct ranked *by_rank, size_t n) {
    size_t need_lo = (n + 1) / 2; // draws up to and including the lower middle one
    size_t need_hi = n / 2 + 1;
    size_t seen = 0;
    size_t i = 0;

    for (; seen + counts[i] < need_lo; ++i) seen += counts[i];
    double lo = by_rank[i].value;
    for (; seen + counts[i] < need_hi; ++i) seen += counts[i];
    double hi = by_rank[i].value;
    memset(counts, 0, n * sizeof *counts);
    return need_lo == need_hi ? lo : 0.5 * (lo + hi);
}

int bootstrap_resample_interval(const double *x, size_t n, uint32_t resample_count,
                                struct bootstrap_source source, struct interval *out) {
    struct ranked *by_rank = NULL;
    uint32_t *rank_of = NULL;
    uint32_t *counts = NULL;
    double *medians = NULL;
    int rc = -ENOMEM;

    if (n == 0 || n > UINT32_MAX || resample_count == 0 || !float_order_is_finite(x, n)) return -EINVAL;
    by_rank = calloc(n, sizeof *by_rank);
    rank_of = calloc(n, sizeof *rank_of);
    counts = calloc(n, sizeof *counts);
    medians = calloc(resample_count, sizeof *medians);
    if (by_rank == NULL || rank_of == NULL || counts == NULL || medians == NULL) goto out;
    for (uint32_t i = 0; i < n; ++i) by_rank[i] = (struct ranked){.value = x[i], .index = i};
    qsort(by_rank, n, sizeof *by_rank, compare_ranked);
    for (uint32_t i = 0; i < n; ++i) rank_of[by_rank[i].index] = i;
    for (uint32_t r = 0; r < resample_count; ++r) {
        for (size_t k = 0; k < n; ++k) ++counts[rank_of[source.below(source.context, (uint32_t)n)]];
        medians[r] = median_of_counts(counts, by_rank, n);
    }
    float_order_sort(medians, resample_count);
    out->lo = describe_percentile(medians, resample_count, BOOTSTRAP_LOWER_QUANTILE);
    out->hi = describe_percentile(medians, resample_count, BOOTSTRAP_UPPER_QUANTILE);
    rc = 0;
out:
    free(medians);
    free(counts);
    free(rank_of);
    free(by_rank);
    return rc;
}

int bootstrap_mt19937_interval(const double *x, size_t n, uint32_t seed, struct interval *out) {
    struct mt19937 mt;

    mt19937_init(&mt, seed);
    return bootstrap_resample_interval(
        x, n, BOOTSTRAP_RESAMPLE_COUNT,
        (struct bootstrap_source){.below = mt19937_source_below, .context = &mt}, out);
}
