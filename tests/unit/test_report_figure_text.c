// SPDX-License-Identifier: Apache-2.0
//
// Figures are written as people read them, with the sign as a word.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/result/figure_text.h"
#include "verdict/decision_make.h"

static struct arena arena;

static const char *change(double pct, double low, double high) {
    struct decision_case item = decision_case_empty();
    item.change_pct = pct;
    item.change_low_pct = low;
    item.change_high_pct = high;
    return figure_change(&item, &arena);
}

static void changes_have_a_direction(void **state) {
    (void)state;
    assert_string_equal(change(4.23, 3.87, 4.61), "4.2 % slower (3.9 to 4.6)");
    assert_string_equal(change(-12.5, -13.02, -11.91), "12.5 % faster (11.9 to 13.0)");
    assert_string_equal(change(-0.3, -1.1, 0.5), "0.3 % faster (-0.5 to 1.1)");
    assert_string_equal(change(0.02, -0.4, 0.4), "0.0 % (0.4 faster to 0.4 slower)");
    assert_string_equal(change(-0.04, -0.5, 0.1), "0.0 % (0.5 faster to 0.1 slower)");
    assert_string_equal(change(0.04, -0.5, 0.1), "0.0 % (0.5 faster to 0.1 slower)");
    assert_string_equal(change(0.04, 0.01, 0.1), "0.0 % (0.0 to 0.1 slower)");
    assert_string_equal(change(0, -0.01, 0.01), "0.0 % (0.0 to 0.0)");
    assert_string_equal(change(250, 240, 260), "250 % slower (240 to 260)");
    assert_string_equal(change(5, NAN, NAN), "5.0 % slower");
    assert_string_equal(change(NAN, NAN, NAN), "");
}

static void times_have_units(void **state) {
    (void)state;
    assert_string_equal(figure_time(48100, &arena), "48.1 us");
    assert_string_equal(figure_time(1.0424e6, &arena), "1.042 ms");
    assert_string_equal(figure_time(5.678e6, &arena), "5.68 ms");
    assert_string_equal(figure_time(123456, &arena), "123.5 us");
    assert_string_equal(figure_time(999960, &arena), "1.000 ms");
    assert_string_equal(figure_time(2.5e9, &arena), "2.50 s");
    assert_string_equal(figure_time(12, &arena), "12.0 ns");
    assert_string_equal(figure_time(NAN, &arena), "");
    assert_string_equal(figure_time_beside(1.0032e6, 998100, &arena), "1003.2 us"); // not "1.003 ms"
    assert_string_equal(figure_time_beside(998100, 998100, &arena), "998.1 us");
    assert_string_equal(figure_time_beside(12.3e6, 48100, &arena), "12.3 ms"); // five digits are too many
    assert_string_equal(figure_time_beside(2000, NAN, &arena), "2.00 us");
    assert_string_equal(figure_time_beside(NAN, 2000, &arena), "");
    assert_string_equal(figure_time_interval(48000, 48300, 48100, &arena), "48.0 to 48.3");
    assert_string_equal(figure_time_interval(997000, 1002000, 999300, &arena), "997.0 to 1002.0");
    assert_string_equal(figure_time_interval(998000, 1003000, 1001000, &arena), "0.998 to 1.003");
    assert_string_equal(figure_amount_interval(NULL, 997000, 1002000, 999300, &arena), "997.0 to 1002.0");
    assert_string_equal(figure_time_interval(NAN, 1, 1, &arena), "");
}

static void columns_of_times_align(void **state) {
    (void)state;
    assert_string_equal(figure_time_like(48123, 48123, 10, &arena), "48.12 us");
    assert_string_equal(figure_time_like(900, 48123, 10, &arena), "0.90 us");
    assert_string_equal(figure_time_like(5e7, 1e6, 1000, &arena), "50.000 ms");
    assert_string_equal(figure_time_like(48123, 48123, 0, &arena), "48.123 us");
    assert_string_equal(figure_time_like(48123, 48123, 1e-9, &arena), "48.123000 us");
    assert_string_equal(figure_time_like(470000, 470000, 10000, &arena), "470 us");
    assert_string_equal(figure_time_like(NAN, 1, 1, &arena), "");
}

