// SPDX-License-Identifier: Apache-2.0
//
// Density estimates: against the definition, area 1, and what has no density.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/density.h"

static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 20};
enum { COUNT = sizeof values / sizeof *values };

// sd 5.6075, IQR 4: 0.9 (4 / 1.34) 9^(-1/5).
static void test_bandwidth(void **state) {
    (void)state;
    const double equal[] = {3, 3, 3};
    assert_true(fabs(density_bandwidth(values, COUNT) - 0.9 * 4 / 1.34 * pow(9, -0.2)) < 1e-12);
    assert_true(density_bandwidth(equal, 3) == 0);
    assert_true(density_bandwidth(values, 1) == 0);
}

static void test_against_definition(void **state) {
    (void)state;
    enum { PLACES = 101 };
    const double width = 0.7, range[2] = {0, 10};
    double got[PLACES];
    assert_int_equal(density_estimate(values, COUNT, width, range, got, PLACES), 0);
    for (int i = 0; i < PLACES; ++i) {
        double wanted = 0;
        for (int k = 0; k < COUNT; ++k) wanted += exp(-0.5 * pow((i / 10.0 - values[k]) / width, 2));
        wanted /= COUNT * width * sqrt(2 * acos(-1));
        assert_true(fabs(got[i] - wanted) < 3e-4); // kernels end at four bandwidths
    }
}

// Of many values their quantiles stand for all.
static void test_area_of_many(void **state) {
    (void)state;
    enum { MANY = 5000, PLACES = 200 };
    static double many[MANY];
    double got[PLACES], area = 0;
    for (int i = 0; i < MANY; ++i) many[i] = 100 + 0.002 * i;
    const double width = density_bandwidth(many, MANY), range[2] = {90, 120};
    assert_int_equal(density_estimate(many, MANY, width, range, got, PLACES), 0);
    for (int i = 0; i < PLACES; ++i) area += got[i] * 30 / (PLACES - 1);
    assert_true(fabs(area - 1) < 1e-3);
}

static void test_refused(void **state) {
    (void)state;
    double got[4];
    const double range[2] = {0, 10}, empty[2] = {5, 5};
    assert_int_equal(density_estimate(values, 0, 1, range, got, 4), -EINVAL);
    assert_int_equal(density_estimate(values, COUNT, 0, range, got, 4), -EINVAL);
    assert_int_equal(density_estimate(values, COUNT, 1, empty, got, 4), -EINVAL);
    assert_int_equal(density_estimate(values, COUNT, 1, range, got, 1), -EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_against_definition),
        cmocka_unit_test(test_area_of_many),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
