// SPDX-License-Identifier: Apache-2.0
//
// Normal deviates by table (dev_deviate), from eight blocks of the cipher at a time. An element costs some
// forty instructions on vectors of eight, two loads and a few additions.
#include "op/random_normal.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "device/device_random.h"
#include "op/clones.h"

#define BLOCKS 8

static_assert(BLOCKS * DEV_RANDOM_WORDS == NORMAL_GROUP, "a group is eight blocks");

// Quantile of the standard normal distribution for 0 < p <= 1/2: the rational approximation of P. J. Acklam
// (2003), relative error below 1.2e-9.
static double normal_quantile(double p) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (p < 0.02425) {
        const double q = sqrt(-2 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    }
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

static void table_init(struct normal_table *table) {
    table->edge[0] = -NORMAL_MAX;
    for (int k = 1; k < NORMAL_BIN_COUNT / 2; ++k)
        table->edge[k] = normal_quantile((double)k / NORMAL_BIN_COUNT);
    table->edge[NORMAL_BIN_COUNT / 2] = 0;
    for (int k = NORMAL_BIN_COUNT / 2 + 1; k <= NORMAL_BIN_COUNT; ++k)
        table->edge[k] = -table->edge[NORMAL_BIN_COUNT - k];
}

static struct normal_table shared;
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;

static void shared_init(void) {
    table_init(&shared);
}

const void *normal_table_shared(size_t *ret_bytes) {
    pthread_once(&shared_once, shared_init);
    *ret_bytes = sizeof shared;
    return &shared;
}

void normal_source_init(struct normal_source *ret, uint64_t seed, uint64_t stream) {
    size_t bytes;
    ret->table = normal_table_shared(&bytes);
    ret->seed = seed;
    ret->stream = stream;
    ret->group = UINT64_MAX;
}

// A word of each of eight blocks. Lanes are blocks, so that rounds need no shuffles.
typedef uint32_t eight __attribute__((vector_size(4 * BLOCKS)));

#define ROTATE(x, bits) ((x) << (bits) | (x) >> (32 - (bits)))
#define QUARTER(a, b, c, d)                                                                                  \
    do {                                                                                                     \
        a += b, d ^= a, d = ROTATE(d, 16);                                                                   \
        c += d, b ^= c, b = ROTATE(b, 12);                                                                   \
        a += b, d ^= a, d = ROTATE(d, 8);                                                                    \
        c += d, b ^= c, b = ROTATE(b, 7);                                                                    \
    } while (0)

// As dev_chacha_block, for blocks BLOCKS * group and following.
HOT_CLONES static void make_words(uint64_t seed, uint64_t stream, uint64_t group, uint32_t *ret) {
    uint32_t first[DEV_RANDOM_WORDS];
    eight state[DEV_RANDOM_WORDS], x[DEV_RANDOM_WORDS];
    dev_random_state(seed, stream, BLOCKS * group, first);
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) state[i] = (eight){0} + first[i];
    for (int k = 0; k < BLOCKS; ++k)
        state[12][k] += (uint32_t)k; // no carry: the first number is a multiple of 8
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) x[i] = state[i];
    for (int round = 0; round < DEV_RANDOM_ROUNDS; round += 2) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) x[i] += state[i];
    for (int k = 0; k < BLOCKS; ++k)
        for (int i = 0; i < DEV_RANDOM_WORDS; ++i) *ret++ = x[i][k];
}

HOT_CLONES static void make_deviates(const double *table, const uint32_t *words, double *ret) {
    for (int i = 0; i < NORMAL_GROUP; ++i) ret[i] = dev_deviate(table, words[i]);
}

static void make_group(struct normal_source *source, uint64_t group) {
    uint32_t words[NORMAL_GROUP];
    make_words(source->seed, source->stream, group, words);
    make_deviates(source->table->edge, words, source->values);
    source->group = group;
}

void normal_row(struct normal_source *source, uint64_t first_index, size_t count, double *ret_values) {
    while (count) {
        const uint64_t group = first_index / NORMAL_GROUP;
        const size_t at = first_index % NORMAL_GROUP, left = NORMAL_GROUP - at,
                     some = count < left ? count : left;
        if (group != source->group) make_group(source, group);
        memcpy(ret_values, source->values + at, some * sizeof *ret_values);
        ret_values += some;
        first_index += some;
        count -= some;
    }
}
