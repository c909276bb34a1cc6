// SPDX-License-Identifier: Apache-2.0
//
// The upper bound of a rate is exact: at the bound so few draws have a probability of 5 %, and not before.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/binomial.h"

// scipy.stats.beta.ppf(0.95, k + 1, n - k)
static void known_bounds(void **state) {
    (void)state;
    assert_true(fabs(binomial_upper_bound(300, 0, 0.95) - (1 - pow(0.05, 1.0 / 300))) < 1e-14);
    assert_true(fabs(binomial_upper_bound(300, 0, 0.95) - 0.009936081) < 1e-8);
    assert_true(fabs(binomial_upper_bound(10, 1, 0.95) - 0.3941633) < 1e-6);
    assert_true(fabs(binomial_upper_bound(20, 3, 0.95) - 0.3436638) < 1e-6);
}

static void so_few_are_just_that_unlikely(void **state) {
    (void)state;
    static const size_t draws[][2] = {{1, 0}, {7, 2}, {100, 0}, {299, 4}, {20000, 12}};
    for (size_t i = 0; i < sizeof draws / sizeof *draws; ++i) {
        size_t n = draws[i][0], k = draws[i][1];
        double bound = binomial_upper_bound(n, k, 0.95);
        assert_true(fabs(binomial_tail(n, bound, k + 1).below - 0.05) < 1e-9);
        assert_true(binomial_upper_bound(n, k + 1, 0.95) > bound);
        assert_true(binomial_upper_bound(n, k, 0.99) > bound);
    }
}

static void nothing_is_known_of_no_draws(void **state) {
    (void)state;
    assert_true(binomial_upper_bound(0, 0, 0.95) == 1);
    assert_true(binomial_upper_bound(5, 5, 0.95) == 1);
    assert_true(isnan(binomial_upper_bound(5, 1, 1)));
    assert_true(isnan(binomial_upper_bound(5, 1, 0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_bounds),
        cmocka_unit_test(so_few_are_just_that_unlikely),
        cmocka_unit_test(nothing_is_known_of_no_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
