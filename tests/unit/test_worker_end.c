// SPDX-License-Identifier: Apache-2.0
//
// The sentence about a worker's end: with Python the interpreter has failed, or the module that was imported.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/exec/worker_client.h"

static struct work_order python_order(void) {
    struct work_order order = {.kind = WORK_DESCRIBE, .side_count = 1};
    order.sides[0].python = "kern.fa:forward";
    order.sides[0].python_interpreter = "/bin/true";
    return order;
}

static void assert_said(const struct worker_end *end, enum err_code code, const char *words,
                        const char *others) {
    const struct work_order order = python_order();
    struct err err = {0};
    assert_int_equal(worker_end_error(end, &order, &err), -(int)code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
    if (others && strstr(err.text, others)) fail_msg("'%s' says '%s'", err.text, others);
}

static void test_no_python(void **state) {
    (void)state;
    struct worker_end end = {.status = {.end = PROC_EXITED}};
    assert_said(&end, ERR_UNAVAILABLE, "'/bin/true' is no Python 3", "constructor");
    end.tail = (char[]){"ELF\x02\x01 bytes"};
    assert_said(&end, ERR_UNAVAILABLE, "'/bin/true' is no Python 3", "ELF");
    end.tail = (char[]){"SyntaxError: invalid syntax\n"};
    assert_said(&end, ERR_UNAVAILABLE, "it printed: SyntaxError", NULL);
}

static void test_import_hangs(void **state) {
    (void)state;
    const struct worker_end end = {
        .has_said_hello = true, .case_limit_s = 60, .status = {.end = PROC_TIMEOUT}};
    assert_said(&end, ERR_DATA, "importing 'kern.fa:forward' takes longer than 60 s", "constructor");
}

static void test_import_exits(void **state) {
    (void)state;
    const struct worker_end end = {.has_said_hello = true, .status = {.end = PROC_EXITED}};
    assert_said(&end, ERR_DATA, "died while it imported 'kern.fa:forward': it exited with code 0",
                "constructor");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_python),
        cmocka_unit_test(test_import_hangs),
        cmocka_unit_test(test_import_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
