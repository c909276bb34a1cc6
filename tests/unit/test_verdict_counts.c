// SPDX-License-Identifier: Apache-2.0
//
// Counts of instructions: every round has to say the same, and neither chance nor a number of rounds matters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "record/metric.h"
#include "verdict/rounds/rounds_rule.h"

static struct rounds_finding judge(double first, double second) {
    static const double base[] = {1e6, 1e6};
    const double cand[] = {first, second};
    const struct rounds_pairs pairs = {base, cand, NULL};
    struct rounds_options options = rounds_options_default();
    struct rounds_finding ret;
    options.spec.regression_pct = metric_regression_pct(METRIC_INSTRUCTIONS);
    options.is_counted = options.is_final = true;
    options.fixed_round_count = 2;
    assert_int_equal(rounds_find(&pairs, NULL, 2, &options, &ret), 0);
    return ret;
}

static void test_rule(void **state) {
    (void)state;
    static const struct {
        double first, second;
        enum verdict verdict;
        enum reason reason;
    } rows[] = {
        {1e6, 1e6, VERDICT_MAINTAINED, REASON_IN_BAND},
        {1000100, 999900, VERDICT_MAINTAINED, REASON_IN_BAND},
        {1002000, 1002000, VERDICT_MAINTAINED, REASON_SLOWER_IN_BAND},
        {998000, 998000, VERDICT_MAINTAINED, REASON_FASTER_IN_BAND},
        {1010000, 1010000, VERDICT_MAINTAINED, REASON_SLOWER_IN_BAND}, // exactly the threshold
        {1010001, 1010001, VERDICT_REGRESSION, REASON_SLOWER_PROVEN},
        {1020000, 1020000, VERDICT_REGRESSION, REASON_SLOWER_PROVEN},
        {1000000, 1020000, VERDICT_UNDECIDABLE, REASON_SLOWER_UNPROVEN},
        {890000, 890000, VERDICT_IMPROVEMENT, REASON_FASTER_PROVEN},
        {890000, 950000, VERDICT_MAINTAINED, REASON_FASTER_IN_BAND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct rounds_finding finding = judge(rows[i].first, rows[i].second);
        assert_int_equal(finding.verdict, rows[i].verdict);
        assert_int_equal(finding.reason, rows[i].reason);
        assert_true(fabs(finding.interval.lo - log(fmin(rows[i].first, rows[i].second) / 1e6)) < 1e-12);
        assert_true(fabs(finding.interval.hi - log(fmax(rows[i].first, rows[i].second) / 1e6)) < 1e-12);
    }
}

static void test_one_round(void **state) {
    (void)state;
    const double base = 1e6, cand = 2e6;
    const struct rounds_pairs pairs = {&base, &cand, NULL};
    struct rounds_options options = rounds_options_default();
    struct rounds_finding ret;
    options.is_counted = true;
    options.fixed_round_count = 2;
    assert_int_equal(rounds_find(&pairs, NULL, 1, &options, &ret), 0);
    assert_int_equal(ret.verdict, VERDICT_NONE);
}

static void test_names(void **state) {
    (void)state;
    struct strbuf values = {0};
    for (int i = 0; i < METRIC_COUNT; ++i) {
        assert_int_equal(metric_parse(metric_name((enum metric)i)), i);
        strbuf_addf(&values, "%s%s", i ? "|" : "", metric_names[i]);
    }
    assert_string_equal(strbuf_text(&values), METRIC_VALUES);
    strbuf_fini(&values);
    assert_int_equal(metric_parse("cycles"), METRIC_COUNT);
    assert_int_equal(metric_parse(NULL), METRIC_COUNT);
    assert_true(metric_regression_pct(METRIC_TIME) == 3 && metric_regression_pct(METRIC_CALL_TIME) == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule), cmocka_unit_test(test_one_round),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
