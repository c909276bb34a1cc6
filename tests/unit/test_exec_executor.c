// SPDX-License-Identifier: Apache-2.0
//
// A run survives whatever its workers do, and nothing is measured twice. Workers are fakes (exec_fake.h).
#include <sys/wait.h>

#include "base/interrupt.h"
#include "base/rng.h"
#include "exec_fake.h"

static const struct check_result *check_of(const struct fixture *fixture, uint32_t index, uint32_t side) {
    return &fixture->result.checks[index].checks[side];
}

static void test_good(void **state) {
    struct fixture *fixture = *state;
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(check_of(fixture, i, 1)->outcome, OUTCOME_OK);
        assert_int_equal(check_of(fixture, i, 0)->outcome, OUTCOME_NONE);
        const struct result_case *item = &fixture->result.cases[i];
        assert_int_equal(item->round_count, 2);
        double *times_ns = NULL;
        assert_int_equal(result_case_times(item, 1, &times_ns), 6);
        assert_true(times_ns[0] == 911.0 / 3);
        free(times_ns);
        assert_true(result_round_is_usable(&item->rounds[0], 0, 1));
        assert_int_equal(result_case_outcome(item, 0), OUTCOME_OK);
    }
    assert_true(fixture->result.device_s > 0);
    assert_string_equal(fixture->result.environment.assay_version, "test");
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err)); // nothing is left to do
    assert_int_equal(fixture_count(fixture, "round"), 6);
    executor_close(&fixture->executor);
    char path[120];
    snprintf(path, sizeof path, "%s/references", fixture->run_dir);
    assert_false(file_exists(path));
}

// A worker may take that long to start, too.
static void expect_bad_check_within(struct fixture *fixture, double case_limit_s, const char *scenario,
                                    enum outcome outcome, const char *text) {
    fixture_scenario(fixture, scenario);
    fixture->plan.sampling.limits.case_s = case_limit_s;
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    assert_int_equal(check_of(fixture, 0, 1)->outcome, OUTCOME_OK);
    assert_int_equal(check_of(fixture, 1, 1)->outcome, outcome);
    if (!strstr(check_of(fixture, 1, 1)->message, text))
        fail_msg("message: %s", check_of(fixture, 1, 1)->message);
    assert_int_equal(check_of(fixture, 2, 1)->outcome, OUTCOME_OK);
    assert_int_equal(fixture_count(fixture, "check 0 0 1"), 1);
}

static void expect_bad_check(struct fixture *fixture, const char *scenario, enum outcome outcome,
                             const char *text) {
    expect_bad_check_within(fixture, 10, scenario, outcome, text);
}

static void test_crash(void **state) {
    expect_bad_check(*state, "crash:1:new", OUTCOME_CRASHED, "signal 11");
    const struct fixture *fixture = *state;
    if (!strstr(check_of(fixture, 1, 1)->message, "about to touch a null pointer"))
        fail_msg("message: %s", check_of(fixture, 1, 1)->message);
}

static void test_hang(void **state) {
    expect_bad_check_within(*state, 2, "hang:1:new", OUTCOME_TIMEOUT, "within the limit of 2 s");
}

static void test_exit(void **state) {
    expect_bad_check(*state, "exit:1:new", OUTCOME_CRASHED,
                     "exited with code 0 before the case was finished");
}

static void test_garbage(void **state) {
    expect_bad_check(*state, "garbage:1:new", OUTCOME_CRASHED, "no record");
}

static void test_second_hello(void **state) {
    expect_bad_check(*state, "hello:1:new", OUTCOME_CRASHED, "a second record of kind 'hello'");
}

// Progress gives a case more time, but not for ever; then no single call took too long, and nobody is wrong.
static void test_crawl(void **state) {
    expect_bad_check_within(*state, 0.6, "crawl:1:new", OUTCOME_NOT_VALID,
                            "not finished after 12 s, 20 times limits.case_s");
}

// Nor is a side sought that is to blame.
static void test_endless_timing(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "endless:1:any");
    fixture->plan.sampling.limits.case_s = 0.6;
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    for (uint32_t side = 0; side < 2; ++side) {
        const struct check_result *check = &fixture->result.cases[1].checks[side];
        assert_int_equal(check->outcome, OUTCOME_NOT_VALID);
        if (!strstr(check->message, "while it was timed: not finished after 12 s"))
            fail_msg("message: %s", check->message);
    }
    assert_int_equal(fixture_count(fixture, "round 0 0 1") + fixture_count(fixture, "round 1 0 1"), 1);
    assert_int_equal(fixture->result.cases[0].round_count, 2);
}

