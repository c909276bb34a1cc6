// SPDX-License-Identifier: Apache-2.0
//
// When launches of a sample are said to overlap: a value just inside and just outside of each threshold, and
// the kernels that must never be blamed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/measure/overlap.h"

struct row {
    double sample_busy, single_busy, sample_us, single_us;
    uint32_t threads;
    bool is_shown;
};

static void expect(const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const struct overlap_figures figures = {.sample_busy = rows[i].sample_busy,
                                                .single_busy = rows[i].single_busy,
                                                .sample_launch_ns = 1e3 * rows[i].sample_us,
                                                .single_launch_ns = 1e3 * rows[i].single_us,
                                                .thread_count = rows[i].threads};
        if (overlap_is_shown(&figures) != rows[i].is_shown) fail_msg("row %zu", i);
    }
}

static void test_thresholds(void **state) {
    (void)state;
    static const struct row rows[] = {
        {1.41, 1.00, 50, 100, 2, true},   // as many threads as are busy: 0.4 apart
        {1.39, 1.00, 50, 100, 2, false},  //
        {1.41, 1.15, 50, 100, 1, true},   // more than it was given: 0.25 apart
        {1.41, 1.17, 50, 100, 1, false},  //
        {1.21, 0.95, 50, 100, 1, true},   // from 0.2 beyond what it was given
        {1.19, 0.93, 50, 100, 1, false},  //
        {2.00, 1.00, 50, 60.1, 1, true},  // a single launch takes 1.2 times as long
        {2.00, 1.00, 50, 59.9, 1, false}, //
        {2.00, 1.00, 2, 4.01, 1, true},   // and 2 us longer
        {2.00, 1.00, 2, 3.99, 1, false},  //
    };
    expect(rows, sizeof rows / sizeof *rows);
}

static void test_kernels(void **state) {
    (void)state;
    static const struct row rows[] = {
        {1.98, 1.19, 22, 35, 1, true},   // tests/broken/overlaps_launches.c, as it was measured
        {2.02, 1.04, 160, 314, 1, true}, //
        {1.01, 1.07, 39, 40, 1, false},  // one thread
        {2.05, 2.30, 25, 28, 2, false},  // two threads that spin
        {2.00, 2.10, 25, 60, 1, false},  // more threads than it was given, in every launch
        {1.30, 1.00, 60, 65, 2, false},  // a thread that is woken late
        {2.00, 1.30, 60, 62, 2, false},  // busy for nothing: no launch is quicker
        {1.00, 1.00, 25, 90, 1, false},  // only slower alone (timing_verify_after judges that)
        {2.90, 1.95, 30, 45, 2, true},   // one more than two
    };
    expect(rows, sizeof rows / sizeof *rows);
}

// ---- what is known of a side ----

// Six samples; true: rows are wanted.
static bool samples(struct overlap_watch *watch, double busy, double launch_us) {
    bool is_wanted = false;
    for (int i = 0; i < 6; ++i) {
        assert_false(is_wanted);
        is_wanted = overlap_add_sample(watch, busy, 1e3 * launch_us, 1);
    }
    return is_wanted;
}

static void rows_of(struct overlap_watch *watch, uint32_t count, double busy, double launch_us, double wait) {
    for (uint32_t i = 0; i < count; ++i) {
        const double row_ns = 64e3 * launch_us / (1 - wait);
        overlap_add_row(watch, (uint64_t)row_ns, (uint64_t)(wait * row_ns),
                        (uint64_t)(busy * 64e3 * launch_us), 64);
    }
    overlap_compare(watch);
}

static void test_blame_takes_three(void **state) {
    (void)state;
    struct overlap_watch watch = {0};
    assert_int_equal(OVERLAP_TRIES, 3);
    for (uint32_t tries = 1; tries <= 3; ++tries) {
        assert_true(samples(&watch, 2, 20));
        rows_of(&watch, 7, 1, 40, 0);
        assert_true(watch.is_open && !watch.is_cleared);
        assert_int_equal(watch.tries, tries);
    }
    assert_true(samples(&watch, 2, 20));
    rows_of(&watch, 7, 2, 20, 0); // once it looks right, all begins anew
    assert_true(!watch.is_open && watch.is_cleared);
    assert_int_equal(watch.tries, 0);
}

static void test_beyond_what_it_was_given(void **state) {
    (void)state;
    assert_true(overlap_is_beyond(&(struct overlap_figures){.sample_busy = 1.21, .thread_count = 1}));
    assert_false(overlap_is_beyond(&(struct overlap_figures){.sample_busy = 1.19, .thread_count = 1}));
    assert_false(overlap_is_beyond(&(struct overlap_figures){.sample_busy = 2.1, .thread_count = 2}));
}

static void test_one_processor_is_never_asked(void **state) {
    (void)state;
    struct overlap_watch watch = {0};
    assert_false(samples(&watch, 1.19, 20));
    assert_false(watch.is_open);
    assert_true(samples(&watch, 1.21, 20));
    assert_true(watch.is_open);
}

// Beside a load: rows that waited for a processor say nothing, and those that count are collected.
static void test_rows_are_collected(void **state) {
    (void)state;
    struct overlap_watch watch = {0};
    assert_true(samples(&watch, 2, 20));
    rows_of(&watch, 7, 1, 40, 0.26);
    assert_int_equal(watch.row_count, 0);
    rows_of(&watch, 2, 1, 40, 0.24);
    rows_of(&watch, 2, 1, 40, 0.24);
    assert_int_equal(watch.row_count, 4);
    assert_true(watch.is_open && watch.tries == 0); // not said yet
    rows_of(&watch, 1, 1, 40, 0.24);
    assert_int_equal(watch.tries, 1);
    assert_int_equal(watch.row_count, 0);
    for (int i = 0; i < 8; ++i) overlap_add_row(&watch, 1000, 0, 1000, 1);
    assert_int_equal(watch.row_count, 7); // no more are needed
}

// What rows have explained stays explained, until samples differ from these rows.
static void test_cleared_until_it_differs(void **state) {
    (void)state;
    struct overlap_watch watch = {0};
    assert_true(samples(&watch, 1.5, 38)); // its helper found no processor
    rows_of(&watch, 7, 1.4, 40, 0);
    assert_true(watch.is_cleared && !watch.is_open);
    assert_false(samples(&watch, 1.5, 38));
    assert_false(samples(&watch, 2, 34)); // busy, and no quicker
    assert_true(samples(&watch, 2, 20));
    assert_true(watch.is_open);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thresholds),
                                       cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_blame_takes_three),
                                       cmocka_unit_test(test_beyond_what_it_was_given),
                                       cmocka_unit_test(test_one_processor_is_never_asked),
                                       cmocka_unit_test(test_rows_are_collected),
                                       cmocka_unit_test(test_cleared_until_it_differs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
