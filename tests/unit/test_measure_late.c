// SPDX-License-Identifier: Apache-2.0
//
// Work that goes on after a batch: whose it is, and when nobody is blamed.
#include "fake_sampler.h"

// Late work seen once is the host's fault; seen repeatedly, the kernel's.
static void test_late_work(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    prepare_without_audits(&sampler, &sampling, 1);
    script.late_at = script.batches + 5;
    assert_int_equal(sampler_run(&sampler, NULL), 0);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_int_equal(sampler.sides[0].items[5].discard, DISCARD_PREEMPTED);
    assert_int_equal(count_discards(&sampler.sides[0], DISCARD_PREEMPTED), 1);
    sampler_fini(&sampler);
    init(&sampler, &sampling, 2);
    script.late_from = 12;
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_LATE_WORK);
    assert_string_equal(sampler.failure.message,
                        "work on another stream went on for 50.0 us after its stream was done");
    sampler_fini(&sampler);
}

// Five late samples in a row are looked into, four are not.
static void test_late_in_a_row(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    for (size_t late = 4; late <= 5; ++late) {
        struct sampler sampler;
        prepare_without_audits(&sampler, &sampling, 1);
        script.late_from = script.batches + 5;
        script.late_until = script.late_from + late;
        assert_int_equal(sampler_run(&sampler, NULL), 0);
        assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE); // alone it is not late
        assert_int_equal(count_discards(&sampler.sides[0], DISCARD_PREEMPTED), late);
        assert_int_equal(script.controls > 0, late == 5);
        sampler_fini(&sampler);
    }
}

// Late samples in a row of a machine on which a mere spin ends as late are no kernel's, and do not count.
static void test_late_machine(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    script.late_from = 12;
    script.tail_of_nothing_ns = 45000;
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_true(script.controls > 0);
    assert_true(count_discards(&sampler.sides[0], DISCARD_PREEMPTED) > 5);
    sampler_fini(&sampler);
}

// What another process has queued on the device goes on though it is stopped. Nobody is blamed for lateness
// that was not there when the side had the device for itself, or where it never had it.
static void test_late_by_another(void **state) {
    (void)state;
    static const struct {
        size_t busy_looks;
        bool is_with_others, is_late, is_blamed, is_doubted, is_tail;
    } cases[] = {
        {.is_late = true, .is_blamed = true},                          // alone, and late
        {.is_late = true, .busy_looks = 5, .is_blamed = true},         // after the other's work has ended
        {.is_late = true, .busy_looks = SIZE_MAX, .is_doubted = true}, // which never ends
        {.is_late = true, .is_with_others = true, .is_doubted = true}, // which is not seen in every look
        {.is_tail = true, .is_blamed = true},
        {.is_tail = true, .busy_looks = SIZE_MAX, .is_doubted = true},
        {.is_tail = true, .is_with_others = true, .is_doubted = true},
        {.busy_looks = SIZE_MAX}, // no side is suspected
    };
    const struct sampling sampling = quick(40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sampler sampler;
        prepare_without_audits(&sampler, &sampling, 2);
        fake_device.backend = &fake_backend_shared;
        script.busy_looks = cases[i].busy_looks;
        script.tail_side = cases[i].is_tail ? 0 : SIZE_MAX;
        script.tail_ns = 12000;
        if (cases[i].is_late) script.late_from = script.batches + 2;
        // The samples themselves find the device quiet: each is 41 batches of a side.
        if (cases[i].is_with_others)
            script.others_from = script.batches + (cases[i].is_tail ? 2 * (sampling.sample_count + 1) : 0);
        assert_int_equal(sampler_run(&sampler, NULL), 0);
        assert_int_equal(sampler.failure.kind == SAMPLER_FAILURE_LATE_WORK, cases[i].is_blamed);
        assert_int_equal(*sampler.doubt != 0, cases[i].is_doubted);
        assert_true(script.looks < 1000);
        sampler_fini(&sampler);
    }
}

// Too little to be told from chance in one sample, but there in all of them.
static void test_a_little_late_always(void **state) {
    (void)state;
    const struct sampling sampling = quick(40);
    for (int is_late = 0; is_late < 2; ++is_late) {
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        script.tail_side = 1;
        script.tail_ns = is_late ? 12000 : 3500;
        run(&sampler);
        assert_int_equal(sampler.failure.kind, is_late ? SAMPLER_FAILURE_LATE_WORK : SAMPLER_FAILURE_NONE);
        if (is_late) assert_int_equal(sampler.failure.side, 1);
        if (is_late)
            assert_non_null(strstr(sampler.failure.message, "in the median of 15 batches, work on another"));
        assert_int_equal(count_discards(&sampler.sides[1], DISCARD_PREEMPTED), 0);
        sampler_fini(&sampler);
    }
}

// No kernel is reported if the host measures the same tail after a mere spin of the same length.
static void test_a_host_that_reads_late(void **state) {
    (void)state;
    static const struct {
        double tail_ns, of_nothing_ns;
        bool is_late, is_asked;
    } cases[] = {{12000, 11000, false, true}, {12000, 2000, true, true}, {3500, 0, false, false},
                 {30000, 12000, true, true},  {12000, NAN, true, true},  {12000, -9000, true, true},
                 {7700, 0, false, false},     {8300, 0, true, true}}; // 8 us
    const struct sampling sampling = quick(40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        script.tail_side = 0;
        script.tail_ns = cases[i].tail_ns;
        script.tail_of_nothing_ns = cases[i].of_nothing_ns;
        run(&sampler);
        assert_int_equal(sampler.failure.kind == SAMPLER_FAILURE_LATE_WORK, cases[i].is_late);
        assert_int_equal(script.controls > 0, cases[i].is_asked);
        if (cases[i].is_asked) assert_int_equal(script.control_ns, sampler.sides[0].sample_ns);
        sampler_fini(&sampler);
    }
}

// A host that reads late while it samples, and a second later does not, has an honest kernel all the same.
static void test_a_host_that_read_late(void **state) {
    (void)state;
    const struct sampling sampling = quick(40);
    struct sampler sampler;
    prepare_without_audits(&sampler, &sampling, 1);
    script.tail_side = 0;
    script.tail_ns = 12000;
    script.tail_until = script.batches + sampling.sample_count;
    assert_int_equal(sampler_run(&sampler, NULL), 0);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_true(script.controls > 0);
    sampler_fini(&sampler);
}

// What is a half of a per cent of a launch changes no verdict, and is within what hosts read after so long.
static void test_a_little_late_after_long_launches(void **state) {
    (void)state;
    static const struct {
        double tail_ns;
        bool is_late;
    } cases[] = {{19500, false}, {20500, true}};
    const struct sampling sampling = quick(40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        script.launch_ns[0] = script.launch_ns[1] = 4e6;
        script.tail_side = 1;
        script.tail_ns = cases[i].tail_ns;
        run(&sampler);
        assert_int_equal(sampler.failure.kind == SAMPLER_FAILURE_LATE_WORK, cases[i].is_late);
        sampler_fini(&sampler);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_work),
        cmocka_unit_test(test_late_in_a_row),
        cmocka_unit_test(test_late_machine),
        cmocka_unit_test(test_late_by_another),
        cmocka_unit_test(test_a_little_late_always),
        cmocka_unit_test(test_a_host_that_reads_late),
        cmocka_unit_test(test_a_host_that_read_late),
        cmocka_unit_test(test_a_little_late_after_long_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