static void test_unsupported_is_asked_once(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "unsupported:2:new");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(result_case_outcome(&fixture->result.cases[2], 1), OUTCOME_UNSUPPORTED);
    assert_int_equal(fixture_count(fixture, "round 0 0 2") + fixture_count(fixture, "round 1 0 2"), 1);
    assert_int_equal(fixture->result.cases[1].round_count, 2);
}

static void test_crash_in_a_round(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "crash:0:old");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(result_case_outcome(&fixture->result.cases[0], 0), OUTCOME_CRASHED);
    assert_int_equal(fixture->result.cases[0].round_count, 0);
    assert_int_equal(fixture->result.cases[1].round_count, 2);
    assert_int_equal(fixture->result.cases[2].round_count, 2);
}

// Results are written, and then release() crashes.
static void test_crash_after_the_check(void **state) {
    expect_bad_check(*state, "release:1:new", OUTCOME_CRASHED,
                     "in release or in a destructor: killed by signal 11");
    const struct fixture *fixture = *state;
    assert_null(strstr(check_of(fixture, 1, 1)->message, "before the case"));
    assert_int_equal(fixture->result.warning_count, 0);
}

static void test_crash_after_the_round(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "release:1:old");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(result_case_outcome(item, 0), OUTCOME_CRASHED);
    assert_non_null(strstr(item->checks[0].message, "in release"));
    assert_int_equal(item->checks[1].outcome, OUTCOME_OK); // found by running each side alone
    assert_int_equal(item->round_count, 1);
    assert_int_equal(fixture->result.cases[2].round_count, 2);
}

// A worker that says why it ended is no kernel's death.
static void test_worker_gives_up_between_cases(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "gaveup:1:new");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(result_case_outcome(&fixture->result.cases[1], 1), OUTCOME_OK);
    assert_int_equal(fixture->result.cases[2].round_count, 2);
    assert_int_equal(fixture->result.warning_count, 1);
}

// The side that crashes is found by running each side alone.
static void test_crash_while_timed(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "late:1:new");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    assert_int_equal(result_case_outcome(&fixture->result.cases[1], 0), OUTCOME_OK);
    assert_int_equal(result_case_outcome(&fixture->result.cases[1], 1), OUTCOME_CRASHED);
    assert_non_null(strstr(fixture->result.cases[1].checks[1].message, "while it was timed"));
}

// A worker that says what was wrong before it dies: that side is to blame, and no other.
static void test_fault_while_timed(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "fault:1:old");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(item->checks[0].finding, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(result_case_outcome(item, 1), OUTCOME_OK);
    assert_int_equal(fixture->result.cases[2].round_count, 1);
    assert_int_equal(fixture->result.warning_count, 0);
}

static void test_crash_of_no_side_alone(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "together:1:any");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(item->round_count, 2);
    assert_false(item->rounds[0].is_valid);
    assert_non_null(strstr(item->rounds[0].invalid_reason, "no side died alone"));
    assert_int_equal(item->rounds[0].invalid_cause, INVALID_CAUSE_WORKER_DIED);
    assert_true(item->rounds[1].is_valid);
    assert_int_equal(item->rounds[1].attempt, 1);
}

// With a peer, a side that fails leaves the others to be measured.
static void test_peers_go_on(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sides[1].role = SIDE_PEER;
    fixture_scenario(fixture, "crash:0:old");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[0];
    assert_int_equal(result_case_outcome(item, 0), OUTCOME_CRASHED);
    assert_int_equal(item->round_count, 1);
    assert_int_equal(item->rounds[0].samples[0].count, 0);
    assert_int_equal(item->rounds[0].samples[1].count, 4);
}

static void test_invalid_is_repeated(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "invalid:1:2");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(item->round_count, 3);
    assert_string_equal(item->rounds[0].invalid_reason, "other programs 9 %");
    assert_true(item->rounds[2].is_valid);
    assert_int_equal(fixture->result.cases[0].round_count, 1);
}

// A measurement with most of its samples discarded is not valid, whatever its worker reports.
static void test_few_samples_are_repeated(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "stolen:1:new");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const struct result_case *item = &fixture->result.cases[1];
    assert_int_equal(item->round_count, 2);
    assert_string_equal(item->rounds[0].invalid_reason, "only 1 of 3 samples of a side count");
    assert_int_equal(item->rounds[0].invalid_cause, INVALID_CAUSE_TOO_FEW_SAMPLES);
    assert_true(item->rounds[1].is_valid);
    assert_int_equal(fixture->result.cases[0].round_count, 1);
}

