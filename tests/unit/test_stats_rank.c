// SPDX-License-Identifier: Apache-2.0
//
// Pair counts, Cliff's delta, Mann-Whitney U and Hodges-Lehmann agree with SciPy and with brute force; their
// signs say "slower" when the candidate is slower.
#include <errno.h>

#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank.h"
#include "test_stats_golden.h"

static void check_test(const char *name, const struct rank_pairs *pairs, const json_t *want) {
    static const char *const known[] = {
        "U_a", "U_b", "p_two_sided_cc", "p_less_cc", "p_greater_cc", "p_two_sided_nocc", "p_two_sided_exact"};
    struct rank_test test;

    expect_known_keys(want, known, sizeof known / sizeof known[0]);
    rank_mann_whitney(pairs, &test);
    expect_exact(name, "U_a", test.u_base, golden_number(want, "U_a"));
    expect_exact(name, "U_b", test.u_cand, golden_number(want, "U_b"));
    if (json_is_null(golden_get(want, "p_two_sided_cc"))) { // sd = 0
        assert_true(test.p_two_sided == 1.0 && test.p_cand_slower == 1.0 && test.p_cand_faster == 1.0);
        assert_true(test.p_two_sided_uncorrected == 1.0);
    } else if (json_is_null(
                   golden_get(want, "p_two_sided_nocc"))) { // sd = 0 again, with SciPy's corrected p at 1
        assert_true(test.p_two_sided == 1.0 && test.p_cand_slower == 1.0 && test.p_cand_faster == 1.0);
        assert_true(test.p_two_sided_uncorrected == 1.0);
    } else {
        expect_rel(name, "p two-sided", test.p_two_sided, golden_number(want, "p_two_sided_cc"),
                   GOLDEN_REL_P);
        expect_rel(name, "p less", test.p_cand_slower, golden_number(want, "p_less_cc"), GOLDEN_REL_P);
        expect_rel(name, "p greater", test.p_cand_faster, golden_number(want, "p_greater_cc"), GOLDEN_REL_P);
        expect_rel(name, "p uncorrected", test.p_two_sided_uncorrected,
                   golden_number(want, "p_two_sided_nocc"), GOLDEN_REL_P);
    }
}

static void check_pair(const json_t *pair) {
    // a, b, A, B, pct_change: test_stats_describe.c and test_stats_bootstrap.c; verdict: the tests of
    // verdict/.
    static const char *const known[] = {"name",
                                        "note",
                                        "a",
                                        "b",
                                        "A",
                                        "B",
                                        "pairs",
                                        "cliffs_delta_slower",
                                        "cliffs_label",
                                        "tie_term_sum_t3_minus_t",
                                        "mwu",
                                        "hl_shift",
                                        "hl_ci_normal",
                                        "hl_log_ratio",
                                        "hl_log_ratio_ci_normal",
                                        "pct_change",
                                        "median_ratio_boot_ci_exact",
                                        "spec_first_match"};
    const char *name = golden_name(pair);
    struct rank_pairs pairs;
    struct hodges_lehmann hl;
    size_t n = 0;
    size_t m = 0;
    double *a = golden_numbers(golden_get(pair, "a"), &n);
    double *b = golden_numbers(golden_get(pair, "b"), &m);

    expect_known_keys(pair, known, sizeof known / sizeof known[0]);
    float_order_sort(a, n);
    float_order_sort(b, m);
    assert_int_equal(rank_count_pairs(a, n, b, m, &pairs), 0);
    assert_int_equal(pairs.cand_above, golden_count(golden_get(pair, "pairs"), "b_gt_a"));
    assert_int_equal(pairs.cand_below, golden_count(golden_get(pair, "pairs"), "b_lt_a"));
    assert_int_equal(pairs.equal, golden_count(golden_get(pair, "pairs"), "b_eq_a"));
    expect_exact(name, "tie term", pairs.tie_term, golden_number(pair, "tie_term_sum_t3_minus_t"));
    double delta = rank_cliffs_delta(&pairs);
    expect_rel(name, "delta", delta, golden_number(pair, "cliffs_delta_slower"), GOLDEN_REL);
    check_test(name, &pairs, golden_get(pair, "mwu"));

    const json_t *ci = golden_get(pair, "hl_ci_normal");
    assert_int_equal(hodges_lehmann_shift(a, n, b, m, 0.95, &hl), 0);
    expect_rel(name, "hl_shift", hl.estimate, golden_number(pair, "hl_shift"), GOLDEN_REL);
    assert_int_equal(hl.k, golden_count(ci, "k"));
    expect_exact(name, "hl lo", hl.limits.lo, golden_number(ci, "lo"));
    expect_exact(name, "hl hi", hl.limits.hi, golden_number(ci, "hi"));
    assert_int_equal(hodges_lehmann_log_ratio(a, n, b, m, 0.95, &hl), 0);
    expect_rel(name, "hl_log_ratio", hl.estimate, golden_number(pair, "hl_log_ratio"), GOLDEN_REL);
    expect_rel(name, "log lo", hl.limits.lo, golden_at(pair, "hl_log_ratio_ci_normal", 0), GOLDEN_REL);
    expect_rel(name, "log hi", hl.limits.hi, golden_at(pair, "hl_log_ratio_ci_normal", 1), GOLDEN_REL);
    free(b);
    free(a);
}

static void test_golden(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");

    assert_int_equal(json_array_size(pairs), 41);
    for (size_t i = 0; i < json_array_size(pairs); ++i) check_pair(json_array_get(pairs, i));
    json_decref(root);
}

