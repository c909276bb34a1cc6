// SPDX-License-Identifier: Apache-2.0
//
// Joining the halves of a measurement whose sides run in processes of their own: every throttle reason, the
// highest temperature and the most other processes are kept.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/exec/measurement.h"

static struct measurement half(const char *throttle, int process_count, double temperature_c) {
    struct measurement ret = {0};
    struct record record = {.kind = RECORD_CASE_STATE, .is_valid = true, .state = device_state_unknown()};
    strcpy(record.state.throttle, throttle);
    record.state.other_process_count = process_count;
    record.state.temperature_c = temperature_c;
    measurement_add(&ret, &record);
    return ret;
}

static void hold_throttle(const char *a, const char *b, const char *expected) {
    struct measurement first = half(a, -1, 50), second = half(b, -1, 60);
    measurement_append(&first, &second, 0);
    assert_string_equal(first.state.state.throttle, expected);
    measurement_clear(&first);
    measurement_clear(&second);
}

static void every_reason_is_kept(void **state) {
    (void)state;
    hold_throttle("", "", "");
    hold_throttle("", "none", "none");
    hold_throttle("none", "hw_slowdown", "hw_slowdown");
    hold_throttle("hw_slowdown", "none", "hw_slowdown");
    hold_throttle("sw_power_cap", "hw_slowdown", "sw_power_cap,hw_slowdown");
    hold_throttle("none", "not_one_of_ours", "not_one_of_ours");
    hold_throttle("hw_slowdown", "not_one_of_ours", "hw_slowdown");
}

static void the_worst_of_both_is_kept(void **state) {
    (void)state;
    struct measurement first = half("none", 1, 70), second = half("none", 3, 65),
                       third = half("none", -1, 80);
    measurement_append(&first, &second, 0);
    measurement_append(&first, &third, 0);
    assert_int_equal(first.state.state.other_process_count, 3);
    assert_true(first.state.state.temperature_c == 80);
    measurement_clear(&first);
    measurement_clear(&second);
    measurement_clear(&third);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_is_kept),
        cmocka_unit_test(the_worst_of_both_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