static void test_invalid_gives_up(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "invalid:1:99");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    assert_int_equal(fixture->result.cases[1].round_count, 4); // once, and three repetitions
    assert_int_equal(result_case_outcome(&fixture->result.cases[1], 0), OUTCOME_NOT_VALID);
    fixture_resume(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    assert_int_equal(fixture->result.cases[1].round_count, 4);
}

static void test_closed_cases(void **state) {
    struct fixture *fixture = *state;
    const bool closed[3] = {false, true, false};
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    fixture->executor.closed_cases = closed;
    must(fixture, executor_run_rounds(&fixture->executor, 3, &fixture->err));
    assert_int_equal(fixture->result.cases[0].round_count, 3);
    assert_int_equal(fixture->result.cases[1].round_count, 1);
}

static void test_module_that_dies_when_loaded(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "load");
    fixture_create(fixture);
    assert_int_equal(executor_run_checks(&fixture->executor, &fixture->err), -ERR_DATA);
    assert_non_null(strstr(fixture->err.text, "died while it loaded 'old', 'new'"));
    assert_non_null(strstr(fixture->err.text, "signal 11"));
}

static void test_worker_that_refuses(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "refuse");
    fixture_create(fixture);
    assert_int_equal(executor_run_rounds(&fixture->executor, 1, &fixture->err), -ERR_DATA);
    assert_string_equal(fixture->err.text, "'x.so' has no symbol assay_module");
}

static void test_second_run_is_locked_out(void **state) {
    struct fixture *fixture = *state;
    struct executor second = {0};
    fixture_create(fixture);
    int code = executor_resume(&second, fixture->run_dir, &fixture->plan, &fixture->result, &fixture->err);
    assert_int_equal(code, -ERR_UNAVAILABLE);
    executor_close(&fixture->executor);
    code = executor_create(&fixture->executor, fixture->run_dir, &fixture->plan, &fixture->result,
                           &fixture->err);
    assert_int_equal(code, -ERR_CREATE);
}

static long journal_lines(const struct fixture *fixture) {
    char path[120];
    snprintf(path, sizeof path, "%s/journal.jsonl", fixture->run_dir);
    FILE *file = fopen(path, "re");
    long count = 0;
    for (int c; file && (c = fgetc(file)) != EOF;) count += c == '\n';
    if (file) fclose(file);
    return count;
}

static bool journal_holds(const struct fixture *fixture, const char *part) {
    char path[120], *text = NULL;
    snprintf(path, sizeof path, "%s/journal.jsonl", fixture->run_dir);
    if (file_read(path, 1 << 20, &text, NULL, NULL) < 0) return false;
    const bool holds = strstr(text, part) != NULL;
    free(text);
    return holds;
}

// kill -9 of the parent in the middle, then a resume: what the journal holds is not lost and not made again.
// What a worker has written and its parent has not read is.
static void test_kill_and_resume(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "slow");
    pid_t child = fork();
    if (child == 0) {
        if (executor_create(&fixture->executor, fixture->run_dir, &fixture->plan, &fixture->result, NULL) < 0)
            _exit(1);
        _exit(executor_run_rounds(&fixture->executor, 4, NULL) < 0);
    }
    const uint64_t give_up_ns = clock_ns() + 20000000000u;
    while (journal_lines(fixture) < 40 && clock_ns() < give_up_ns) clock_sleep_ns(1000000);
    kill(child, SIGSTOP); // as on a busy machine: the worker goes on a while
    clock_sleep_ns(100000000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    fixture_scenario(fixture, "good");
    fixture_resume(fixture);
    bool is_kept[3][4] = {{false}};
    size_t kept = 0;
    for (size_t i = 0; i < 3; ++i) {
        const struct result_case *item = &fixture->result.cases[i];
        for (size_t r = 0; r < item->round_count; ++r) {
            is_kept[i][r] = item->rounds[r].has_state;
            kept += is_kept[i][r];
        }
    }
    assert_true(kept > 0 && kept < 12);
    must(fixture, executor_run_rounds(&fixture->executor, 4, &fixture->err));
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(fixture->result.cases[i].round_count, 4);
        for (size_t r = 0; r < 4; ++r) {
            char line[64];
            snprintf(line, sizeof line, "round %zu 0 %zu", r, i);
            assert_in_range(fixture_count(fixture, line), 1, is_kept[i][r] ? 1 : 2);
            assert_true(result_round_is_usable(&fixture->result.cases[i].rounds[r], 0, 1));
        }
    }
}

