// SPDX-License-Identifier: Apache-2.0
//
// JUnit XML: the correctness matrix is one suite of tests, the measured problems another. A regression or a
// wrong result is a failure, what could not be decided an error, what a side does not support skipped.
// Whatever fails a gate fails a test of it: the whole is a test of its own where no other says so.
#include <math.h>

#include "base/html_text.h"
#include "record/metric.h"
#include "report/export/export.h"
#include "report/result/figure_text.h"

enum test_outcome { TEST_PASSED = 0, TEST_FAILURE, TEST_ERROR, TEST_SKIPPED, TEST_OUTCOME_COUNT };
static const char *const elements[TEST_OUTCOME_COUNT] = {NULL, "failure", "error", "skipped"};

struct test {
    const char *name, *class_name;
    const char *type;    // "regression"
    const char *message; // why; may be NULL
    enum test_outcome outcome;
    double seconds; // of a launch; NAN: not known, or counted and not timed
};

struct tests {
    const char *name;
    size_t count, counts[TEST_OUTCOME_COUNT];
    struct strbuf text;
};

static void add_test(struct tests *tests, const struct test *test) {
    struct strbuf *out = &tests->text;
    ++tests->count;
    ++tests->counts[test->outcome];
    html_add_between(out, "    <testcase classname=\"", str_or(test->class_name, "kernel"), "\"");
    html_add_between(out, " name=\"", test->name, "\"");
    if (isfinite(test->seconds)) strbuf_addf(out, " time=\"%.9f\"", test->seconds);
    if (test->outcome == TEST_PASSED) {
        strbuf_add(out, "/>\n");
        return;
    }
    strbuf_addf(out, ">\n      <%s", elements[test->outcome]);
    html_add_between(out, " type=\"", test->outcome == TEST_SKIPPED ? NULL : test->type, "\"");
    html_add_between(out, " message=\"", str_or(test->message, test->type), "\"");
    strbuf_add(out, "/>\n    </testcase>\n");
}

static void add_suite(struct tests *tests, struct strbuf *out) {
    if (tests->count) {
        html_add_between(out, "  <testsuite name=\"", tests->name, "\"");
        strbuf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", tests->count,
                    tests->counts[TEST_FAILURE], tests->counts[TEST_ERROR], tests->counts[TEST_SKIPPED]);
        strbuf_add_bytes(out, strbuf_text(&tests->text), tests->text.length);
        strbuf_add(out, "  </testsuite>\n");
    }
    strbuf_fini(&tests->text);
}

static enum test_outcome outcome_of_check(enum outcome outcome) {
    if (outcome == OUTCOME_OK) return TEST_PASSED;
    if (outcome_is_wrong(outcome)) return TEST_FAILURE;
    return outcome == OUTCOME_UNSUPPORTED || outcome == OUTCOME_NONE ? TEST_SKIPPED : TEST_ERROR;
}

static enum test_outcome outcome_of_verdict(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_REGRESSION:
    case VERDICT_WRONG: return TEST_FAILURE;
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return TEST_ERROR;
    case VERDICT_NONE: // a gate that the calibration stopped
    case VERDICT_ADDED: return TEST_SKIPPED;
    default: return TEST_PASSED;
    }
}

static bool is_counted(const struct result *result) {
    return metric_is_counted(metric_parse(result->environment.metric));
}

static double seconds_of(const struct result *result, double median_ns) {
    return is_counted(result) ? NAN : median_ns * 1e-9;
}

// A case of the matrix, or a measured one of a run without a decision.
static void add_checked(struct tests *tests, const struct result *result, const struct result_case *item,
                        size_t side, struct arena *arena) {
    const enum outcome outcome = result_case_outcome(item, (uint32_t)side);
    const struct check_result *check = &item->checks[side];
    char key[PROBLEM_KEY_BYTES];
    if (outcome == OUTCOME_NONE && !item->summaries[side].is_set) return; // not asked of this side
    add_test(tests, &(struct test){.name = result_case_key(item, key),
                                   .class_name = result_side_name(result, side, arena),
                                   .type = outcome_name(outcome),
                                   .message = *check->message ? check->message : NULL,
                                   .outcome = item->summaries[side].is_set && outcome == OUTCOME_NONE
                                                  ? TEST_PASSED
                                                  : outcome_of_check(outcome),
                                   .seconds = item->summaries[side].is_set
                                                  ? seconds_of(result, item->summaries[side].median_ns)
                                                  : NAN});
}

