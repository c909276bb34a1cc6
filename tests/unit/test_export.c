// SPDX-License-Identifier: Apache-2.0
//
// What exports must not say: a time of a count, and what a reader would obey. Their form is held by
// test_report.c, against golden files.
#include <stdlib.h>

#include "report/export/export.h"
#include "unit/made_result.h"
#include "verdict/summary.h"

static size_t count_times(const struct result *result) {
    struct strbuf out = {0};
    const struct report_options options = report_options_default();
    size_t count = 0;
    assert_int_equal(export_junit_print(result, &options, &out), 0);
    for (const char *at = strbuf_text(&out); (at = strstr(at, " time=\"")); ++at) ++count;
    assert_non_null(strstr(strbuf_text(&out), result->environment.metric ? "<testsuite name=\"instructions: "
                                                                         : "<testsuite name=\"time: "));
    strbuf_fini(&out);
    return count;
}

// JUnit knows times only: a run that counted has none, with a decision or without.
static void junit_has_no_time_of_a_count(void **state) {
    (void)state;
    struct result result;
    struct decision_case item = {
        .name = "attention/fp32/b1/h1/s64/d64", .verdict = VERDICT_MAINTAINED, .median_cand_ns = 62662};
    struct decision decision = {.cases = &item, .case_count = 1};
    made_init(&result);
    made_round_add(&result, made_case_add(&result, NULL, item.name), 62587, 62662);
    assert_int_equal(summary_set_all(&result), 0);
    assert_int_equal(count_times(&result), 2); // of both sides
    result.decision = &decision;
    assert_int_equal(count_times(&result), 1);
    result.environment.metric = "instructions";
    assert_int_equal(count_times(&result), 0);
    result.decision = NULL;
    assert_int_equal(count_times(&result), 0);
    result_fini(&result);
}

// A terminal would obey the first, a spreadsheet the others.
static void csv_is_shown_and_not_obeyed(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"a\x1b[2Jb\r\n", "\"a\\x1b[2Jb\\r\\n\""},
                                           {"=1+1", "\"'=1+1\""},
                                           {"+cmd", "\"'+cmd\""},
                                           {"-A1\"", "\"'-A1\"\"\""},
                                           {"@SUM(A1)", "\"'@SUM(A1)\""},
                                           {"-1.5e3", "\"-1.5e3\""},
                                           {"fa @ git:HEAD=1", "\"fa @ git:HEAD=1\""},
                                           {NULL, "\"\""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        struct strbuf out = {0};
        export_csv_text(&out, pairs[i][0]);
        assert_string_equal(strbuf_text(&out), pairs[i][1]);
        strbuf_fini(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_has_no_time_of_a_count),
        cmocka_unit_test(csv_is_shown_and_not_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