static void test_torn_journal(void **state) {
    struct fixture *fixture = *state;
    char path[120];
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    snprintf(path, sizeof path, "%s/journal.jsonl", fixture->run_dir);
    // Cut the state of the last case, the goodbye and the round's end: that case is measured again, nothing
    // else.
    char *text = NULL;
    size_t length = 0;
    must(fixture, file_read(path, (size_t)1 << 20, &text, &length, &fixture->err));
    char *last = NULL;
    for (char *p = text; (p = strstr(p, "\"kind\":\"case_state\"")); ++p) last = p;
    assert_non_null(last);
    assert_int_equal(truncate(path, last - text + 5), 0);
    free(text);
    fixture_resume(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(fixture_count(fixture, "round"), 7);
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(fixture->result.cases[i].round_count, 2);
        assert_true(result_round_is_usable(&fixture->result.cases[i].rounds[1], 0, 1));
    }
}

// Samples of another machine, or with other threads, are never mixed with what is there.
static void test_resume_elsewhere(void **state) {
    struct fixture *fixture = *state;
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    const char *const scenarios[] = {"elsewhere", "wider"}, *const words[] = {"'here'", "2 threads"};
    for (size_t i = 0; i < 2; ++i) {
        fixture_scenario(fixture, scenarios[i]);
        fixture_resume(fixture);
        assert_int_equal(executor_run_rounds(&fixture->executor, 2, &fixture->err), -ERR_UNAVAILABLE);
        if (!strstr(fixture->err.text, words[i])) fail_msg("%s", fixture->err.text);
    }
    fixture_scenario(fixture, "good");
    fixture_resume(fixture);
    for (size_t i = 0; i < 3; ++i) assert_int_equal(fixture->result.cases[i].round_count, 1);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    for (size_t i = 0; i < 3; ++i) assert_int_equal(fixture->result.cases[i].round_count, 2);
}

static void test_resume_by_another_program(void **state) {
    struct fixture *fixture = *state;
    char path[120];
    fixture_create(fixture);
    executor_close(&fixture->executor);
    snprintf(path, sizeof path, "%s/journal.jsonl", fixture->run_dir);
    static const char line[] =
        "{\"schema\":1,\"kind\":\"program\",\"time_ns\":1,\"text\":\"00000000000000000000000000000000\"}\n";
    must(fixture, file_write_atomic(path, line, sizeof line - 1, &fixture->err));
    int code = executor_resume(&fixture->executor, fixture->run_dir, &fixture->plan, &fixture->result,
                               &fixture->err);
    assert_int_equal(code, -ERR_UNAVAILABLE);
    assert_non_null(strstr(fixture->err.text, "another build of assay"));
}

// Sides apart: A B B A in processes of their own; the halves come together, and every second round begins
// with B.
static void test_sides_apart(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.needs_two_processes = true;
    fixture->plan.check_side_mask = 3;
    fixture_create(fixture);
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(check_of(fixture, 1, 0)->outcome, OUTCOME_OK);
    assert_int_equal(check_of(fixture, 1, 1)->outcome, OUTCOME_OK);
    assert_int_equal(fixture_count(fixture, "check"), 6);
    assert_int_equal(fixture_count(fixture, "round"), 24);
    for (uint64_t half = 0; half < 2; ++half) { // each half draws for itself, the same for both sides
        char line[80];
        snprintf(line, sizeof line, "round 0 0 1 %" PRIu64 "\n",
                 rng_u64(fixture->plan.seed, rng_stream("half of a side"), half));
        assert_int_equal(fixture_count(fixture, line), 2);
    }
    for (size_t i = 0; i < 3; ++i) {
        const struct result_case *item = &fixture->result.cases[i];
        assert_int_equal(item->round_count, 2);
        for (size_t side = 0; side < 2; ++side) {
            const struct samples *samples = &item->rounds[0].samples[side];
            assert_int_equal(samples->count, 8);
            assert_true(samples->items[4].start_ns > samples->items[3].start_ns);
        }
        assert_true(item->rounds[0].samples[0].items[4].start_ns >
                    item->rounds[0].samples[1].items[4].start_ns);
        assert_true(item->rounds[1].samples[0].items[4].start_ns <
                    item->rounds[1].samples[1].items[4].start_ns);
    }
    fixture_resume(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 2, &fixture->err));
    assert_int_equal(fixture_count(fixture, "round"), 24);
}

static void test_sides_apart_crash(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.needs_two_processes = true;
    fixture_scenario(fixture, "late:2:new");
    fixture_create(fixture);
    must(fixture, executor_run_rounds(&fixture->executor, 1, &fixture->err));
    assert_int_equal(result_case_outcome(&fixture->result.cases[2], 1), OUTCOME_CRASHED);
    assert_int_equal(fixture->result.cases[2].round_count, 0);
    assert_int_equal(fixture->result.cases[0].round_count, 1);
}

