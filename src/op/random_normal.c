// SPDX-License-Identifier: Apache-2.0
//
// Normal deviates by table: ten random bits choose one of 1024 bins of equal probability, 22 more the
// position in it. Each 64-bit word of the SplitMix64 sequence (Steele, Lea, Flood 2014) gives two
// deviates, so an element costs half a mixing step, two loads and a few additions. Seed and stream choose
// the start of the sequence.
#include "op/random_normal.h"

#include <math.h>
#include <pthread.h>

#include "base/rng.h"

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

void normal_table_init(struct normal_table *table) {
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
    normal_table_init(&shared);
}

const void *normal_table_shared(size_t *ret_bytes) {
    pthread_once(&shared_once, shared_init);
    *ret_bytes = sizeof shared;
    return &shared;
}

static inline uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline double deviate(const struct normal_table *table, uint32_t bits) {
    const uint32_t bin = bits >> 22;
    const double low = table->edge[bin], width = table->edge[bin + 1] - low;
    return low + width * ((double)(int32_t)(bits & 0x3fffff) + 0.5) * (1.0 / (1 << 22));
}

void normal_row(const struct normal_table *table, uint64_t seed, uint64_t stream, uint64_t first_index,
                size_t count, double *ret_values) {
    const uint64_t start = rng_u64(seed, stream, 0);
    size_t i = 0;
    if (count && first_index & 1) // the second half of a word
        ret_values[i++] =
            deviate(table, (uint32_t)(mix(start + (first_index >> 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 32));
    uint64_t state = start + ((first_index + i) >> 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (; i + 1 < count; i += 2, state += UINT64_C(0x9e3779b97f4a7c15)) {
        const uint64_t word = mix(state);
        ret_values[i] = deviate(table, (uint32_t)word);
        ret_values[i + 1] = deviate(table, (uint32_t)(word >> 32));
    }
    if (i < count) ret_values[i] = deviate(table, (uint32_t)mix(state));
}
