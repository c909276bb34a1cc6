// SPDX-License-Identifier: Apache-2.0
//
// What the tools of CI and the log say of a gate agrees with its exit code, whatever the code comes from:
// claims, acceptances, what is let through, kernels that were never measured.
#include <stdlib.h>

#include "report/export/alert_list.h"
#include "report/formats/report_formats.h"
#include "report/result/report.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"
#include "verdict/summary.h"

enum { PROBLEMS = 2 };

struct fixture {
    struct result result;
    struct decision decision;
};

// A gate of two problems, "first" and "second", with these verdicts.
static void made_gate(struct fixture *fixture, const enum verdict verdicts[PROBLEMS],
                      const struct gate_options *options, const struct acceptance *accepted) {
    static const char *const names[PROBLEMS] = {"first", "second"};
    struct result *result = &fixture->result;
    struct decision *decision = &fixture->decision;
    struct err err = {0};
    made_init(result);
    *decision = decision_empty("rounds", NULL);
    decision->cases = arena_array(&result->arena, PROBLEMS, sizeof *decision->cases);
    decision->case_count = PROBLEMS;
    for (size_t i = 0; i < PROBLEMS; ++i) {
        decision->cases[i] = decision_case_empty();
        decision->cases[i].name = decision->cases[i].short_name = names[i];
        decision->cases[i].verdict = verdicts[i];
    }
    decision_summarize(decision, &result->arena);
    const struct gate_events events = {.accepted = {accepted ? 1 : 0, accepted}};
    if (gate_rule_apply(options, &events, &result->arena, decision, &err) < 0) fail_msg("%s", err.text);
    result->decision = decision;
}

static char *print(const char *format, const struct result *result) {
    const struct report_options options = report_options_default();
    struct strbuf out = {0};
    assert_int_equal(report_format_find(format)->print(result, &options, &out), 0);
    return strbuf_take(&out);
}

static void expect_in(const char *text, const char *wanted) {
    if (!strstr(text, wanted)) fail_msg("'%s' is missing in:\n%s", wanted, text);
}

static const struct row {
    const char *claim, *accepted; // NULL: none
    bool allows_removed, warns;
    enum verdict verdicts[PROBLEMS];
    int exit_code;
    unsigned tests, failures, errors, skipped; // of JUnit
    const char *junit, *next;                  // in JUnit (NULL: nothing in particular), and in the log
} rows[] = {
    {.verdicts = {VERDICT_MAINTAINED, VERDICT_MAINTAINED}, .tests = 2, .next = "Nothing got worse."},
    {.verdicts = {VERDICT_REGRESSION, VERDICT_MAINTAINED},
     .exit_code = 1,
     .tests = 2,
     .failures = 1,
     .next = "Something got worse or is wrong"},
    {.claim = "improvement",
     .verdicts = {VERDICT_MAINTAINED, VERDICT_MAINTAINED},
     .exit_code = 1,
     .tests = 3,
     .failures = 1,
     .junit = "name=\"claimed improvement\">\n      <failure type=\"expected_improvement\" message=\"an ",
     .next = "The claimed improvement is not proved."},
    {.claim = "improvement:first,second",
     .verdicts = {VERDICT_IMPROVEMENT, VERDICT_MAINTAINED},
     .exit_code = 1,
     .tests = 3,
     .failures = 1,
     .junit = "expected improvement not proved on second",
     .next = "The claimed improvement is not proved."},
    {.claim = "improvement:first",
     .verdicts = {VERDICT_IMPROVEMENT, VERDICT_MAINTAINED},
     .tests = 3,
     .junit = "name=\"claimed improvement\"/>",
     .next = "Nothing got worse."},
    {.accepted = "known",
     .verdicts = {VERDICT_REGRESSION, VERDICT_MAINTAINED},
     .tests = 2,
     .next = "The candidate is slower, as the table says, and that was accepted."},
    {.allows_removed = true,
     .verdicts = {VERDICT_MAINTAINED, VERDICT_REMOVED},
     .tests = 2,
     .skipped = 1,
     .junit = "<skipped message=\"removed; removed problems are allowed\"/>",
     .next = "Nothing got worse."},
    {.verdicts = {VERDICT_MAINTAINED, VERDICT_REMOVED},
     .exit_code = 3,
     .tests = 2,
     .errors = 1,
     .junit = "<error type=\"removed\"",
     .next = "What only the baseline has was not compared"},
    {.warns = true,
     .verdicts = {VERDICT_MAINTAINED, VERDICT_UNDECIDABLE},
     .tests = 2,
     .skipped = 1,
     .junit = "<skipped message=\"undecidable; gate.undecided: warn\"/>",
     .next = "Nothing got worse."},
    {.verdicts = {VERDICT_MAINTAINED, VERDICT_UNDECIDABLE},
     .exit_code = 3,
     .tests = 2,
     .errors = 1,
     .junit = "<error type=\"undecidable\"",
     .next = "Nothing is decided"},
    {.allows_removed = true,
     .verdicts = {VERDICT_REMOVED, VERDICT_ADDED},
     .exit_code = 3,
     .tests = 3,
     .errors = 1,
     .skipped = 2,
     .junit = "name=\"all problems\">\n      <error type=\"invalid\" message=\"nothing could be compared",
     .next = "Nothing is decided"},
};