static void test_run_limit(void **state) {
    struct fixture *fixture = *state;
    fixture->plan.sampling.limits.gate_s = 1;
    fixture_create(fixture);
    fixture->executor.deadline_ns = clock_ns();
    assert_int_equal(executor_run_rounds(&fixture->executor, 1, &fixture->err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(fixture->err.text, "gate --resume /tmp/assay_exec_"));
    assert_true(fixture->executor.is_over_limit);
}

// In a process of its own: the flag that an interrupt sets stays.
static void test_interrupt(void **state) {
    struct fixture *fixture = *state;
    fixture_scenario(fixture, "hang:1:new");
    fixture_create(fixture);
    pid_t child = fork();
    if (child == 0) {
        interrupt_catch();
        int code = executor_run_checks(&fixture->executor, &fixture->err);
        _exit(code == -ERR_CANCELLED && strstr(fixture->err.text, "gate --resume /tmp/assay_exec_") ? 0 : 1);
    }
    // The worker's own log is ahead of what the parent has read.
    while (!journal_holds(fixture, "\"kind\":\"check\",\"phase\":\"check\",\"case\":0,\"side\":1"))
        clock_sleep_ns(1000000);
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fixture_scenario(fixture, "good");
    fixture_resume(fixture);
    assert_int_equal(check_of(fixture, 0, 1)->outcome, OUTCOME_OK);
    assert_int_equal(check_of(fixture, 1, 1)->outcome, OUTCOME_NONE); // nobody is blamed
    must(fixture, executor_run_checks(&fixture->executor, &fixture->err));
    assert_int_equal(check_of(fixture, 2, 1)->outcome, OUTCOME_OK);
}

static int on_answer(void *arg, const struct record *record, struct err *err) {
    int *count = arg;
    (void)record;
    ++*count;
    return *count == 2 ? err_set(err, ERR_CONFIG, "enough") : 0;
}

static void test_ask(void **state) {
    struct fixture *fixture = *state;
    const struct work_order order = {
        .kind = WORK_DESCRIBE, .side_count = 1, .sides = {{.module_path = "x.so"}}};
    int count = 0;
    assert_int_equal(executor_query(&order, 5, on_answer, &count, &fixture->err), -ERR_CONFIG);
    assert_string_equal(fixture->err.text, "enough");
    must(fixture, executor_query(&order, 5, on_answer, &count, &fixture->err));
    assert_int_equal(count, 4); // hello and bye, twice
    fixture_scenario(fixture, "load");
    assert_int_equal(executor_query(&order, 5, on_answer, &count, &fixture->err), -ERR_DATA);
    assert_non_null(strstr(fixture->err.text, "'x.so'"));
}

static int on_any_answer(void *arg, const struct record *record, struct err *err) {
    (void)arg, (void)record, (void)err;
    return 0;
}

static void test_flood(void **state) {
    struct fixture *fixture = *state;
    const struct work_order order = {.kind = WORK_DESCRIBE};
    fixture_scenario(fixture, "flood");
    assert_int_equal(executor_query(&order, 60, on_any_answer, NULL, &fixture->err), -ERR_INTERNAL);
    if (!strstr(fixture->err.text, "or 268435456 bytes")) fail_msg("%s", fixture->err.text);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_init, fixture_fini)

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "fake") == 0) return fake_main(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        RUN(test_good),
        RUN(test_crash),
        RUN(test_hang),
        RUN(test_exit),
        RUN(test_garbage),
        RUN(test_second_hello),
        RUN(test_crawl),
        RUN(test_endless_timing),
        RUN(test_unsupported_is_asked_once),
        RUN(test_crash_in_a_round),
        RUN(test_crash_after_the_check),
        RUN(test_crash_after_the_round),
        RUN(test_worker_gives_up_between_cases),
        RUN(test_crash_while_timed),
        RUN(test_fault_while_timed),
        RUN(test_crash_of_no_side_alone),
        RUN(test_peers_go_on),
        RUN(test_invalid_is_repeated),
        RUN(test_few_samples_are_repeated),
        RUN(test_invalid_gives_up),
        RUN(test_closed_cases),
        RUN(test_module_that_dies_when_loaded),
        RUN(test_worker_that_refuses),
        RUN(test_second_run_is_locked_out),
        RUN(test_kill_and_resume),
        RUN(test_torn_journal),
        RUN(test_resume_elsewhere),
        RUN(test_resume_by_another_program),
        RUN(test_sides_apart),
        RUN(test_sides_apart_crash),
        RUN(test_run_limit),
        RUN(test_interrupt),
        RUN(test_ask),
        RUN(test_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
