// SPDX-License-Identifier: Apache-2.0
//
// The sampler's two clocks: samples that a kernel's process and the judge time differently.
#include "fake_sampler.h"

// One sample that took judge_ns by the judge's clock may be stated as less or more, by the share of a side.
static void state_shares(double first, double second, bool is_wait_known) {
    script.stated[0] = first;
    script.stated[1] = second;
    script.is_wait_known = is_wait_known;
}

static void test_both_clocks_agree(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    state_shares(1.0, 0.985, true); // within what two clocks may differ by
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(count_discards(&sampler.sides[i], DISCARD_UNCONFIRMED), 0);
        assert_int_equal(sampler.sides[i].judged.count, 20);
        assert_int_equal(sampler.sides[i].judged.false_count, 0);
        for (size_t k = 0; k < sampler.sides[i].count; ++k)
            assert_true(sampler.sides[i].items[k].judge_ns > 0);
    }
    sampler_fini(&sampler);
    init(&sampler, &sampling, 2);
    state_shares(1.0, 0.8, true);
    script.judge_error_ns = 1e6; // an exchange varies by as much as a sample takes: nothing is known
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_int_equal(count_discards(&sampler.sides[1], DISCARD_UNCONFIRMED), 0);
    sampler_fini(&sampler);
}

static void test_false_clock(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    for (size_t liar = 0; liar < 2; ++liar) {
        init(&sampler, &sampling, 2);
        state_shares(liar == 0 ? 0.5 : 1, liar == 1 ? 0.5 : 1, true);
        run(&sampler);
        assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_CLOCK);
        assert_int_equal(sampler.failure.side, liar);
        assert_non_null(strstr(sampler.failure.message, "50 %"));
        assert_int_equal(count_discards(&sampler.sides[liar], DISCARD_NONE), 0); // it brings no sample either
        assert_int_equal(count_discards(&sampler.sides[1 - liar], DISCARD_UNCONFIRMED), 0);
        sampler_fini(&sampler);
    }
}

// Samples that the clocks do not agree on never count; but only a clear lie of one side alone is called one.
static void test_unconfirmed_is_no_lie(void **state) {
    (void)state;
    const struct {
        double first, second;
        bool is_wait_known;
        uint32_t samples;
        size_t unconfirmed_side;
    } cases[] = {
        {1, 0.5, false, 20, 1},                          // the process may have waited for a processor
        {0.5, 0.5, true, 20, 1},                         // whatever holds up both answers is no side's doing
        {0.5, 0.5, true, 20, 0}, {1, 0.95, true, 20, 1}, // apart, but not by much
        {1, 0.5, true, 1, 1},                            // too few samples to tell
        {1, 1.5, true, 20, 1},                           // says that it took longer than it did
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct sampling sampling = quick(cases[i].samples);
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        state_shares(cases[i].first, cases[i].second, cases[i].is_wait_known);
        run(&sampler);
        assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
        const struct sampler_side *side = &sampler.sides[cases[i].unconfirmed_side];
        assert_int_equal(count_discards(side, DISCARD_NONE), 0);
        assert_int_equal(count_discards(side, DISCARD_UNCONFIRMED), SAMPLER_MADE_UP_MOST * cases[i].samples);
        sampler_fini(&sampler);
    }
}

// A sample that waited for a processor is late by the judge's clock too: such samples prove nothing.
static void test_waits_are_no_lies(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    state_shares(1, 0.5, true);
    script.steal_side = 1; // the hypervisor takes time from every batch of the side
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_int_equal(sampler.sides[1].judged.count, 0);
    assert_int_equal(count_discards(&sampler.sides[1], DISCARD_STEAL), SAMPLER_MADE_UP_MOST * 20);
    sampler_fini(&sampler);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_clocks_agree),
        cmocka_unit_test(test_false_clock),
        cmocka_unit_test(test_unconfirmed_is_no_lie),
        cmocka_unit_test(test_waits_are_no_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
