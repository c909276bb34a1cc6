// SPDX-License-Identifier: Apache-2.0
//
// Signals from outside: whoever gets one is tried once more, and nobody is blamed for the first. Workers are
// fakes (exec_fake.h).
#include "exec_fake.h"

static const struct check_result *check_of(const struct fixture *fixture, uint32_t index, uint32_t side) {
    return &fixture->result.checks[index].checks[side];
}

// A check is done once more, alone in a fresh worker, and its answer stands.
static void expect_check_again(struct fixture *fixture, const char *scenario) {
    fixture_scenario(fixture, scenario);
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    for (uint32_t c = 0; c < 3; ++c) assert_int_equal(check_of(fixture, c, 1)->outcome, OUTCOME_OK);
    assert_int_equal(fixture_count(fixture, "check 0 0 1"), 2);
    assert_int_equal(fixture_count(fixture, "check 0 0 2"), 1);
    assert_int_equal(fixture->result.warning_count, 0);
}

static void test_kill_of_a_check(void **state) {
    expect_check_again(*state, "killonce:1:new");
}

static void test_term_of_a_check(void **state) {
    expect_check_again(*state, "termonce:1:new");
}

static void test_kill_of_a_host_in_a_check(void **state) {
    expect_check_again(*state, "hostkillonce:1:new");
}

// One that comes twice is the kernel's.
static void test_kill_of_a_check_twice(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "hostkill:1:new");
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    assert_int_equal(check_of(fixture, 1, 1)->outcome, OUTCOME_CRASHED);
    assert_string_equal(check_of(fixture, 1, 1)->message, "killed by signal 9 (Killed)");
    assert_int_equal(check_of(fixture, 2, 1)->outcome, OUTCOME_OK);
    assert_int_equal(fixture_count(fixture, "check 0 0 1"), 2);
}

// Of a worker whose kernels run in processes of their own it is nobody's.
static void test_kill_of_a_judge_twice(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sampling.isolation = ISOLATION_PROCESS;
    fixture_scenario(fixture, "kill:1:new");
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    assert_int_equal(check_of(fixture, 1, 1)->outcome, OUTCOME_NOT_VALID);
    assert_int_equal(check_of(fixture, 2, 1)->outcome, OUTCOME_OK);
}

static void expect_killed_round(struct fixture *fixture, const char *scenario, const char *text) {
    fixture_scenario(fixture, scenario);
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    for (uint32_t side = 0; side < 2; ++side) assert_int_equal(result_case_outcome(item, side), OUTCOME_OK);
    assert_int_equal(item->round_count, 2);
    assert_false(item->rounds[0].is_valid);
    assert_int_equal(item->rounds[0].invalid_cause, INVALID_CAUSE_KILLED_FROM_OUTSIDE);
    if (!strstr(item->rounds[0].invalid_reason, text)) fail_msg("%s", item->rounds[0].invalid_reason);
    assert_true(item->rounds[1].is_valid);
    assert_int_equal(item->rounds[1].attempt, 1);
    assert_int_equal(fixture->result.cases[2].round_count, 1);
}

static void test_kill_in_a_round(void **state) {
    expect_killed_round(*state, "killonce:1:old", "the worker was ended from outside: killed by signal 9");
}

static void test_kill_while_timed(void **state) {
    expect_killed_round(*state, "latekillonce:1:old",
                        "the worker was ended from outside: killed by signal 9");
}

static void test_kill_of_a_host_in_a_round(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sampling.isolation = ISOLATION_PROCESS;
    expect_killed_round(fixture, "hostkillonce:1:old",
                        "the process of side 'old' was ended from outside, and not again alone: killed by");
    assert_int_equal(fixture_count(fixture, "round 0 0 1"), 2); // once alone
    assert_int_equal(fixture_count(fixture, "round 0 1 1"), 1);
}

static void expect_killer(struct fixture *fixture, const char *scenario) {
    fixture_scenario(fixture, scenario);
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(result_case_outcome(item, 0), OUTCOME_OK);
    assert_int_equal(result_case_outcome(item, 1), OUTCOME_CRASHED);
    if (!strstr(item->checks[1].message,
                "twice, the second time alone in a fresh process: killed by signal 9"))
        fail_msg("%s", item->checks[1].message);
    assert_int_equal(fixture->result.cases[2].round_count, 2);
}

static void test_killer_while_timed(void **state) {
    expect_killer(*state, "latekill:1:new");
}

static void test_killer_of_its_host(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sampling.isolation = ISOLATION_PROCESS;
    expect_killer(fixture, "hostkill:1:new");
}

// A judge that is killed every time has no result, and blames nobody; control gives up.
static void test_judge_is_always_killed(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sampling.isolation = ISOLATION_PROCESS;
    fixture_scenario(fixture, "latekill:1:any");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    for (uint32_t side = 0; side < 2; ++side) assert_false(outcome_is_wrong(result_case_outcome(item, side)));
    assert_int_equal(item->round_count, 4); // once, and three repetitions
    assert_false(item->rounds[3].is_valid);
}

static void test_kill_before_the_first_case(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "loadkillonce:0:any");
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    for (uint32_t c = 0; c < 3; ++c) assert_int_equal(check_of(fixture, c, 1)->outcome, OUTCOME_OK);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_init, fixture_fini)

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "fake") == 0) return fake_main(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        RUN(test_kill_of_a_check),           RUN(test_term_of_a_check),
        RUN(test_kill_of_a_host_in_a_check), RUN(test_kill_of_a_check_twice),
        RUN(test_kill_of_a_judge_twice),     RUN(test_kill_in_a_round),
        RUN(test_kill_while_timed),          RUN(test_kill_of_a_host_in_a_round),
        RUN(test_killer_while_timed),        RUN(test_killer_of_its_host),
        RUN(test_judge_is_always_killed),    RUN(test_kill_before_the_first_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
