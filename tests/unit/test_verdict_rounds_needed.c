// SPDX-License-Identifier: Apache-2.0
//
// The number of rounds that would decide: the smallest that does, none if none does.
#include "stats/student_t.h"
#include "unit/made_result.h"
#include "verdict/rounds/rounds_rule.h"

static double half_width_pct(double sd, size_t count) {
    double t = -student_t_quantile(rounds_needed_alpha(count) / 2, (double)(count - 1));
    return 100 * expm1(t * sd / sqrt((double)count));
}

static int is_enough(double sd, double regression_pct, size_t count) {
    return half_width_pct(sd, count) <= ROUNDS_HALF_WIDTH_PCT &&
           rounds_needed_detectable_pct(sd, count) <= regression_pct;
}

static void the_smallest_number_that_does(void **state) {
    (void)state;
    static const double spreads[] = {0.0001, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1};
    uint32_t before = 0;
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; ++i) {
        uint32_t rounds = rounds_needed(spreads[i], 3);
        assert_true(rounds >= ROUNDS_LOOK_STEP && rounds >= before);
        assert_true(is_enough(spreads[i], 3, rounds));
        if (rounds > ROUNDS_LOOK_STEP) assert_false(is_enough(spreads[i], 3, rounds - 1));
        before = rounds;
    }
    assert_int_equal(rounds_needed(0, 3), ROUNDS_LOOK_STEP);
    assert_int_equal(rounds_needed(0.005, 3), ROUNDS_LOOK_STEP);
    // The promise of the looks: 1 % spread detects 3 % within the first two looks, 2 % within four.
    assert_in_range(rounds_needed(0.01, 3), 5, 10);
    assert_in_range(rounds_needed(0.02, 3), 10, ROUNDS_MAX);
    assert_true(rounds_needed(0.05, 3) > ROUNDS_MAX);
}

// A fixed number of rounds decides once, at 0.05: it needs fewer than the looks do, and above them the same.
static void a_fixed_number_needs_fewer(void **state) {
    (void)state;
    uint32_t fixed = rounds_needed_fixed(0.02, 3), looks = rounds_needed(0.02, 3);
    assert_true(fixed >= ROUNDS_LOOK_STEP && fixed < looks);
    assert_true(rounds_needed_detectable_fixed_pct(0.02, fixed) <= 3);
    assert_true(rounds_needed_detectable_fixed_pct(0.02, fixed - 1) > 3);
    assert_true(rounds_needed_detectable_fixed_pct(0.02, 10) < rounds_needed_detectable_pct(0.02, 10));
    assert_true(rounds_needed_detectable_fixed_pct(0.02, 21) == rounds_needed_detectable_pct(0.02, 21));
    assert_int_equal(rounds_needed_fixed(0.06, 3), rounds_needed(0.06, 3));
    assert_int_equal(rounds_needed_fixed(0.06, 0), 0);
    assert_int_equal(rounds_needed_fixed(NAN, 3), 0);
}

static void the_half_width_counts_too(void **state) {
    (void)state;
    // 20 % slower would be seen with five rounds, but an interval of more than 2 % either way is no answer.
    uint32_t rounds = rounds_needed(0.03, 20);
    assert_true(rounds_needed_detectable_pct(0.03, rounds - 1) < 20);
    assert_true(half_width_pct(0.03, rounds - 1) > ROUNDS_HALF_WIDTH_PCT);
    assert_true(half_width_pct(0.03, rounds) <= ROUNDS_HALF_WIDTH_PCT);
}

static void apart_from_a_threshold(void **state) {
    (void)state;
    uint32_t rounds = rounds_needed_apart(0.02, 0.003);
    assert_true(rounds > ROUNDS_MAX);
    assert_true(student_t_detectable(0.02, rounds, 0.10, 0.9) <= 0.003);
    assert_true(student_t_detectable(0.02, rounds - 1, 0.10, 0.9) > 0.003);
    assert_int_equal(rounds_needed_apart(0.001, 0.02), ROUNDS_LOOK_STEP);
    assert_int_equal(rounds_needed_apart(0.02, 0.0001), 0);
    assert_int_equal(rounds_needed_apart(0.02, 0), 0);
    assert_int_equal(rounds_needed_apart(NAN, 0.01), 0);
}

// The mean, the interval and its p must be far enough, nine times in ten.
static void a_call_takes_its_p_and_its_mean(void **state) {
    (void)state;
    double slow = log1p(0.03), call_p = rounds_call_p(1, 27);
    uint32_t rounds = rounds_needed_call(0.06, slow + 0.06, 3, 27); // the p decides
    assert_true(student_t_detectable(0.06, rounds, 2 * call_p, 0.9) <= slow + 0.06);
    assert_true(student_t_detectable(0.06, rounds - 1, 2 * call_p, 0.9) > slow + 0.06);
    assert_true(rounds_needed_call(0.06, slow + 0.06, 3, 1000) > rounds);
    rounds = rounds_needed_call(0.06, slow + 0.005, 3, 27); // the interval's lower end does
    assert_true(student_t_detectable(0.06, rounds, 0.05, 0.9) <= slow + 0.005 - log1p(0.0225));
    assert_true(student_t_detectable(0.06, rounds - 1, 0.05, 0.9) > slow + 0.005 - log1p(0.0225));
    rounds = rounds_needed_call(0.06, slow + 0.003, 3, 27); // the mean does: 1.2816 sd / sqrt(R) <= 0.003
    assert_int_equal(rounds, 657);
    assert_int_equal(rounds_needed_call(0.01, 0.05, 3, 27), 2 * ROUNDS_LOOK_STEP);
    assert_int_equal(rounds_needed_call(0.06, slow + 0.001, 3, 27), 0);
    assert_int_equal(rounds_needed_call(0.06, slow, 3, 27), 0);
    assert_int_equal(rounds_needed_call(NAN, 0.05, 3, 27), 0);
    assert_int_equal(rounds_needed_call(0.06, 0.05, 3, 0), 0);
}

static void none_where_none_does(void **state) {
    (void)state;
    assert_int_equal(rounds_needed(2, 3), 0);
    assert_int_equal(rounds_needed(NAN, 3), 0);
    assert_int_equal(rounds_needed(-1, 3), 0);
    assert_int_equal(rounds_needed(0.01, 0), 0);
    assert_int_equal(rounds_needed(0.01, NAN), 0);
    assert_true(isnan(rounds_needed_detectable_pct(0.01, 1)));
    assert_true(isnan(rounds_needed_detectable_pct(NAN, 5)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_number_that_does),   cmocka_unit_test(a_fixed_number_needs_fewer),
        cmocka_unit_test(the_half_width_counts_too),       cmocka_unit_test(apart_from_a_threshold),
        cmocka_unit_test(a_call_takes_its_p_and_its_mean), cmocka_unit_test(none_where_none_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
