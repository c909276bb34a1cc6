// SPDX-License-Identifier: Apache-2.0
//
// What follows from an audit: counts, what is to be acted on, and the exit code.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/audit/audit_report.h"
#include "verdict/audit_summary.h"

static struct audit audit_of(const char *const *names, size_t count) {
    struct audit audit = {.case_count = count, .suite = "made"};
    struct err err;
    audit.cases = arena_array(&audit.arena, count, sizeof *audit.cases);
    for (size_t i = 0; i < count; ++i) {
        audit.cases[i].distribution = "normal";
        audit.cases[i].memory_layout = MEMORY_LAYOUT_DENSE;
        if (problem_parse(&operators_compiled, names[i], &audit.cases[i].problem, &err) < 0)
            fail_msg("%s", err.text);
    }
    return audit;
}

static void add(struct audit *audit, uint32_t index, const char *mutant, enum audit_verdict verdict) {
    const struct audit_result result = {
        .mutant = mutant, .summary = "s", .output = "out", .verdict = verdict, .element_count = 4};
    audit_add(audit, index, &result);
}

static const char *const two[] = {"scale/fp32/n4", "scale/fp16/n4"};

static void test_counts(void **state) {
    (void)state;
    struct audit audit = audit_of(two, 2);
    add(&audit, 0, "zeros", AUDIT_DETECTED);
    add(&audit, 0, "stale", AUDIT_DETECTED);
    add(&audit, 0, "row_mean", AUDIT_SAME);
    assert_int_equal(audit_exit_code(&audit), 0);
    add(&audit, 1, "zeros", AUDIT_PASSED);
    add(&audit, 1, "stale", AUDIT_DETECTED);
    const struct audit_counts all = audit_count_all(&audit), second = audit_count_case(&audit, 1);
    assert_int_equal(all.tried, 4);
    assert_int_equal(all.detected, 3);
    assert_int_equal(all.same, 1);
    assert_int_equal(second.tried, 2);
    assert_int_equal(second.passed, 1);
    assert_int_equal(audit_exit_code(&audit), 1); // detected elsewhere, but this tolerance is too wide
    size_t count;
    const struct audit_row *rows = audit_rows(&audit, &count);
    assert_int_equal(count, 3);
    assert_string_equal(rows[0].mutant, "zeros");
    assert_int_equal(rows[0].counts.tried, 2);
    assert_int_equal(rows[2].counts.tried, 0);
    audit_fini(&audit);
}

// Hidden where no tolerance helps: a problem only while no other case of that type detects it.
static void test_hidden(void **state) {
    (void)state;
    static const char *const names[] = {"scale/fp32/n4", "scale/fp16/n4", "scale/fp32/n5"};
    struct audit audit = audit_of(names, 3);
    add(&audit, 0, "stale", AUDIT_HIDDEN);
    assert_int_equal(audit_problem_count(&audit), 1);
    add(&audit, 1, "stale", AUDIT_DETECTED); // of another type, with other tolerances
    assert_int_equal(audit_problem_count(&audit), 1);
    assert_int_equal(audit_exit_code(&audit), 1);
    add(&audit, 2, "stale", AUDIT_DETECTED);
    assert_int_equal(audit_problem_count(&audit), 0);
    assert_int_equal(audit_exit_code(&audit), 0);
    audit_fini(&audit);
}

static void test_refused(void **state) {
    (void)state;
    struct audit audit = audit_of(two, 2);
    add(&audit, 0, "zeros", AUDIT_DETECTED);
    add(&audit, 0, AUDIT_RIGHT, AUDIT_REFUSED);
    assert_int_equal(audit_exit_code(&audit), 1);
    assert_int_equal(audit_count_all(&audit).tried, 1);
    struct strbuf text = {0};
    audit_report_text(&audit, &(struct audit_view){0}, &text);
    assert_non_null(strstr(text.text, "widen the tolerance"));
    assert_non_null(strstr(text.text, "1 right result refused"));
    strbuf_fini(&text);
    audit_fini(&audit);
}

static void add_ignored(struct audit *audit, uint32_t index, const char *output, enum audit_verdict verdict) {
    const struct audit_result result = {
        .mutant = "x_ignored", .summary = "s", .output = output, .ignored_input = "x", .verdict = verdict};
    audit_add(audit, index, &result);
}

// An input must matter to one output of one case, and is a single problem otherwise, also where nothing in
// its place makes the result wrong.
static void test_ignored_inputs(void **state) {
    (void)state;
    struct audit audit = audit_of(two, 2);
    struct strbuf text = {0};
    add_ignored(&audit, 0, "out", AUDIT_SAME);
    add_ignored(&audit, 0, "other", AUDIT_HIDDEN);
    add_ignored(&audit, 1, "out", AUDIT_SAME);
    assert_int_equal(audit_problem_count(&audit), 1);
    assert_int_equal(audit_exit_code(&audit), 1);
    assert_int_equal(audit_unnoticed_cases(&audit, &audit.entries[0]), 2);
    assert_int_equal(audit_unnoticed_cases(&audit, &audit.entries[2]), 0);
    audit_report_text(&audit, &(struct audit_view){0}, &text);
    assert_non_null(
        strstr(text.text, "'x' never matters: a kernel that ignores it passes on all 2 problems"));
    assert_non_null(strstr(text.text, ", 1 input that never matters;"));
    add_ignored(&audit, 1, "other", AUDIT_DETECTED);
    assert_int_equal(audit_problem_count(&audit), 0);
    strbuf_fini(&text);
    audit_fini(&audit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_hidden),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_ignored_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
