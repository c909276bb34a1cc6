// SPDX-License-Identifier: Apache-2.0
//
// Expressions over whole numbers: values as Python has them, what is undefined, and what is refused where.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/expression.h"

static bool look_up(const void *context, const char *name, size_t length, int64_t *ret) {
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {{"rows", 17}, {"hidden", 4096}, {"zero", 0}, {"least", INT64_MIN}, {"min_rows", 5}};
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0) {
            *ret = names[i].value;
            return true;
        }
    return false;
}

static const struct expression_scope scope = {
    .lookup = look_up, .unknown = "there is no axis of that name", .example = "hidden // 128"};

static void values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"17", 17},
        {"rows", 17},
        {"2 + 3 * rows", 53},
        {"(2 + 3) * rows", 85},
        {"rows - 4 - 3", 10},
        {"hidden // 128", 32},
        {"hidden/128", 32},
        {"hidden / 128 // 5", 6},
        {"-7 // 2", -4}, // as in Python
        {"7 // -2", -4},
        {"-7 % 2", 1},
        {"7 % -2", -1},
        {"-8 // 2", -4},
        {"--rows", 17},
        {"min(rows, 5)", 5},
        {"max(rows, 5, hidden, 2)", 4096},
        {"ceil_div(rows, 4)", 5},
        {"ceil_div(16, 4)", 4},
        {"ceil_div(-7, 2)", -3},
        {"2 * min_rows", 10}, // a name that begins as a function's does
        {"min ( rows , ceil_div(hidden, 1000) )", 5},
        {"rows == 17", 1},
        {"rows * 2 < 34", 0},
        {"rows * 2 <= 34", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct err err = {0};
        struct expression_value value;
        if (expression_evaluate(rows[i].text, &scope, &value, &err) < 0)
            fail_msg("%s: %s", rows[i].text, err.text);
        if (!value.is_defined || value.number != rows[i].value)
            fail_msg("%s is %lld", rows[i].text, (long long)value.number);
        assert_int_equal(value.is_comparison, strpbrk(rows[i].text, "=<") != NULL);
    }
}

static void undefined(void **state) {
    (void)state;
    static const char *const texts[] = {"rows // zero",
                                        "rows % zero",
                                        "ceil_div(rows, zero)",
                                        "least // -1",
                                        "least % -1",
                                        "-least",
                                        "least - 1",
                                        "9223372036854775807 + 1",
                                        "9223372036854775807 * 2",
                                        "rows // zero == rows"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct err err = {0};
        struct expression_value value;
        assert_int_equal(expression_evaluate(texts[i], &scope, &value, &err), 0);
        if (value.is_defined) fail_msg("%s is defined", texts[i]);
    }
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"", "column 1: a number or a name is missing"},
        {"heads * 2", "column 1: there is no axis of that name; write for example 'hidden // 128'"},
        {"min(rows)", "the function takes two or more numbers"},
        {"min rows", "column 5: a '(' is missing"},
        {"ceil_div(1, 2, 3)", "the function takes two numbers"},
        {"min(rows, 2", "column 12: a ')' is missing"},
        {"rows < 2 < 3", "column 10: it should end here"},
        {"rows ** 2", "column 7: a number or a name is missing"},
        {"99999999999999999999", "the number is too large"},
        {"1.5", "column 2: numbers are whole"},
        {"{rows}", "column 1: a name stands here without braces"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct err err = {0};
        struct expression_value value;
        assert_int_equal(expression_evaluate(rows[i].text, &scope, &value, &err), -ERR_CONFIG);
        if (!strstr(err.text, rows[i].said)) fail_msg("%s: %s", rows[i].text, err.text);
    }
    const struct expression_scope form = {.example = "x"};
    struct expression_value value;
    assert_int_equal(expression_evaluate("anything + min(other, 2)", &form, &value, NULL), 0);
    assert_int_equal(value.number, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(undefined),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
