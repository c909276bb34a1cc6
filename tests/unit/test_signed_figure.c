// SPDX-License-Identifier: Apache-2.0
//
// A figure that is printed as zero has no sign.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/signed_figure.h"

static void figures_have_their_sign(void **state) {
    (void)state;
    assert_string_equal(signed_figure(1.25, 2).text, "+1.25");
    assert_string_equal(signed_figure(-0.3, 1).text, "-0.3");
    assert_string_equal(signed_figure(-1e300, 1).text, "-1e+300");
    assert_string_equal(signed_figure(NAN, 1).text, "nan");
    assert_string_equal(signed_figure(-INFINITY, 1).text, "-inf");
}

static void zero_has_none(void **state) {
    (void)state;
    assert_string_equal(signed_figure(-0.04, 1).text, "0.0");
    assert_string_equal(signed_figure(0.04, 1).text, "0.0");
    assert_string_equal(signed_figure(-0.0, 0).text, "0");
    assert_string_equal(signed_figure(-0.5, 0).text, "0"); // to even
    assert_string_equal(signed_figure(-0.06, 1).text, "-0.1");
    assert_true(unsigned_zero(-0.04, 2) < 0);
    assert_false(signbit(unsigned_zero(-0.004, 2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_have_their_sign),
                                       cmocka_unit_test(zero_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