// A problem that would fail the gate, and is meant or tolerated.
static void add_let_through(struct tests *tests, const struct decision_case *item, const char *class_name,
                            struct arena *arena) {
    const char *why = str_or(item->sentence, verdict_text(item->verdict));
    add_test(tests, &(struct test){.name = item->name,
                                   .class_name = class_name,
                                   .message = arena_format(arena, "%s; %s", why, item->let_through),
                                   .outcome = TEST_SKIPPED,
                                   .seconds = NAN});
}

static void add_claim(struct tests *tests, const struct decision *decision, const char *class_name) {
    if (!decision->claim) return;
    add_test(tests, &(struct test){.name = "claimed improvement",
                                   .class_name = class_name,
                                   .type = reason_name(REASON_EXPECTED_IMPROVEMENT),
                                   .message = decision->unmet,
                                   .outcome = decision->unmet ? TEST_FAILURE : TEST_PASSED,
                                   .seconds = NAN});
}

// What fails a gate and is no problem's: a kernel that does not build, a suite without a problem in common.
static void add_whole(const struct tests *checks, struct tests *timed, const struct decision *decision) {
    const size_t failures = checks->counts[TEST_FAILURE] + timed->counts[TEST_FAILURE];
    const size_t errors = checks->counts[TEST_ERROR] + timed->counts[TEST_ERROR];
    const bool is_failure = decision->exit_code == 1 && !failures;
    const bool is_error = decision->exit_code == 3 && !failures && !errors;
    if (!is_failure && !is_error) return;
    add_test(timed, &(struct test){.name = "all problems",
                                   .type = verdict_name(decision->verdict),
                                   .message = decision->sentence,
                                   .outcome = is_failure ? TEST_FAILURE : TEST_ERROR,
                                   .seconds = NAN});
}

static void add_decided(struct tests *tests, const struct result *result, struct arena *arena) {
    const struct decision *decision = result->decision;
    const char *candidate = "candidate";
    for (size_t side = 0; side < result->side_count; ++side)
        if (result->sides[side].role == SIDE_CANDIDATE) candidate = result_side_name(result, side, arena);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (item->let_through) {
            add_let_through(tests, item, candidate, arena);
            continue;
        }
        add_test(tests,
                 &(struct test){.name = item->name,
                                .class_name = candidate,
                                .type = verdict_name(item->verdict),
                                .message = str_or(item->sentence, figure_change(item, arena)),
                                .outcome = item->accepted ? TEST_PASSED : outcome_of_verdict(item->verdict),
                                .seconds = seconds_of(result, item->median_cand_ns)});
    }
    for (size_t i = 0; i < decision->ratchet_count; ++i) {
        const struct decision_ratchet *ratchet = &decision->ratchets[i];
        add_test(tests, &(struct test){.name = ratchet->figure,
                                       .class_name = candidate,
                                       .type = "compiler_regression",
                                       .message = ratchet->sentence,
                                       .outcome = ratchet->outcome == RATCHET_WORSE     ? TEST_FAILURE
                                                  : ratchet->outcome == RATCHET_UNKNOWN ? TEST_SKIPPED
                                                                                        : TEST_PASSED,
                                       .seconds = NAN});
    }
    add_claim(tests, decision, candidate);
}

int export_junit_print(const struct result *result, const struct report_options *options,
                       struct strbuf *out) {
    struct arena arena = {0};
    struct tests checks = {.name = arena_format(&arena, "right: %s", str_or(result->check_suite, "checks"))};
    struct tests timed = {.name = arena_format(&arena, "%s: %s",
                                               is_counted(result) ? result->environment.metric : "time",
                                               str_or(result->suite, "problems"))};
    (void)options;
    for (size_t i = 0; i < result->check_count; ++i)
        for (size_t side = 0; side < result->side_count; ++side)
            add_checked(&checks, result, &result->checks[i], side, &arena);
    if (result->decision) {
        add_decided(&timed, result, &arena);
        add_whole(&checks, &timed, result->decision);
    }
    for (size_t i = 0; i < result->case_count && !result->decision; ++i)
        for (size_t side = 0; side < result->side_count; ++side)
            add_checked(&timed, result, &result->cases[i], side, &arena);
    strbuf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\">\n");
    add_suite(&checks, out);
    add_suite(&timed, out);
    strbuf_add(out, "</testsuites>\n");
    arena_fini(&arena);
    return 0;
}
