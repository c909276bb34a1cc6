// SPDX-License-Identifier: Apache-2.0
//
// describe.h gives NumPy's figures, and NaN where a figure does not exist. Also binomial.h, float_order.h
// and interval.h.
#include <errno.h>
#include <float.h>

#include "stats/binomial.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/student_t.h"
#include "test_stats_golden.h"

static void check_side(const char *name, const json_t *values, const json_t *want) {
    static const char *const known[] = {"n",
                                        "mean",
                                        "median",
                                        "min",
                                        "max",
                                        "p50",
                                        "p95",
                                        "p99",
                                        "mad",
                                        "sd",
                                        "cv_pct",
                                        "acf1",
                                        "orderstat_ci",
                                        "boot_ci_randomstate42",
                                        "boot_ci_default_rng42",
                                        "boot_ci_exact",
                                        "boot_exact_mean",
                                        "boot_exact_sd"}; // boot_*: test_stats_bootstrap.c
    struct describe d;
    struct order_interval order;
    size_t n = 0;
    double *x = golden_numbers(values, &n);
    double *sorted = calloc(n, sizeof *sorted);

    assert_non_null(sorted);
    assert_int_equal(describe_samples(x, n, sorted, &d), 0);
    expect_known_keys(want, known, sizeof known / sizeof known[0]);
    assert_int_equal(d.n, golden_count(want, "n"));
    expect_rel(name, "mean", d.mean, golden_number(want, "mean"), GOLDEN_REL);
    expect_exact(name, "median", d.median, golden_number(want, "median"));
    expect_exact(name, "min", d.min, golden_number(want, "min"));
    expect_exact(name, "max", d.max, golden_number(want, "max"));
    expect_rel(name, "p50", describe_percentile(sorted, n, 0.5), golden_number(want, "p50"), GOLDEN_REL);
    expect_rel(name, "p95", d.p95, golden_number(want, "p95"), GOLDEN_REL);
    expect_rel(name, "p99", d.p99, golden_number(want, "p99"), GOLDEN_REL);
    expect_rel(name, "mad", d.mad, golden_number(want, "mad"), GOLDEN_REL);
    expect_or_nan(name, want, "sd", d.sd);
    expect_or_nan(name, want, "cv_pct", d.cv_pct);
    expect_or_nan(name, want, "acf1", d.acf1);

    const json_t *ci = golden_get(want, "orderstat_ci");
    bool has_interval = describe_order_interval(sorted, n, 0.95, &order);
    assert_int_equal(has_interval, !json_is_null(ci));
    if (has_interval) {
        assert_int_equal(order.rank_lo, golden_count(ci, "rank_lo"));
        assert_int_equal(order.rank_hi, golden_count(ci, "rank_hi"));
        expect_rel(name, "coverage", order.coverage, golden_number(ci, "coverage"), GOLDEN_REL);
        expect_exact(name, "orderstat lo", order.at.lo, golden_number(ci, "lo"));
        expect_exact(name, "orderstat hi", order.at.hi, golden_number(ci, "hi"));
    }
    free(sorted);
    free(x);
}

static void test_golden(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");

    assert_int_equal(json_array_size(pairs), 41);
    for (size_t i = 0; i < json_array_size(pairs); ++i) {
        const json_t *pair = json_array_get(pairs, i);

        check_side(golden_name(pair), golden_get(pair, "a"), golden_get(pair, "A"));
        check_side(golden_name(pair), golden_get(pair, "b"), golden_get(pair, "B"));
        double change = describe_change_pct(golden_number(golden_get(pair, "A"), "median"),
                                            golden_number(golden_get(pair, "B"), "median"));
        expect_rel(golden_name(pair), "pct_change", change, golden_number(pair, "pct_change"), GOLDEN_REL);
    }
    json_decref(root);
}

static void test_change_sign(void **state) {
    (void)state;
    assert_true(describe_change_pct(1.0, 1.1) > 0.0); // longer is slower is positive
    assert_true(describe_change_pct(1.0, 0.9) < 0.0);
    assert_true(describe_speedup_ratio(1.0, 0.5) == 2.0);
    assert_true(fabs(describe_change_pct(2.0, 2.1) - 5.0) < 1e-12);
}

