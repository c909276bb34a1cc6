// SPDX-License-Identifier: Apache-2.0
//
// Does each round look like the one before? The lag-1 autocorrelation of several series that were measured
// at the same times, pooled, with a permutation test: the same shuffles of the times for all series, so that
// what the series share does not count as evidence. Exact under exchangeability (Good, Permutation,
// Parametric and Bootstrap Tests of Hypotheses, 2005, 1.2), whatever the distribution.
#ifndef STATS_SERIAL_CORRELATION_H
#define STATS_SERIAL_CORRELATION_H

#include <stddef.h>

#define SERIAL_LEAST    10  // times that a series needs
#define SERIAL_SHUFFLES 999 // the smallest p is 1 / (SERIAL_SHUFFLES + 1)

struct serial_series {
    const double *values; // in the order of time; finite
    size_t count;
};

struct serial_correlation {
    double lag1; // mean over the series, plus 1 / length, about which it is too low; NAN: nothing to say
    double p;    // one-sided, of a correlation above 0; NAN with it
    size_t series_count, length;
};

// Series shorter than SERIAL_LEAST and constant ones are left out; of the others as many times are used as
// the shortest has. The same input gives the same p. -1: no memory.
int serial_correlation_test(const struct serial_series *series, size_t count, struct serial_correlation *ret);

#endif
