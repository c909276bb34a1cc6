// SPDX-License-Identifier: Apache-2.0
//
// From choices a problem to ranges of problems.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/tune/tune_dispatch.h"

static void names_are_split(void **state) {
    (void)state;
    const struct tune_shape shape = tune_shape_parse("attention/fp16/b32/h8/s512/d64/causal");
    assert_string_equal(shape.kind, "attention/fp16/b*/h*/s*/d*/causal");
    assert_int_equal(shape.axis_count, 4);
    assert_true(shape.axes[0] == 32 && shape.axes[1] == 8 && shape.axes[2] == 512 && shape.axes[3] == 64);
    char longest[2 * PROBLEM_NAME_BYTES];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_true(strlen(tune_shape_parse(longest).kind) < PROBLEM_NAME_BYTES);
    assert_int_equal(tune_shape_parse("").axis_count, 0);
}

static void neighbours_become_ranges(void **state) {
    (void)state;
    const struct tune_choice choices[] = {{"op/fp32/b1/s128", 0, false}, {"op/fp32/b1/s256", 0, false},
                                          {"op/fp32/b1/s512", 1, false}, {"op/fp32/b1/s1024", 0, false},
                                          {"op/fp16/b1/s128", 0, false}, {"op/fp32/b4/s512", 1, false}};
    struct tune_range ranges[6];
    assert_int_equal(tune_dispatch_make(choices, 6, ranges), 4);
    assert_int_equal(ranges[0].problem_count, 2); // s128 to s256: 512 lies before s1024
    assert_true(ranges[0].low.axes[1] == 128 && ranges[0].high[1] == 256 && ranges[0].variant == 0);
    assert_true(ranges[1].problem_count == 2 && ranges[1].high[0] == 4 && ranges[1].variant == 1);
    assert_true(ranges[2].low.axes[1] == 1024 && ranges[2].problem_count == 1);
    assert_string_equal(ranges[3].low.kind, "op/fp16/b*/s*"); // another kind
    assert_int_equal(tune_dispatch_make(choices, 0, ranges), 0);
}

// Who asks a table knows no input distribution: the first one of a shape decides, and keeps no others apart.
static void distributions_share_a_shape(void **state) {
    (void)state;
    const struct tune_shape shape = tune_shape_parse("op/fp32/b1/s128 mixed");
    assert_string_equal(shape.kind, "op/fp32/b*/s*");
    assert_true(shape.axis_count == 2 && shape.axes[1] == 128);
    const struct tune_choice choices[] = {{"op/fp32/b1/s128", 0, false},
                                          {"op/fp32/b1/s128 mixed", 1, false},
                                          {"op/fp32/b1/s256 mixed", 0, false},
                                          {"op/fp32/b1/s256", 1, false}};
    struct tune_range ranges[4];
    assert_int_equal(tune_dispatch_make(choices, 4, ranges), 1);
    assert_true(ranges[0].variant == 0 && ranges[0].problem_count == 2);
    assert_true(ranges[0].low.axes[1] == 128 && ranges[0].high[1] == 256);
}

// A variant that does not take every problem stands for what was measured, and for nothing between.
static void who_takes_some_problems_gets_no_range(void **state) {
    (void)state;
    const struct tune_choice choices[] = {{"op/fp32/b1/s128", 0, true},
                                          {"op/fp32/b1/s256", 0, true},
                                          {"op/fp32/b1/s512", 1, false},
                                          {"op/fp32/b1/s1024", 1, false}};
    struct tune_range ranges[4];
    assert_int_equal(tune_dispatch_make(choices, 4, ranges), 3);
    assert_true(ranges[0].is_exact && ranges[1].is_exact && !ranges[2].is_exact);
    assert_true(ranges[0].high[1] == 128 && ranges[1].low.axes[1] == 256 && ranges[2].high[1] == 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_split),
                                       cmocka_unit_test(neighbours_become_ranges),
                                       cmocka_unit_test(distributions_share_a_shape),
                                       cmocka_unit_test(who_takes_some_problems_gets_no_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
