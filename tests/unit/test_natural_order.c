// SPDX-License-Identifier: Apache-2.0
//
// Names in natural order: numbers in them by their value, everything else by its bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/natural_order.h"

// Each comes before all that follow it.
static const char *const ascending[] = {
    NULL,
    "",
    "attention/fp16/b1/s112",
    "attention/fp16/b1/s1024",
    "attention/fp16/b1/s10112",
    "attention/fp16/b1/s10112/causal",
    "attention/fp16/b1/s99999999999999999999998",
    "attention/fp16/b1/s99999999999999999999999",
    "attention/fp16/b2/s1",
    "attention/fp16/b10/s1",
    "attention/fp32/b1/s1",
    "gemm",
    "gemm/1",
    "gemm/x",
    "s1",
    "s01x", // 01 is 1, and more follows
    "s2",
    "\xc3\xa9",
};
enum { COUNT = sizeof ascending / sizeof *ascending };

static int sign_of(int order) {
    return (order > 0) - (order < 0);
}

static void numbers_compare_by_value(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < COUNT; ++k)
            if (sign_of(natural_compare(ascending[i], ascending[k])) != sign_of(i - k))
                fail_msg("'%s' and '%s' are in no natural order", ascending[i] ? ascending[i] : "NULL",
                         ascending[k] ? ascending[k] : "NULL");
}

static void equal_numbers_are_told_apart(void **state) {
    (void)state;
    assert_int_equal(natural_compare("s1", "s1"), 0);
    assert_true(natural_compare("s01", "s1") < 0);
    assert_true(natural_compare("s1", "s01") > 0);
    assert_true(natural_compare("s0", "s00") != 0);
    assert_int_equal(sign_of(natural_compare("s0", "s00")), -sign_of(natural_compare("s00", "s0")));
}

static int by_name(const void *left, const void *right) {
    return natural_compare(*(const char *const *)left, *(const char *const *)right);
}

static void a_list_is_sorted(void **state) {
    (void)state;
    const char *names[] = {"s10112", "s1024", "s10240", "s112", "s9"};
    static const char *const wanted[] = {"s9", "s112", "s1024", "s10112", "s10240"};
    qsort(names, 5, sizeof *names, by_name);
    for (int i = 0; i < 5; ++i) assert_string_equal(names[i], wanted[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_compare_by_value),
        cmocka_unit_test(equal_numbers_are_told_apart),
        cmocka_unit_test(a_list_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
