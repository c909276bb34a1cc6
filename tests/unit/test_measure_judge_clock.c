// SPDX-License-Identifier: Apache-2.0
//
// The thresholds of the judge's clock (docs/measuring.md), each with a value just inside and one just
// outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/measure/judge_clock.h"

#define MS UINT64_C(1000000)

static struct batch_time timed(uint64_t duration_ns, uint64_t judge_ns, double error_ns) {
    return (struct batch_time){
        .duration_ns = duration_ns, .judge_ns = judge_ns, .judge_error_ns = error_ns, .is_wait_known = true};
}

// 2 % of the sample, or three times what an exchange varies by, whichever is more.
static void test_clocks_agree(void **state) {
    (void)state;
    const struct batch_time one_clock = timed(MS, 0, 0), within = timed(MS, 1020000, 0),
                            beyond = timed(MS, 1020001, 0), early = timed(MS, 979999, 0),
                            in_spread = timed(MS, 1300000, 100000),
                            out_of_spread = timed(MS, 1300001, 100000);
    assert_true(judge_clock_confirms(&one_clock));
    assert_true(judge_clock_confirms(&within));
    assert_false(judge_clock_confirms(&beyond));
    assert_false(judge_clock_confirms(&early));
    assert_true(judge_clock_confirms(&in_spread));
    assert_false(judge_clock_confirms(&out_of_spread));
    assert_int_equal(judge_clock_discard(&within), DISCARD_NONE);
    assert_int_equal(judge_clock_discard(&beyond), DISCARD_UNCONFIRMED);
}

// 2 % of the sample, and more than 20 us.
static void test_waits(void **state) {
    (void)state;
    struct batch_time time = timed(2 * MS, 0, 0);
    time.wait_ns = 40000;
    assert_int_equal(judge_clock_discard(&time), DISCARD_NONE);
    time.wait_ns = 40001;
    assert_int_equal(judge_clock_discard(&time), DISCARD_PREEMPTED);
    time = timed(MS / 10, 0, 0);
    time.wait_ns = 20000;
    assert_int_equal(judge_clock_discard(&time), DISCARD_NONE);
    time.wait_ns = 20001;
    assert_int_equal(judge_clock_discard(&time), DISCARD_PREEMPTED);
    time.steal_ns = 1; // the first reason that holds
    assert_int_equal(judge_clock_discard(&time), DISCARD_STEAL);
}

// Counts that many samples, the first ones stated as 1 ms where the judge saw so much.
static struct judged_samples counted(size_t count, size_t false_count, uint64_t judge_ns) {
    struct judged_samples ret = {.count = 0};
    for (size_t i = 0; i < count; ++i) {
        const struct batch_time time = timed(MS, i < false_count ? judge_ns : MS, 0);
        judge_clock_count(&ret, &time, judge_clock_discard(&time));
    }
    return ret;
}

static bool is_found(const struct judged_samples *first, const struct judged_samples *second, size_t wanted) {
    const struct judged_samples *const sides[] = {first, second};
    size_t which;
    if (!judge_clock_find_false(sides, 2, &which)) return false;
    assert_int_equal(which, wanted);
    return true;
}

// 30 % of the time by the judge are missing, which is 1.43 times the stated time.
static void test_share_of_a_sample(void **state) {
    (void)state;
    const struct judged_samples honest = counted(20, 0, MS), within = counted(20, 20, 1428571),
                                beyond = counted(20, 20, 1428572);
    assert_false(is_found(&honest, &within, 1));
    assert_true(is_found(&honest, &beyond, 1));
    assert_true(is_found(&beyond, &honest, 0));
}

// More than 97 % of at least ten samples, and at most 20 % of another side's.
static void test_share_of_the_samples(void **state) {
    (void)state;
    const struct judged_samples honest = counted(100, 0, MS), most = counted(100, 97, 2 * MS),
                                nearly_all = counted(100, 98, 2 * MS), nine = counted(9, 9, 2 * MS),
                                ten = counted(10, 10, 2 * MS), some = counted(100, 20, 2 * MS),
                                more = counted(100, 21, 2 * MS);
    assert_false(is_found(&honest, &most, 1));
    assert_true(is_found(&honest, &nearly_all, 1));
    assert_false(is_found(&honest, &nine, 1));
    assert_true(is_found(&honest, &ten, 1));
    assert_true(is_found(&some, &nearly_all, 1));
    assert_false(is_found(&more, &nearly_all, 1));
}

// What waited for a processor, or has a clock that includes other work, is no evidence.
static void test_what_does_not_count(void **state) {
    (void)state;
    struct judged_samples side = {.count = 0}, coarse = {.is_clock_coarse = true};
    struct batch_time time = timed(MS, 2 * MS, 0);
    time.steal_ns = 1;
    judge_clock_count(&side, &time, judge_clock_discard(&time));
    time.steal_ns = 0;
    time.is_wait_known = false;
    judge_clock_count(&side, &time, judge_clock_discard(&time));
    time.is_wait_known = true;
    judge_clock_count(&coarse, &time, judge_clock_discard(&time));
    assert_int_equal(side.count, 0);
    assert_int_equal(coarse.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks_agree),        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_share_of_a_sample),   cmocka_unit_test(test_share_of_the_samples),
        cmocka_unit_test(test_what_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
