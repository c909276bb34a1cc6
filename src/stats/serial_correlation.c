// SPDX-License-Identifier: Apache-2.0
//
// See serial_correlation.h.
#include "stats/serial_correlation.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define TIE 1e-12 // sums in another order

struct work {
    double *scaled;  // [series][length]: centred, with a sum of squares of 1
    uint32_t *order; // of the times
    size_t count, length;
};

static size_t common_length(const struct serial_series *series, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; ++i)
        if (series[i].count >= SERIAL_LEAST && (!length || series[i].count < length))
            length = series[i].count;
    return length;
}

// False: constant.
static bool scale(const double *values, size_t length, double *ret) {
    double sum = 0, squares = 0, largest = 0;
    for (size_t t = 0; t < length; ++t) sum += values[t];
    for (size_t t = 0; t < length; ++t) {
        ret[t] = values[t] - sum / (double)length;
        squares += ret[t] * ret[t];
        largest = fmax(largest, fabs(values[t]));
    }
    if (!(squares > TIE * TIE * largest * largest * (double)length)) return false;
    for (size_t t = 0; t < length; ++t) ret[t] /= sqrt(squares);
    return true;
}

static double lag1_of(const struct work *work) {
    double sum = 0;
    for (size_t i = 0; i < work->count; ++i) {
        const double *row = work->scaled + i * work->length;
        for (size_t t = 0; t + 1 < work->length; ++t) sum += row[work->order[t]] * row[work->order[t + 1]];
    }
    return sum / (double)work->count;
}

static void test(struct work *work, struct serial_correlation *ret) {
    size_t as_high = 1; // the times as they were
    for (size_t t = 0; t < work->length; ++t) work->order[t] = (uint32_t)t;
    const double seen = lag1_of(work);
    for (uint64_t k = 0; k < SERIAL_SHUFFLES; ++k) {
        rng_shuffle(work->order, (uint32_t)work->length, k, rng_stream("serial correlation"));
        as_high += lag1_of(work) >= seen - TIE;
    }
    *ret = (struct serial_correlation){.lag1 = seen + 1 / (double)work->length,
                                       .p = (double)as_high / (SERIAL_SHUFFLES + 1),
                                       .series_count = work->count,
                                       .length = work->length};
}

int serial_correlation_test(const struct serial_series *series, size_t count,
                            struct serial_correlation *ret) {
    struct work work = {.length = common_length(series, count)};
    *ret = (struct serial_correlation){.lag1 = NAN, .p = NAN};
    if (!work.length) return 0;
    work.scaled = mem_try_array(count * work.length, sizeof *work.scaled);
    work.order = mem_try_array(work.length, sizeof *work.order);
    const int status = work.scaled && work.order ? 0 : -1;
    for (size_t i = 0; i < count && status == 0; ++i)
        if (series[i].count >= SERIAL_LEAST)
            work.count += scale(series[i].values, work.length, work.scaled + work.count * work.length);
    if (status == 0 && work.count) test(&work, ret);
    free(work.scaled);
    free(work.order);
    return status;
}
