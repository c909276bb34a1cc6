// SPDX-License-Identifier: Apache-2.0
//
// Which problems of a decision are explained: without being asked those beyond the limits, the largest
// changes first, at most three. The results are of another machine, so no profiler runs.
#include <stdlib.h>

#include "control/flow/profile/explain.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"

enum { PROBLEMS_MAX = 8 };

struct fixture {
    struct result result;
    struct decision decision;
    struct decision_case cases[PROBLEMS_MAX];
    struct session_options options;
    struct explain_request request;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    made_init(&fixture->result);
    fixture->result.environment.host = "elsewhere";
    fixture->decision.cases = fixture->cases;
    fixture->request = (struct explain_request){.options = &fixture->options,
                                                .results = {&fixture->result, &fixture->result},
                                                .sides = {0, 1},
                                                .decision = &fixture->decision,
                                                .folder = "."};
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    result_fini(&fixture->result);
    free(fixture);
    return 0;
}

static void add(struct fixture *fixture, const char *name, double change_pct, enum verdict verdict) {
    struct decision_case *item = &fixture->cases[fixture->decision.case_count++];
    *item = decision_case_empty();
    item->name = item->short_name = name;
    item->change_pct = change_pct;
    item->verdict = verdict;
}

// names: of the problems explained, in their order; NULL: there is no explanation.
static void expect_explained(struct fixture *fixture, const char *names) {
    const struct explanation *explanation = explain(&fixture->request, &fixture->result.arena);
    struct strbuf found = {0};
    if (!names) {
        assert_null(explanation);
        return;
    }
    assert_non_null(explanation);
    for (size_t i = 0; i < explanation->case_count; ++i) {
        strbuf_addf(&found, "%s%s", i ? " " : "", explanation->cases[i].short_name);
        assert_non_null(strstr(explanation->cases[i].note, "no counters: "));
    }
    assert_string_equal(strbuf_text(&found), names);
    strbuf_fini(&found);
}

static void a_change_within_the_limits_is_not_explained(void **state) {
    struct fixture *fixture = *state;
    add(fixture, "slower", EXPLAIN_SLOWER_PCT - 0.1, VERDICT_MAINTAINED);
    add(fixture, "faster", -EXPLAIN_FASTER_PCT + 0.1, VERDICT_MAINTAINED);
    expect_explained(fixture, NULL);
    fixture->request.is_asked_for = true;
    expect_explained(fixture, "faster slower");
}

static void a_change_beyond_each_limit_is_explained(void **state) {
    struct fixture *fixture = *state;
    add(fixture, "slower", EXPLAIN_SLOWER_PCT + 0.1, VERDICT_REGRESSION);
    add(fixture, "same", 0, VERDICT_MAINTAINED);
    add(fixture, "faster", -EXPLAIN_FASTER_PCT - 0.1, VERDICT_IMPROVEMENT);
    expect_explained(fixture, "faster slower");
}

static void the_three_largest_changes_are_explained_unasked(void **state) {
    struct fixture *fixture = *state;
    add(fixture, "a", 4, VERDICT_REGRESSION);
    add(fixture, "b", 40, VERDICT_REGRESSION);
    add(fixture, "c", 5, VERDICT_REGRESSION);
    add(fixture, "d", -20, VERDICT_IMPROVEMENT);
    add(fixture, "wrong", 90, VERDICT_WRONG);
    add(fixture, "busy", 50, VERDICT_NOT_VALID);
    expect_explained(fixture, "b d c");
    fixture->request.is_asked_for = true;
    expect_explained(fixture, "busy b d c a");
}

static void a_simulated_device_is_explained_when_asked_only(void **state) {
    struct fixture *fixture = *state;
    fixture->result.environment.device = "sim:steady";
    add(fixture, "a", 40, VERDICT_REGRESSION);
    expect_explained(fixture, NULL);
    fixture->request.is_asked_for = true;
    expect_explained(fixture, "a");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_change_within_the_limits_is_not_explained, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_beyond_each_limit_is_explained, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_three_largest_changes_are_explained_unasked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_simulated_device_is_explained_when_asked_only, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