static void test_rejects(void **state) {
    (void)state;
    struct describe d;
    double sorted[3];
    const double with_nan[] = {1.0, NAN, 2.0};
    const double with_inf[] = {1.0, 2.0, INFINITY};
    const double fine[] = {3.0, 1.0, 2.0};
    struct order_interval order;

    assert_int_equal(describe_samples(fine, 0, sorted, &d), -EINVAL);
    assert_int_equal(describe_samples(NULL, 3, sorted, &d), -EINVAL);
    assert_int_equal(describe_samples(with_nan, 3, sorted, &d), -EINVAL);
    assert_int_equal(describe_samples(with_inf, 3, sorted, &d), -EINVAL);
    assert_true(isnan(describe_mean(fine, 0)));
    assert_true(isnan(describe_sd(fine, 1, 3.0)));
    assert_true(isnan(describe_median(fine, 0)));
    assert_true(isnan(describe_unsorted_median((double[]){0.0}, 0)));
    assert_true(isnan(describe_percentile(fine, 0, 0.5)));
    assert_true(isnan(describe_percentile(fine, 3, 1.5)));
    assert_true(isnan(describe_percentile(fine, 3, NAN)));
    assert_false(describe_order_interval(fine, 3, 0.95, &order)); // not ascending
    assert_false(describe_order_interval(fine, 0, 0.95, &order));
    assert_false(describe_order_interval(fine, 1, NAN, &order));
}

static void test_small_sets(void **state) {
    (void)state;
    struct describe d;
    double sorted[4];

    assert_true(describe_unsorted_median((double[]){3.0, 1.0, 2.0}, 3) == 2.0);
    assert_true(describe_unsorted_median((double[]){4.0, 1.0, 2.0, 8.0}, 4) == 3.0);
    assert_true(describe_unsorted_percentile((double[]){4.0, 1.0, 2.0, 8.0, 16.0}, 5, 0.75) == 8.0);
    assert_true(describe_unsorted_percentile((double[]){8, 7, 6, 5, 4, 3, 2, 1}, 8, 6.0 / 7) == 7.0);
    assert_true(isnan(describe_unsorted_percentile((double[]){0.0}, 0, 0.75)));
    assert_int_equal(describe_samples((const double[]){7.0}, 1, sorted, &d), 0);
    assert_true(d.median == 7.0 && d.p99 == 7.0 && d.mad == 0.0 && d.effective_count == 1.0);
    assert_true(isnan(d.sd) && isnan(d.cv_pct) && isnan(d.acf1) && isnan(d.drift_rho) && isnan(d.drift_p));
    assert_int_equal(d.mode_count, 1);
    assert_int_equal(describe_samples((const double[]){5.0, 5.0, 5.0, 5.0}, 4, sorted, &d), 0);
    assert_true(d.sd == 0.0 && isnan(d.acf1) && d.effective_count == 4.0 && isnan(d.mode_gap_ratio));
    assert_int_equal(describe_samples((const double[]){-1.0, 1.0}, 2, sorted, &d), 0);
    assert_true(isnan(d.cv_pct)); // no share of a mean of 0
}

static void test_drift(void **state) {
    (void)state;
    struct describe d;
    double sorted[10];
    const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const double falling[] = {5, 4, 3, 2, 1};
    const double tied[] = {1, 2, 2, 3, 1, 4, 4, 2};

    assert_int_equal(describe_samples(rising, 10, sorted, &d), 0);
    assert_true(d.drift_rho == 1.0 && d.drift_p == 0.0);
    assert_true(d.effective_count < 10.0 && d.effective_count >= 1.0);
    assert_int_equal(describe_samples(falling, 5, sorted, &d), 0);
    assert_true(d.drift_rho == -1.0);
    assert_int_equal(describe_samples(tied, 8, sorted, &d), 0);
    // scipy.stats.spearmanr(range(8), tied)
    expect_rel("tied", "drift_rho", d.drift_rho, 0.5065203663850859, GOLDEN_REL);
    expect_rel("tied", "drift_p", d.drift_p, 0.2002141729775588, GOLDEN_REL_P);
}

