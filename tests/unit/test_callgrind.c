// SPDX-License-Identifier: Apache-2.0
//
// Counts read from what callgrind writes, and programs that do not end well in it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "worker/measure/callgrind.h"

static void test_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t count; // 0: refused
    } rows[] = {
        {"version: 1\nsummary: 5\n\ntotals: 133421\n", 133421},
        {"totals: 18446744073709551615", UINT64_MAX},
        {"totals: 1\nfn=(1) main\ntotals: 2\n", 2}, // of parts: the last one is that of the end
        {"totals: 7\ntotals: 18446744073709551616\n", 7},
        {"totals: 18446744073709551616\n", 0},
        {"totals: 0\n", 0},
        {"totals: 12 13\n", 0}, // two events: not what was asked for
        {"totals: -3\n", 0},
        {"totals: \n", 0},
        {" totals: 3\n", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct err err = {0};
        uint64_t count = 0;
        const int code = callgrind_parse(rows[i].text, strlen(rows[i].text), &count, &err);
        assert_int_equal(code, rows[i].count ? 0 : -ERR_DATA);
        assert_int_equal(count, rows[i].count);
    }
}

static int count(const char *command, uint64_t *ret, struct err *err) {
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    const struct callgrind_request request = {.argv = argv,
                                              .function = "__libc_start_main*", // all but the loader
                                              .stdin_text = "x\n",
                                              .stdin_length = 2};
    return callgrind_run(&request, ret, err);
}

static void test_run(void **state) {
    (void)state;
    struct err err = {0};
    uint64_t once = 0, again = 0;
    char *program = path_find_program(CALLGRIND_PROGRAM);
    if (!program) skip();
    free(program);
    assert_int_equal(count("read line", &once, &err), 0);
    assert_int_equal(count("read line", &again, &err), 0);
    assert_true(once > 1000);
    assert_true(again > once ? again - once < once / 100 : once - again < once / 100);
    assert_int_equal(count("echo 'assay: error: no such kernel' >&2; exit 65", &once, &err),
                     -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "exited with code 65"));
    assert_non_null(strstr(err.text, ": no such kernel"));
    assert_int_equal(count("kill -ILL $$", &once, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "AVX-512"));
}

static void test_absent(void **state) {
    (void)state;
    struct err err = {0};
    uint64_t ret = 0;
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    assert_int_equal(count("true", &ret, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "install the package 'valgrind'"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
