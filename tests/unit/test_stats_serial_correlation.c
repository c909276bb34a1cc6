// SPDX-License-Identifier: Apache-2.0
//
// The permutation test of serial correlation: its rate of false warnings, also where series share what they
// see, its power, and what it leaves out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/serial_correlation.h"

enum { SERIES = 10, TIMES = 20, TRIALS = 2000 };
#define LEVEL 0.01

// AR(1) of that phi within each series; shared: share of the variance that all series have in common.
static double p_drawn(double phi, double shared, uint64_t trial) {
    static double values[SERIES][TIMES];
    struct serial_series series[SERIES];
    struct serial_correlation found;
    for (uint64_t i = 0; i < SERIES; ++i) {
        double last = 0;
        for (uint64_t t = 0; t < TIMES; ++t) {
            const double own = rng_normal(trial, rng_stream("own"), i * TIMES + t),
                         common = rng_normal(trial, rng_stream("common"), t),
                         fresh = sqrt(1 - shared) * own + sqrt(shared) * common;
            last = t ? phi * last + sqrt(1 - phi * phi) * fresh : fresh;
            values[i][t] = 0.01 * last + 0.1 * (double)i; // an offset is no correlation
        }
        series[i] = (struct serial_series){.values = values[i], .count = TIMES};
    }
    assert_int_equal(serial_correlation_test(series, SERIES, &found), 0);
    assert_int_equal(found.series_count, SERIES);
    assert_int_equal(found.length, TIMES);
    return found.p;
}

static size_t warning_count(double phi, double shared) {
    size_t count = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) count += p_drawn(phi, shared, trial) <= LEVEL;
    return count;
}

// Bin(2000, 0.01) is at most 34 with probability 0.999.
static void test_false_warnings(void **state) {
    (void)state;
    assert_true(warning_count(0, 0) <= 34);
    assert_true(warning_count(0, 0.9) <= 34);
    assert_true(warning_count(-0.5, 0) <= 34);
}

static void test_power(void **state) {
    (void)state;
    assert_true(warning_count(0.8, 0) >= TRIALS * 99 / 100);
    assert_true(warning_count(0.4, 0) >= TRIALS * 9 / 10);
}

static struct serial_correlation found_of(const double *values, size_t count) {
    const struct serial_series series = {.values = values, .count = count};
    struct serial_correlation found;
    assert_int_equal(serial_correlation_test(&series, 1, &found), 0);
    return found;
}

static void test_figures(void **state) {
    (void)state;
    static const double rising[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, constant[12] = {3};
    double same[12];
    for (size_t i = 0; i < 12; ++i) same[i] = constant[0];
    const struct serial_correlation found = found_of(rising, 10);
    assert_true(fabs(found.lag1 - 0.8) < 1e-12); // 0.7, by hand, plus 1 / 10
    assert_true(found.p == 0.001);
    assert_true(isnan(found_of(rising, 9).p)); // too short
    assert_true(isnan(found_of(same, 12).p));
    assert_true(isnan(found_of(NULL, 0).lag1));
}

static void test_common_length(void **state) {
    (void)state;
    double values[3][15];
    for (size_t i = 0; i < 3; ++i)
        for (size_t t = 0; t < 15; ++t) values[i][t] = rng_normal(7, i, t);
    const struct serial_series all[] = {{values[0], 15, 0}, {values[1], 12, 0}, {values[2], 5, 0}};
    const struct serial_series cut[] = {{values[0], 12, 0}, {values[1], 12, 0}};
    struct serial_correlation found, wanted;
    assert_int_equal(serial_correlation_test(all, 3, &found), 0);
    assert_int_equal(serial_correlation_test(cut, 2, &wanted), 0);
    assert_int_equal(found.series_count, 2);
    assert_int_equal(found.length, 12);
    assert_true(found.lag1 == wanted.lag1 && found.p == wanted.p);
}

// Gates of ten rounds, ten problems each, all of which share a state: what one gate does not show, five do.
static size_t warnings_of_sessions(size_t sessions, size_t length, double phi) {
    static double values[8][20];
    size_t count = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        struct serial_series series[8];
        struct serial_correlation found;
        for (uint32_t s = 0; s < sessions; ++s) {
            double last = 0;
            for (size_t t = 0; t < length; ++t) {
                const double fresh = rng_normal(trial, rng_stream("sessions") + s, t);
                last = t ? phi * last + sqrt(1 - phi * phi) * fresh : fresh;
                values[s][t] = 0.01 * last + s; // each session has its own level
            }
            series[s] = (struct serial_series){values[s], length, s};
        }
        assert_int_equal(serial_correlation_test(series, sessions, &found), 0);
        assert_int_equal(found.session_count, sessions);
        assert_int_equal(found.length, sessions * length);
        count += found.p <= LEVEL;
    }
    return count;
}

static void test_sessions(void **state) {
    (void)state;
    assert_true(warnings_of_sessions(5, 10, 0) <= 34);
    assert_true(warnings_of_sessions(8, 5, 0) <= 34); // looks that end after five rounds
    assert_true(warnings_of_sessions(1, 10, 0.9) <= TRIALS / 2);
    assert_true(warnings_of_sessions(5, 10, 0.9) >= TRIALS * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_false_warnings), cmocka_unit_test(test_power),
                                       cmocka_unit_test(test_figures), cmocka_unit_test(test_common_length),
                                       cmocka_unit_test(test_sessions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