static void expect_row(const struct row *row, const struct result *result) {
    char counts[128];
    char *junit = print("junit", result), *log = print("log", result);
    snprintf(counts, sizeof counts, "tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", row->tests,
             row->failures, row->errors, row->skipped);
    expect_in(junit, counts);
    if (row->junit) expect_in(junit, row->junit);
    expect_in(log, row->next);
    free(junit);
    free(log);
}

static void reports_agree_with_the_exit_code(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct row *row = &rows[i];
        struct fixture fixture = {0};
        struct gate_options options = {.kind = GATE_GATE};
        const struct acceptance accepted = {NULL, row->accepted};
        struct arena claim = {0};
        struct err err = {0};
        if (row->claim) assert_int_equal(gate_spec_parse_expect(row->claim, &claim, &options.spec, &err), 0);
        options.spec.allows_removed = row->allows_removed;
        options.spec.warns_of_undecided = row->warns;
        made_gate(&fixture, row->verdicts, &options, row->accepted ? &accepted : NULL);
        assert_int_equal(fixture.decision.exit_code, row->exit_code);
        expect_row(row, &fixture.result);
        result_fini(&fixture.result);
        arena_fini(&claim);
    }
}

// A claim that is not proved is an alert, at the kernel's file; what is let through is no warning.
static void alerts_agree_with_the_exit_code(void **state) {
    (void)state;
    struct fixture fixture = {0};
    struct gate_options options = {.kind = GATE_GATE};
    const struct alert *alerts = NULL;
    options.spec.expects_improvement = options.spec.allows_removed = true;
    made_gate(&fixture, (enum verdict[]){VERDICT_MAINTAINED, VERDICT_REMOVED}, &options, NULL);
    fixture.decision.place = (struct source_place){"kernels/mine.c", 7};
    assert_int_equal(alert_list(&fixture.decision, &fixture.result.arena, &alerts), 2);
    assert_int_equal(alerts[0].severity, SEVERITY_ERROR);
    assert_string_equal(alerts[0].rule, "expected_improvement");
    assert_int_equal(alerts[1].severity, SEVERITY_NOTE);
    assert_string_equal(alerts[1].accepted, "removed problems are allowed");
    char *sarif = print("sarif", &fixture.result);
    expect_in(sarif, "\"id\": \"expected_improvement\"");
    expect_in(sarif, "\"ruleId\": \"expected_improvement\",\n          \"level\": \"error\"");
    expect_in(sarif, "\"startLine\": 7");
    free(sarif);
    result_fini(&fixture.result);
}

// No problem was measured: the kernel cannot be built.
static void a_gate_without_problems_fails_as_a_whole(void **state) {
    (void)state;
    struct fixture fixture = {0};
    made_init(&fixture.result);
    fixture.decision = decision_empty("rounds", NULL);
    fixture.decision.verdict = VERDICT_NOT_VALID;
    fixture.decision.exit_code = 1;
    fixture.decision.sentence = "the candidate cannot be built";
    fixture.result.decision = &fixture.decision;
    char *junit = print("junit", &fixture.result), *log = print("log", &fixture.result);
    expect_in(junit, "tests=\"1\" failures=\"1\"");
    expect_in(junit, "<failure type=\"invalid\" message=\"the candidate cannot be built\"/>");
    expect_in(log, "There was nothing to measure");
    free(junit);
    free(log);
    result_fini(&fixture.result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_agree_with_the_exit_code),
        cmocka_unit_test(alerts_agree_with_the_exit_code),
        cmocka_unit_test(a_gate_without_problems_fails_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
