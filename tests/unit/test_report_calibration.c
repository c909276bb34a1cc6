// SPDX-License-Identifier: Apache-2.0
//
// The plot of a gate's power: curves that meet, and a threshold at the edge of the plot or beyond it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/calibration/calibration_report.h"

static const struct calibration_pooled problem = {.name = "p", .spread_pct = 1};

// Two curves that both go from none to all at 3 %, the second one half a step of the plot later.
static struct calibration_summary made_summary(double threshold_pct) {
    struct calibration_summary ret = {.threshold_pct = threshold_pct, .view_count = 2};
    for (size_t v = 0; v < 2; ++v) {
        ret.views[v].problem = &problem;
        for (size_t i = 0; i < CALIBRATION_CURVE_COUNT; ++i) ret.views[v].curve[i].regression = i >= 15 + v;
    }
    return ret;
}

static size_t count_of(const char *text, char wanted) {
    size_t count = 0;
    for (; *text; ++text) count += *text == wanted;
    return count;
}

// The rows of the plot alone, without the axis and the legend.
static void plot_with(double threshold_pct, void (*check)(const struct report_row *rows)) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena};
    const struct calibration_summary summary = made_summary(threshold_pct);
    calibration_chart_add(&summary, &blocks);
    assert_int_equal(blocks.count, 1);
    assert_int_equal(blocks.items[0].row_count, 11 + 3);
    check(blocks.items[0].rows);
    arena_fini(&arena);
}

static void expect_curves(const struct report_row *rows) {
    assert_string_equal(rows[0].cells[0], " 100 % |         :     o@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@");
    assert_string_equal(rows[5].cells[0], "       |         :     o#");
    assert_string_equal(rows[10].cells[0], "   0 % |@@@@@@@@@@@@@@@#");
}

static void expect_threshold(const struct report_row *rows) {
    assert_string_equal(rows[5].cells[0], "       |               o#                                 :");
}

static void expect_no_threshold(const struct report_row *rows) {
    for (size_t row = 0; row < 11; ++row) assert_int_equal(count_of(rows[row].cells[0], ':'), 0);
}

static void curves_that_meet_share_a_sign(void **state) {
    (void)state;
    plot_with(1.8, expect_curves);
}

static void a_threshold_off_the_plot_is_not_drawn(void **state) {
    (void)state;
    plot_with(10, expect_threshold);
    plot_with(10.15, expect_no_threshold); // rounds to the first column that the plot has not
    plot_with(50, expect_no_threshold);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_that_meet_share_a_sign),
        cmocka_unit_test(a_threshold_off_the_plot_is_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
