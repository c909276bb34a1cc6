// SPDX-License-Identifier: Apache-2.0
//
// Does each round look like the one before? The lag-1 autocorrelation of series, pooled, with a permutation
// test. Series of one session were measured at the same times: the same shuffles of the times for all of
// them, so that what the series share does not count as evidence. Sessions lie apart, each with shuffles of
// its own. Exact under exchangeability within each session (Good, Permutation, Parametric and Bootstrap Tests
// of Hypotheses, 2005, 1.2), whatever the distribution.
#ifndef STATS_SERIAL_CORRELATION_H
#define STATS_SERIAL_CORRELATION_H

#include <stddef.h>
#include <stdint.h>

#define SERIAL_SESSION_LEAST 5   // times that a series needs
#define SERIAL_LEAST         10  // times that all sessions need together
#define SERIAL_SHUFFLES      999 // the smallest p is 1 / (SERIAL_SHUFFLES + 1)

struct serial_series {
    const double *values; // in the order of time; finite
    size_t count;
    uint32_t session; // series of a session stand together
};

struct serial_correlation {
    double lag1; // mean over the series, plus the bias of 1 / length; NAN: nothing to say
    double p;    // one-sided, of a correlation above 0; NAN with it
    size_t series_count, length, session_count; // length: times of all sessions
};

// Series shorter than SERIAL_SESSION_LEAST and constant ones are left out. Of a session as many times are
// used as gives most: more times of fewer series, or fewer of more. The same input gives the same p. -1: no
// memory.
int serial_correlation_test(const struct serial_series *series, size_t count, struct serial_correlation *ret);

#endif