static void test_modes(void **state) {
    (void)state;
    struct describe d;
    double x[100];
    double sorted[100];

    for (size_t i = 0; i < 100; ++i)
        x[i] = (double)(i % 10) + (i < 30 ? 0.0 : 100.0) + 0.01 * (double)(i / 10);
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 2);
    assert_true(d.mode_split > 9.1 && d.mode_split < 100.0);
    assert_true(fabs(d.mode_upper_ratio - 0.7) < 1e-12);
    for (size_t i = 0; i < 100; ++i)
        x[i] = (double)i + (i < 10 ? 0.0 : 100.0); // exactly 10 % below the gap: outliers, no mode
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 1);
    for (size_t i = 0; i < 100;
         i++) // the normal distribution's own quantiles: gaps differ tenfold, yet one mode
        x[i] = normal_quantile(((double)i + 0.5) / 100.0) + (i < 50 ? 0.0 : 0.2);
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_true(d.mode_gap_ratio > 5.0);
    assert_int_equal(d.mode_count, 1);
    for (size_t i = 0; i < 100; ++i) x[i] = 20.0 + 0.5 * (double)(i % 3); // a clock with coarse ticks
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 1);
    assert_true(isnan(d.mode_split));
}

// Two values have no gaps to compare with.
static void test_modes_of_equal_values(void **state) {
    (void)state;
    struct describe d;
    double x[100];
    double sorted[100];

    for (size_t i = 0; i < 100; ++i) x[i] = i % 2 ? 1.1e6 : 1e6;
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 2);
    assert_true(d.mode_split == 1.05e6 && d.mode_upper_ratio == 0.5 && isinf(d.mode_gap_ratio));
    x[7] = 5e9; // an outlier changes nothing
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 2);
    for (size_t i = 0; i < 100; ++i) x[i] = i % 2 ? 1.004e6 : 1e6; // ticks of a clock
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 1);
    for (size_t i = 0; i < 100; ++i) x[i] = i % 10 ? 1.1e6 : 1e6; // 10 % are no mode
    assert_int_equal(describe_samples(x, 100, sorted, &d), 0);
    assert_int_equal(d.mode_count, 1);
    assert_int_equal(describe_samples((const double[]){1, 1, 1, 1, 2, 2, 2, 2, 2}, 9, sorted, &d), 0);
    assert_int_equal(d.mode_count, 1); // too few
}

static void test_percentile_bound(void **state) {
    (void)state;
    double x[1000];
    double bound = -1.0;

    for (size_t i = 0; i < 1000; ++i) x[i] = (double)(i + 1);
    assert_int_equal(describe_percentile_bound_count(0.95, 0.95), 59);
    assert_int_equal(describe_percentile_bound_count(0.99, 0.95), 299);
    assert_int_equal(describe_percentile_bound_count(1.0, 0.95), 0);
    assert_false(describe_percentile_bound(x, 58, 0.95, 0.95, &bound));
    assert_false(describe_percentile_bound(x, 298, 0.99, 0.95, &bound));
    assert_false(describe_percentile_bound(x, 0, 0.95, 0.95, &bound));
    assert_false(describe_percentile_bound(x, 1000, NAN, 0.95, &bound));
    assert_true(bound == -1.0);
    assert_true(describe_percentile_bound(x, 59, 0.95, 0.95, &bound));
    assert_true(bound == 59.0);
    assert_true(describe_percentile_bound(x, 299, 0.99, 0.95, &bound));
    assert_true(bound == 299.0);
    assert_true(describe_percentile_bound(x, 1000, 0.95, 0.95, &bound));
    assert_true(bound == 962.0); // scipy.stats.binom.ppf(0.95, 1000, 0.95) + 1
}

// The ranks are the widest allowed: one further in covers too little, at any n, and 100 000 values take no
// time.
static void test_order_interval_ranks(void **state) {
    static const size_t counts[] = {6, 7, 20, 99, 100, 1000, 100000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        size_t n = counts[c];
        struct order_interval order;
        double *x = calloc(n, sizeof *x);
        assert_non_null(x);
        for (size_t i = 0; i < n; ++i) x[i] = (double)i + 1;
        assert_true(describe_order_interval(x, n, 0.95, &order));
        assert_true(order.rank_lo >= 1 && order.rank_hi == n + 1 - order.rank_lo);
        assert_true(order.at.lo == (double)order.rank_lo && order.at.hi == (double)order.rank_hi);
        assert_true(order.coverage >= 0.95);
        assert_true(1 - 2 * binomial_tail(n, 0.5, order.rank_lo + 1).below < 0.95);
        free(x);
    }
}

