// SPDX-License-Identifier: Apache-2.0
//
// The time of one module's commands, from the log of a build of several.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/compile/ninja_log_internal.h"

static void test_log(void **state) {
    (void)state;
    static const char log[] = "# ninja log v5\n"
                              "1\t2501\t0\t1/module.o\tabc\n"
                              "0\t500\t0\t0/module.o\tabc\n"
                              "500\t750\t1799999999999999999\t0/done\tdef\n"
                              "7\t5\t0\t2/module.o\tended before it began\n"
                              "9\t9\t0\t3/mod";
    assert_float_equal(ninja_log_seconds(log, "0"), 0.75, 1e-9);
    assert_float_equal(ninja_log_seconds(log, "1"), 2.5, 1e-9);
    assert_true(isnan(ninja_log_seconds(log, "2")) && isnan(ninja_log_seconds(log, "10")));
    assert_float_equal(ninja_log_seconds(log, "3"), 0, 1e-9); // torn behind what is read
    assert_true(isnan(ninja_log_seconds(NULL, "0")) && isnan(ninja_log_seconds("", "0")));
    assert_true(isnan(ninja_log_seconds("1\n1\t\n1\t2\n1\t2\t3\n1\t2\t3\t", "0")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_log)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