static void counts_have_their_unit(void **state) {
    (void)state;
    assert_string_equal(figure_amount("instructions", 62662, &arena), "62.662 k instr");
    assert_string_equal(figure_amount_like("instructions", 62662, 62700, 10, &arena), "62.66 k");
    assert_string_equal(figure_amount_like("instructions", 0, 62700, 10, &arena), "0.00 k");
    assert_string_equal(figure_amount_like("dram_bytes", 5e8, 1.2e9, 1e8, &arena), "0.5 G");
    assert_string_equal(figure_amount_like("instructions", 100.02, 101, 0.02, &arena), "100.02");
    assert_string_equal(figure_amount_like("instructions", NAN, 1, 1, &arena), "");
    assert_string_equal(figure_amount_like("call_time", 48123, 48123, 10, &arena), "48.12 us");
    assert_string_equal(figure_amount_like(NULL, 48123, 48123, 10, &arena), "48.12 us");
}

static void names_are_cleaned(void **state) {
    (void)state;
    assert_string_equal(figure_plain("simd @ git:HEAD", false, &arena), "simd @ git:HEAD");
    assert_string_equal(figure_plain("a\033[2Jb\nc\x7f", true, &arena), "a\\x1b[2Jb\\nc\\x7f");
    assert_string_equal(figure_plain("\xc2\x9b"
                                     "31m \xc3\xa9",
                                     true, &arena),
                        "\\u009b31m \xc3\xa9");
    assert_string_equal(figure_plain("\xc2\x9b"
                                     "31m \xc3\xa9",
                                     false, &arena),
                        "\\u009b31m ?");
    assert_string_equal(figure_plain("\xc2", true, &arena), "\xef\xbf\xbd");
    assert_string_equal(figure_plain(NULL, true, &arena), "");
}

static void rates_have_three_digits(void **state) {
    (void)state;
    assert_string_equal(figure_flop_rate(357000, &arena), "357 TFLOP/s");
    assert_string_equal(figure_flop_rate(85.31, &arena), "85.3 GFLOP/s");
    assert_string_equal(figure_flop_rate(0.05, &arena), "50.0 MFLOP/s");
    assert_string_equal(figure_byte_rate(1400, &arena), "1.40 TB/s");
    assert_string_equal(figure_byte_rate(NAN, &arena), "");
}

static void the_rest(void **state) {
    (void)state;
    assert_string_equal(figure_ratio(1.7241, &arena), "1.72x");
    assert_string_equal(figure_ratio(0.9597, &arena), "0.960x");
    assert_string_equal(figure_ratio(12.34, &arena), "12.3x");
    assert_string_equal(figure_ratio(NAN, &arena), "");
    assert_string_equal(figure_p(1e-9, &arena), "<0.0001");
    assert_string_equal(figure_p(0.0312, &arena), "0.031");
    assert_string_equal(figure_p(0.61, &arena), "0.61");
    assert_string_equal(figure_pct(1.23, &arena), "1.2 %");
    assert_string_equal(figure_signed_pct(1.23, &arena), "+1.2 %");
    assert_string_equal(figure_signed_pct(-0.06, &arena), "-0.1 %");
    assert_string_equal(figure_signed_pct(-0.04, &arena), "0.0 %");
    assert_string_equal(figure_signed_pct(NAN, &arena), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_have_a_direction),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(columns_of_times_align),
        cmocka_unit_test(counts_have_their_unit),
        cmocka_unit_test(names_are_cleaned),
        cmocka_unit_test(rates_have_three_digits),
        cmocka_unit_test(the_rest),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
