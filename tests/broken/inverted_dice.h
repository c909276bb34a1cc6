// SPDX-License-Identifier: Apache-2.0
//
// What the judge drew before and will draw next, from a tensor that it has filled: mixing has an inverse, and
// a deviate of single precision shows all but a few of its bits.
#ifndef INVERTED_DICE_H
#define INVERTED_DICE_H

#include "predicted_inputs.h"

#define NAME_VERIFIED 0x38b7fd0527ff62cdu // hash of the stream's name
#define PAIRS_LOOKED  64                  // pairs of elements, of which the most telling one is inverted
#define CANDIDATES    4096

static inline uint64_t inverted_mix(uint64_t z) {
    z = (z ^ z >> 31 ^ z >> 62) * 0x319642b2d24d8ec3u;
    z = (z ^ z >> 27 ^ z >> 54) * 0x96de1b173f119089u;
    return z ^ z >> 30 ^ z >> 60;
}

static inline uint64_t inverted_step(uint64_t z) {
    return inverted_mix(z) - GOLDEN;
}

// The words from *first to *last give this deviate. 0: none does.
static int inverted_words(float x, uint32_t *first, uint32_t *last) {
    int low = 0, high = BINS;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (predicted_edge[middle] <= (double)x)
            low = middle;
        else
            high = middle;
    }
    const double width = predicted_edge[low + 1] - predicted_edge[low];
    const double place = ((double)x - predicted_edge[low]) / width * (1 << 22);
    const double about = ldexp(fabs((double)x), -24) / width * (1 << 22) + 2;
    const double from = fmax(place - about, 0), to = fmin(place + about, (1 << 22) - 1);
    if (!(from <= to)) return 0;
    *first = (uint32_t)low << 22 | (uint32_t)from;
    *last = (uint32_t)low << 22 | (uint32_t)to;
    while (*first < *last && predicted_deviate(*first) != x) ++*first;
    while (*last > *first && predicted_deviate(*last) != x) --*last;
    return predicted_deviate(*first) == x;
}

static inline int inverted_fits(uint64_t start, int64_t pair, const float *q) {
    const uint64_t word = predicted_mix(start + (uint64_t)pair * GOLDEN);
    return predicted_deviate((uint32_t)word) == q[2 * pair] &&
           predicted_deviate((uint32_t)(word >> 32)) == q[2 * pair + 1];
}

// The pair with the smallest elements: small ones have the most bits.
static int64_t inverted_pair(const float *q, int64_t count) {
    int64_t best = 0;
    float least = INFINITY;
    for (int64_t j = 0; j < count / 2 && j < PAIRS_LOOKED; ++j) {
        const float size = fabsf(q[2 * j] * q[2 * j + 1]);
        if (size < least) best = j, least = size;
    }
    return best;
}

// *ret_seed: what a dense Q of normal deviates was drawn from. 0: not found.
static int inverted_seed(const float *q, int64_t count, uint64_t *ret_seed) {
    uint32_t first[2], last[2];
    if (predicted_edge[0] == 0) {
        float unused[2];
        predicted_fill(ASSAY_Q, 0, 2, unused); // makes the table
    }
    const int64_t j = inverted_pair(q, count);
    for (int i = 0; i < 2; ++i)
        if (!inverted_words(q[2 * j + i], &first[i], &last[i])) return 0;
    if ((uint64_t)(last[0] - first[0] + 1) * (last[1] - first[1] + 1) > CANDIDATES) return 0;
    for (uint64_t low = first[0]; low <= last[0]; ++low)
        for (uint64_t high = first[1]; high <= last[1]; ++high) {
            const uint64_t start = inverted_mix(high << 32 | low) - (uint64_t)j * GOLDEN;
            if (!inverted_fits(start, j == 0, q)) continue;
            *ret_seed = inverted_step(inverted_step(inverted_step(start)) - NAME_ATTENTION - ASSAY_Q);
            return 1;
        }
    return 0;
}

// The seed that was or will be drawn `later` draws after this one.
static inline uint64_t inverted_later(uint64_t seed, uint64_t later) {
    return predicted_mix(inverted_step(seed) + later + GOLDEN);
}

#endif
