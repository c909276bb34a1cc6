// SPDX-License-Identifier: Apache-2.0
//
// When the executor ends a run early: hardly a sample counts, in three measurements in a row, for half a
// minute.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/exec/executor_internal.h"
#include "record/sim_script.h"

#define WANTED 20 // samples of a side: 10 must count, 3 or fewer are hopeless
#define SECOND UINT64_C(1000000000)

struct fixture {
    struct executor executor;
    struct executor_state state;
    struct plan plan;
    struct sim_device sim; // so that the machine is not looked at
    struct result result;
    char said[512];
};

static void hear(void *arg, const char *text) {
    struct fixture *fixture = arg;
    snprintf(fixture->said, sizeof fixture->said, "%s", text);
}

static struct fixture *fixture_make(void) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->plan.sim = &fixture->sim;
    fixture->executor = (struct executor){.plan = &fixture->plan,
                                          .result = &fixture->result,
                                          .state = &fixture->state,
                                          .on_notice = hear,
                                          .arg = fixture};
    return fixture;
}

static void fixture_free(struct fixture *fixture) {
    result_fini(&fixture->result);
    free(fixture);
}

// A measurement that ended at that time, with so many samples of the second side that count.
static void measure(struct fixture *fixture, uint64_t time_ns, size_t counting) {
    struct sample items[2][100];
    struct measurement measurement = {0};
    for (size_t side = 0; side < 2; ++side) {
        for (size_t i = 0; i < 100; ++i)
            items[side][i] =
                (struct sample){.discard = side == 0 || i < counting ? DISCARD_NONE : DISCARD_PREEMPTED};
        measurement.samples[side] =
            (struct record){.kind = RECORD_SAMPLES, .samples = {.count = 100, .items = items[side]}};
    }
    measurement.state =
        (struct record){.kind = RECORD_CASE_STATE,
                        .time_ns = time_ns,
                        .is_valid = counting >= 10,
                        .invalid_cause = counting < 10 ? INVALID_CAUSE_TOO_FEW_SAMPLES : INVALID_CAUSE_NONE};
    executor_notice_hopeless(&fixture->executor, &measurement, WANTED);
}

static void three_in_a_row_for_half_a_minute(void **state) {
    (void)state;
    struct fixture *fixture = fixture_make();
    measure(fixture, 100 * SECOND, 3);
    measure(fixture, 115 * SECOND, 0);
    assert_false(fixture->executor.is_hopeless);
    measure(fixture, 130 * SECOND, 3);
    assert_true(fixture->executor.is_hopeless);
    assert_non_null(strstr(fixture->said, "ended early: in the last 3 measurements at most 3 of 20 samples"));
    assert_int_equal(fixture->result.warning_count, 1);
    fixture_free(fixture);
}

static void shorter_or_fewer_are_waited_for(void **state) {
    (void)state;
    struct fixture *fixture = fixture_make();
    for (uint64_t i = 0; i < 10; ++i) measure(fixture, 100 * SECOND + i * 3 * SECOND, 0);
    assert_false(fixture->executor.is_hopeless); // 27 s
    measure(fixture, 130 * SECOND - 1, 0);
    assert_false(fixture->executor.is_hopeless);
    measure(fixture, 130 * SECOND, 0);
    assert_true(fixture->executor.is_hopeless);
    fixture_free(fixture);
    fixture = fixture_make();
    measure(fixture, 100 * SECOND, 0);
    measure(fixture, 200 * SECOND, 0);
    assert_false(fixture->executor.is_hopeless); // two
    fixture_free(fixture);
}

static void one_that_may_succeed_begins_anew(void **state) {
    (void)state;
    static const size_t hopeful[] = {4, 12}; // not valid, and valid
    for (size_t i = 0; i < 2; ++i) {
        struct fixture *fixture = fixture_make();
        measure(fixture, 100 * SECOND, 0);
        measure(fixture, 120 * SECOND, 0);
        measure(fixture, 140 * SECOND, hopeful[i]);
        measure(fixture, 160 * SECOND, 0);
        measure(fixture, 180 * SECOND, 0);
        assert_false(fixture->executor.is_hopeless);
        measure(fixture, 200 * SECOND, 0);
        assert_true(fixture->executor.is_hopeless);
        fixture_free(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_in_a_row_for_half_a_minute),
                                       cmocka_unit_test(shorter_or_fewer_are_waited_for),
                                       cmocka_unit_test(one_that_may_succeed_begins_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
