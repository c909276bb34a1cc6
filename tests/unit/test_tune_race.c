// SPDX-License-Identifier: Apache-2.0
//
// One heat and one final of a tuning, on rounds that are given: who is dropped, who enters the elite, what is
// claimed. How often that is wrong on drawn rounds: tests/stats/test_tune_races.c.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/tune/tune_contest.h"
#include "control/tune/tune_elite.h"

static const struct tune_noise quiet = {.squares = 1e-4, .df = 100}; // 0.1 %

static void losers_are_dropped(void **state) {
    (void)state;
    struct tune_heat heat;
    const double rounds[][4] = {{0, -0.10, 0.05, -0.08}, {0, -0.101, 0.051, -0.081}};
    tune_heat_init(&heat, 4, 1, 5, &quiet);
    assert_int_equal(tune_heat_add(&heat, rounds[0]), 3); // one process says nothing of processes
    assert_true(tune_heat_goes_on(&heat));
    assert_int_equal(tune_heat_add(&heat, rounds[1]), 1);
    assert_true(!heat.is_dropped[1] && heat.is_dropped[2] && heat.is_dropped[3]);
    assert_false(tune_heat_goes_on(&heat)); // the one that is left is shown to beat the baseline
    uint32_t count;
    assert_true(fabs(tune_heat_estimate(&heat, 3, &count) + 0.0805) < 1e-12);
    assert_int_equal(count, 2);
}

static void equals_stay_to_the_end(void **state) {
    (void)state;
    struct tune_heat heat;
    tune_heat_init(&heat, 3, 1, 4, &quiet);
    for (int r = 0; r < 4; ++r) {
        assert_true(tune_heat_goes_on(&heat));
        assert_int_equal(tune_heat_add(&heat, (double[]){0, -0.05 + 1e-4 * r, -0.05 - 1e-4 * r}), 2);
    }
    assert_false(tune_heat_goes_on(&heat));
}

// A wrong or unmeasured side has no x, and is out for good.
static void what_has_no_time_is_out(void **state) {
    (void)state;
    struct tune_heat heat;
    uint32_t count;
    tune_heat_init(&heat, 4, 1, 5, &quiet);
    tune_heat_remove(&heat, 2);
    assert_int_equal(tune_heat_add(&heat, (double[]){0, NAN, -0.5, -0.01}), 1);
    assert_true(heat.is_dropped[1] && heat.is_dropped[2]);
    assert_true(isnan(tune_heat_estimate(&heat, 1, &count)) && count == 0);
    assert_true(isnan(tune_heat_estimate(&heat, 2, &count)) && count == 0);
    assert_int_equal(tune_heat_add(&heat, (double[]){0, -0.5, -0.5, NAN}), 0);
    assert_false(tune_heat_goes_on(&heat));
}

// Fast in its first process only: it drops nobody, though the pooled noise alone would let it.
static void a_first_process_drops_nobody(void **state) {
    (void)state;
    struct tune_heat heat;
    tune_heat_init(&heat, 3, 1, 5, &quiet);
    tune_heat_add(&heat, (double[]){0, -0.70, -0.10});
    tune_heat_add(&heat, (double[]){0, 0.001, -0.101});
    assert_false(heat.is_dropped[2]);
}

static void contests_are_told_again(void **state) {
    (void)state;
    static const struct tune_space space = {
        .knob_count = 1,
        .point_count = 3,
        .is_start_exact = true,
        .knobs = {{.name = "A", .value_count = 3, .values = {1, 2, 3}, .start = 1}}};
    struct tune_contest contest;
    struct tune_entry entries[TUNE_HEAT_SIDES];
    struct tune_heat heat;
    size_t place;
    tune_contest_init(&contest, &space, TUNE_EVOLUTIONARY, 1, 2);
    assert_int_equal(tune_contest_finalists(&contest, &place, 1), 0);
    assert_int_equal(tune_contest_begin(&contest, 7, entries, &heat), 2); // the baseline is no new point
    assert_int_equal(heat.side_count, 3);
    const size_t fast = entries[1].point.at[0] == 0 ? 1 : 2;
    for (int r = 0; r < 2; ++r)
        tune_heat_add(&heat, (double[]){0, fast == 1 ? -0.2 : 0.2, fast == 2 ? -0.2 : 0.2});
    tune_contest_end(&contest, &heat, entries);
    assert_int_equal(tune_contest_finalists(&contest, &place, 1), 1);
    assert_int_equal(contest.search.tried[place].point.at[0], 0);
    assert_int_equal(tune_contest_begin(&contest, 7, entries, &heat), 0); // all were tried
    tune_contest_fini(&contest);
}

// ---- finals ----

#define DECIDE 5
#define ROUNDS 10
#define FINALS 3 // problems

// Each problem at its log ratio, with a little noise that differs from round to round.
static void fill(double *x, const double *of_problem) {
    for (size_t p = 0; p < FINALS; ++p)
        for (size_t r = 0; r < ROUNDS; ++r)
            x[p * ROUNDS + r] = of_problem[p] + 0.001 * (double)((r * 7 + p * 3) % 5) - 0.002;
}

static enum tune_judgement judge(const double *x) {
    return tune_final_judge(&(struct tune_final){FINALS, ROUNDS, DECIDE, x}).judgement;
}

static void drop_rules(void **state) {
    (void)state;
    double x[FINALS * ROUNDS];
    fill(x, (double[]){-0.1, -0.1, -0.1});
    assert_int_equal(judge(x), TUNE_JUDGED_IN);
    fill(x, (double[]){-0.02, -0.02, -0.02});
    assert_int_equal(judge(x), TUNE_JUDGED_SMALL);
    fill(x, (double[]){-0.3, -0.3, 0.05}); // slower on one
    assert_int_equal(judge(x), TUNE_JUDGED_IN);
    fill(x, (double[]){-0.6, 0.05, 0.05}); // on two
    assert_int_equal(judge(x), TUNE_JUDGED_SLOWER);
    fill(x, (double[]){0, 0, 0});
    for (size_t p = 0; p < FINALS; ++p) x[p * ROUNDS] = -0.7; // fast in its first process only
    assert_int_equal(judge(x), TUNE_JUDGED_UNPROVEN);
    x[0] = NAN;
    assert_int_not_equal(judge(x), TUNE_JUDGED_IN);
}

// What decides is not what is claimed.
static void claims_come_from_other_rounds(void **state) {
    (void)state;
    double x[FINALS * ROUNDS];
    fill(x, (double[]){-0.2, -0.2, -0.2});
    for (size_t p = 0; p < FINALS; ++p)
        for (size_t r = DECIDE; r < ROUNDS; ++r) x[p * ROUNDS + r] += 0.1;
    const struct tune_final final = {FINALS, ROUNDS, DECIDE, x};
    const struct tune_claim claim = tune_final_judge(&final);
    assert_int_equal(claim.judgement, TUNE_JUDGED_IN);
    assert_true(fabs(claim.log_ratio + 0.2) < 0.003);
    assert_true(fabs(claim.speedup - exp(0.1)) < 0.003);
    assert_true(claim.speedup_interval.lo < claim.speedup && claim.speedup < claim.speedup_interval.hi);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losers_are_dropped),           cmocka_unit_test(equals_stay_to_the_end),
        cmocka_unit_test(what_has_no_time_is_out),      cmocka_unit_test(a_first_process_drops_nobody),
        cmocka_unit_test(contests_are_told_again),      cmocka_unit_test(drop_rules),
        cmocka_unit_test(claims_come_from_other_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