static void test_binomial(void **state) {
    (void)state;
    struct binomial_tail t = binomial_tail(10, 0.3, 4);

    expect_rel("binomial", "at", t.at, 0.200120949, 1e-9);
    expect_rel("binomial", "below", t.below, 0.6496107184, 1e-12);
    expect_rel("binomial", "sum", t.below + t.at_least, 1.0, 1e-15);
    t = binomial_tail(5, 0.0, 0);
    assert_true(t.at == 1.0 && t.at_least == 1.0 && t.below == 0.0);
    t = binomial_tail(5, 1.0, 5);
    assert_true(t.at == 1.0 && t.at_least == 1.0);
    t = binomial_tail(5, 0.5, 6);
    assert_true(t.at == 0.0 && t.at_least == 0.0 && t.below == 1.0);
    t = binomial_tail(1000000, 0.5, 500000);
    expect_rel("binomial", "large n", t.at, 7.978843601e-4, 1e-7);
}

static void test_float_order(void **state) {
    (void)state;
    const double values[] = {-INFINITY, -DBL_MAX, -1.0, -DBL_MIN, -4.9e-324,
                             0.0,       4.9e-324, 1.0,  DBL_MAX,  INFINITY};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        assert_true(float_order_value(float_order_key(values[i])) == values[i]);
        if (i > 0) assert_true(float_order_key(values[i - 1]) < float_order_key(values[i]));
    }
    assert_int_equal(float_order_key(-0.0), float_order_key(0.0));
    assert_true(float_order_value(float_order_key(1.0) + 1) == nextafter(1.0, 2.0));
    int64_t lo = float_order_key(-INFINITY);
    int64_t hi = float_order_key(INFINITY);
    assert_int_equal(float_order_mid(lo, hi), 0);
    assert_int_equal(float_order_mid(3, 4), 3);
    assert_true(float_order_is_sorted((const double[]){1.0, 1.0, 2.0}, 3));
    assert_false(float_order_is_sorted((const double[]){2.0, 1.0}, 2));
    assert_false(float_order_is_sorted((const double[]){1.0, NAN}, 2));
    assert_false(float_order_is_sorted_positive((const double[]){0.0, 1.0}, 2));
}

// Few values are merged, many go to qsort(); ties in both.
static void test_float_order_sort(void **state) {
    (void)state;
    enum { MOST = 600 };
    double x[MOST], want[MOST];

    for (size_t n = 0; n <= MOST; ++n) {
        for (size_t i = 0; i < n; ++i) {
            size_t at = i;

            x[i] = (double)(i * 7919 % 251) - 100.0;
            for (; at > 0 && want[at - 1] > x[i]; --at) want[at] = want[at - 1];
            want[at] = x[i];
        }
        float_order_sort(x, n);
        assert_memory_equal(x, want, n * sizeof *x);
    }
}

static void test_interval(void **state) {
    (void)state;
    struct interval a = {1.0, 2.0};

    assert_false(interval_is_disjoint(a, (struct interval){2.0, 3.0})); // touching overlaps
    assert_false(interval_is_disjoint((struct interval){0.0, 1.0}, a));
    assert_true(interval_is_disjoint(a, (struct interval){nextafter(2.0, 3.0), 3.0}));
    assert_true(interval_is_disjoint(a, (struct interval){0.0, 0.5}));
    assert_false(interval_is_disjoint(a, (struct interval){NAN, NAN}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_change_sign),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_small_sets),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_modes_of_equal_values),
        cmocka_unit_test(test_percentile_bound),
        cmocka_unit_test(test_order_interval_ranks),
        cmocka_unit_test(test_binomial),
        cmocka_unit_test(test_float_order),
        cmocka_unit_test(test_float_order_sort),
        cmocka_unit_test(test_interval),
    };

    return cmocka_run_group_tests_name("stats describe", tests, NULL, NULL);
}