// A 10 % gain is a gain: an earlier system subtracted one way and tested the other.
static void test_sign(void **state) {
    (void)state;
    const double base[] = {1.00, 1.01, 1.02, 1.03, 1.04, 1.05};
    const double slower[] = {1.10, 1.11, 1.12, 1.13, 1.14, 1.15};
    struct rank_pairs pairs;
    struct rank_test test;
    struct hodges_lehmann hl;

    assert_int_equal(rank_count_pairs(base, 6, slower, 6, &pairs), 0);
    rank_mann_whitney(&pairs, &test);
    assert_true(rank_cliffs_delta(&pairs) == 1.0);
    assert_true(test.p_cand_slower < 0.01 && test.p_cand_faster > 0.99);
    assert_true(test.u_cand == 36.0 && test.u_base == 0.0);
    assert_int_equal(hodges_lehmann_shift(base, 6, slower, 6, 0.95, &hl), 0);
    assert_true(hl.limits.lo > 0.0 && hl.estimate > 0.0);
    assert_int_equal(rank_count_pairs(slower, 6, base, 6, &pairs), 0); // the candidate is the faster one
    rank_mann_whitney(&pairs, &test);
    assert_true(rank_cliffs_delta(&pairs) == -1.0);
    assert_true(test.p_cand_faster < 0.01 && test.p_cand_slower > 0.99);
    assert_int_equal(hodges_lehmann_log_ratio(slower, 6, base, 6, 0.95, &hl), 0);
    assert_true(hl.limits.hi < 0.0);
}

static void test_ties(void **state) {
    (void)state;
    const double same[] = {2.0, 2.0, 2.0};
    const double mixed[] = {-0.0, 0.0, 2.0, 2.0};
    struct rank_pairs pairs;
    struct rank_test test;
    struct hodges_lehmann hl;

    assert_int_equal(rank_count_pairs(same, 3, same, 3, &pairs), 0);
    assert_int_equal(pairs.equal, 9);
    assert_true(pairs.tie_term == 210.0 && rank_cliffs_delta(&pairs) == 0.0);
    rank_mann_whitney(&pairs, &test);
    assert_true(test.p_two_sided == 1.0 && test.u_base == 4.5);
    assert_int_equal(rank_count_pairs(mixed, 4, same, 3, &pairs), 0);
    assert_int_equal(pairs.equal, 6);
    assert_int_equal(pairs.cand_above, 6);
    assert_true(pairs.tie_term == 6.0 + 120.0); // -0 and 0 are one value
    assert_int_equal(hodges_lehmann_shift(same, 3, same, 3, 0.95, &hl), 0);
    assert_true(hl.estimate == 0.0 && !signbit(hl.estimate) && hl.k == 1);
}

static void test_rejects(void **state) {
    (void)state;
    const double fine[] = {1.0, 2.0};
    const double unsorted[] = {2.0, 1.0};
    const double with_nan[] = {NAN, 1.0};
    const double negative[] = {-1.0, 1.0};
    struct rank_pairs pairs;
    struct hodges_lehmann hl;

    assert_int_equal(rank_count_pairs(fine, 0, fine, 2, &pairs), -EINVAL);
    assert_int_equal(rank_count_pairs(fine, 2, fine, 0, &pairs), -EINVAL);
    assert_int_equal(rank_count_pairs(unsorted, 2, fine, 2, &pairs), -EINVAL);
    assert_int_equal(rank_count_pairs(fine, 2, with_nan, 2, &pairs), -EINVAL);
    assert_int_equal(hodges_lehmann_shift(fine, 0, fine, 2, 0.95, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_shift(fine, 2, with_nan, 2, 0.95, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_shift(fine, 2, fine, 2, 1.0, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_shift(fine, 2, fine, 2, NAN, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_log_ratio(negative, 2, fine, 2, 0.95, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_log_ratio(fine, 2, negative, 2, 0.95, &hl), -EINVAL);
}

// Deterministic numbers with ties and negative values.
static double scrambled(size_t i) {
    return (double)((i * 2654435761u) % 1009u) / 64.0 - 7.0;
}

// Every order statistic of all differences and Walsh averages, listed and sorted.
static void test_brute_force(void **state) {
    (void)state;
    double base[23];
    double cand[17];
    double all[23 * 24];
    struct hodges_lehmann hl;
    const double levels[] = {0.5, 0.9, 0.95, 0.999};

    for (size_t i = 0; i < 23; ++i) base[i] = scrambled(i + 1);
    for (size_t j = 0; j < 17; ++j) cand[j] = scrambled(j + 100);
    float_order_sort(base, 23);
    float_order_sort(cand, 17);
    for (size_t l = 0; l < 4; ++l) {
        size_t count = 0;

        for (size_t i = 0; i < 23; ++i)
            for (size_t j = 0; j < 17; ++j) all[count++] = cand[j] - base[i];
        float_order_sort(all, count);
        assert_int_equal(hodges_lehmann_shift(base, 23, cand, 17, levels[l], &hl), 0);
        assert_true(hl.estimate == all[count / 2]);
        assert_true(hl.limits.lo == all[hl.k - 1] && hl.limits.hi == all[count - hl.k]);
        count = 0;
        for (size_t i = 0; i < 23; ++i)
            for (size_t j = i; j < 23; ++j) all[count++] = 0.5 * (base[i] + base[j]);
        float_order_sort(all, count);
        assert_int_equal(hodges_lehmann_walsh(base, 23, levels[l], &hl), 0);
        assert_true(hl.estimate == 0.5 * (all[count / 2 - 1] + all[count / 2]));
        assert_true(hl.limits.lo == all[hl.k - 1] && hl.limits.hi == all[count - hl.k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_sign),        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_rejects), cmocka_unit_test(test_brute_force),
    };

    return cmocka_run_group_tests_name("stats rank", tests, NULL, NULL);
}
