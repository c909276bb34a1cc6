// SPDX-License-Identifier: Apache-2.0
//
// A fake worker for tests of the executor: the test program itself, started as `fake SCENARIO LOG`. Scenario:
// "good", or "WHAT:CASE:LABEL": what happens at that case on the side of that label (or "load", "refuse").
// LOG gets a line "phase round attempt case seed" for every case begun, in order.
#ifndef TESTS_EXEC_FAKE_H
#define TESTS_EXEC_FAKE_H

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "control/exec/executor_internal.h"
#include "control/exec/journal.h"

struct fake {
    char what[32], label[32];
    int case_index;
    struct work_order order;
    const char *log_path;
    FILE *log;
};

// Dies of the signal itself, also where a sanitizer handles it.
static inline void fake_die(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

static inline void fake_say(struct record *record) {
    struct strbuf line = {0};
    record->time_ns = clock_ns();
    record_write(record, &line);
    if (write(3, line.text, line.length) != (ssize_t)line.length) _exit(70);
    strbuf_fini(&line);
}

static inline bool fake_is_at(const struct fake *fake, const char *what, const struct work_case *item,
                              uint32_t side) {
    const char *label = fake->order.sides[side].label;
    return strcmp(fake->what, what) == 0 && (int)item->index == fake->case_index &&
           (strcmp(fake->label, "any") == 0 || strcmp(fake->label, label) == 0);
}

// Shows progress for ever.
static inline void fake_crawl(const struct fake *fake, const struct work_case *item, uint32_t side) {
    for (;;) {
        struct record again = {.kind = RECORD_CASE,
                               .phase = fake->order.kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
                               .round = fake->order.round,
                               .attempt = fake->order.attempt,
                               .case_index = item->index,
                               .side = side};
        fake_say(&again);
        clock_sleep_ns(10000000);
    }
}

// Whether this is the first worker of the run that asks.
static inline bool fake_is_first(const struct fake *fake) {
    char path[128];
    snprintf(path, sizeof path, "%s.first", fake->log_path);
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

// A signal that proves nothing: to the worker itself, or to the process of a kernel, as a judge tells it.
static inline void fake_be_killed(const struct fake *fake, const struct work_case *item, uint32_t side) {
    const bool is_hosts = strncmp(fake->what, "hostkill", 8) == 0;
    if (strstr(fake->what, "once") && !fake_is_first(fake)) return;
    if (!is_hosts) fake_die(strstr(fake->what, "term") ? SIGTERM : SIGKILL);
    struct record told = {.kind = RECORD_CHECK,
                          .phase = fake->order.kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
                          .round = fake->order.round,
                          .attempt = fake->order.attempt,
                          .case_index = item->index,
                          .side = side,
                          .invalid_cause = INVALID_CAUSE_KILLED_FROM_OUTSIDE,
                          .check = {.outcome = OUTCOME_CRASHED, .message = "killed by signal 9 (Killed)"}};
    fake_say(&told);
    _exit(WORK_KILLED_EXIT);
}

static inline void fake_misbehave(const struct fake *fake, const struct work_case *item, uint32_t side) {
    if (fake_is_at(fake, "crash", item, side)) {
        fprintf(stderr, "about to touch a null pointer\n");
        fake_die(SIGSEGV);
    }
    if (fake_is_at(fake, "killonce", item, side) || fake_is_at(fake, "kill", item, side) ||
        fake_is_at(fake, "termonce", item, side) || fake_is_at(fake, "hostkillonce", item, side) ||
        fake_is_at(fake, "hostkill", item, side))
        fake_be_killed(fake, item, side);
    if (fake_is_at(fake, "hang", item, side)) pause();
    if (fake_is_at(fake, "exit", item, side)) _exit(0);
    if (fake_is_at(fake, "hello", item, side)) {
        struct record hello = {.kind = RECORD_HELLO, .environment = environment_unknown()};
        fake_say(&hello);
        pause();
    }
    if (fake_is_at(fake, "crawl", item, side)) fake_crawl(fake, item, side);
    if (fake_is_at(fake, "garbage", item, side)) {
        if (write(3, "{\"schema\": 1, \"kind\"\n", 21) != 21) _exit(70);
        pause();
    }
}

static inline void fake_time(const struct fake *fake, const struct work_case *item, struct record record) {
    uint32_t left = 0;
    record.kind = RECORD_CASE;
    record.side = RECORD_SIDE_ALL;
    fake_say(&record);
    if (fake_is_at(fake, "endless", item, 0)) fake_crawl(fake, item, RECORD_SIDE_ALL);
    for (uint32_t side = 0; side < fake->order.side_count; ++side) {
        if (!(item->side_mask >> side & 1)) continue;
        if (fake_is_at(fake, "late", item, side)) fake_die(SIGABRT);
        if (fake_is_at(fake, "latekill", item, side) || fake_is_at(fake, "latekillonce", item, side))
            fake_be_killed(fake, item, side);
        if (fake_is_at(fake, "fault", item, side)) {
            record.kind = RECORD_CHECK;
            record.side = side;
            record.check = (struct check_result){.outcome = OUTCOME_FAIL, .finding = FINDING_OUT_OF_BOUNDS};
            fake_say(&record);
            fake_die(SIGSEGV);
        }
        ++left;
    }
    // Dies with two sides only: nobody dies alone.
    if (left == 2 && fake_is_at(fake, "together", item, 0) && fake->order.attempt == 0) fake_die(SIGBUS);
    for (uint32_t side = 0; side < fake->order.side_count; ++side) {
        if (!(item->side_mask >> side & 1)) continue;
        struct sample samples[4];
        for (uint32_t i = 0; i < 4; ++i) {
            samples[i] =
                (struct sample){.start_ns = 1000 * i, .duration_ns = 900 + 10 * side + i, .launches = 3};
            samples[i].clock_hz = NAN;
        }
        samples[0].discard = DISCARD_FIRST_PAIR;
        if (fake_is_at(fake, "stolen", item, side) && fake->order.attempt == 0)
            samples[1].discard = samples[2].discard = DISCARD_STEAL;
        record.kind = RECORD_SAMPLES;
        record.side = side;
        record.samples = (struct samples){.count = 4, .items = samples};
        fake_say(&record);
    }
    record.kind = RECORD_CASE_STATE;
    record.state = device_state_unknown();
    record.state.others_pct = 1;
    record.is_valid = !(strcmp(fake->what, "invalid") == 0 && (int)item->index == fake->case_index &&
                        (int)record.attempt < atoi(fake->label));
    record.text = record.is_valid ? NULL : "other programs 9 %";
    fake_say(&record);
}

static inline void fake_case(const struct fake *fake, const struct work_case *item) {
    struct record record = {.phase = fake->order.kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
                            .round = fake->order.round,
                            .attempt = fake->order.attempt,
                            .case_index = item->index};
    fprintf(fake->log, "%s %u %u %u %" PRIu64 "\n", phase_name(record.phase), (unsigned)record.round,
            (unsigned)record.attempt, (unsigned)item->index, fake->order.seed);
    fflush(fake->log);
    bool is_right = true;
    for (uint32_t side = 0; side < fake->order.side_count; ++side) {
        if (!(item->side_mask >> side & 1)) continue;
        record.kind = RECORD_CASE;
        record.side = side;
        fake_say(&record);
        fake_misbehave(fake, item, side);
        record.kind = RECORD_CHECK;
        record.check = (struct check_result){.outcome = OUTCOME_OK, .duration_ns = 5};
        if (fake_is_at(fake, "fail", item, side)) {
            record.check.outcome = OUTCOME_FAIL;
            record.check.finding = FINDING_WRONG_VALUE;
            is_right = false;
        }
        if (fake_is_at(fake, "unsupported", item, side)) {
            record.check.outcome = OUTCOME_UNSUPPORTED;
            is_right = false;
        }
        fake_say(&record);
    }
    if (strcmp(fake->what, "slow") == 0) clock_sleep_ns(20000000);
    if (record.phase == PHASE_ROUND && is_right) fake_time(fake, item, record);
    for (uint32_t side = 0; side < fake->order.side_count; ++side) {
        if (!(item->side_mask >> side & 1)) continue;
        if (fake_is_at(fake, "release", item, side)) fake_die(SIGSEGV);
        if (fake_is_at(fake, "gaveup", item, side) && fake->order.round == 0) {
            fprintf(stderr, "assay: error: no memory\n");
            _exit(69);
        }
    }
}

static inline int fake_main(const char *scenario, const char *log_path) {
    struct fake fake = {0};
    struct arena arena = {0};
    struct strbuf text = {0};
    char block[4096];
    ssize_t got;
    while ((got = read(0, block, sizeof block)) > 0) strbuf_add_bytes(&text, block, (size_t)got);
    struct err err = {0};
    if (work_order_parse(text.text, text.length, &arena, &fake.order, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 65;
    }
    sscanf(scenario, "%31[^:]:%d:%31s", fake.what, &fake.case_index, fake.label);
    fake.log_path = log_path;
    if (strcmp(fake.what, "load") == 0) fake_die(SIGSEGV);
    if (strcmp(fake.what, "loadkillonce") == 0 && fake_is_first(&fake)) fake_die(SIGKILL);
    if (strcmp(fake.what, "refuse") == 0) {
        fprintf(stderr, "assay: error: 'x.so' has no symbol assay_module\n");
        _exit(65);
    }
    fake.log = fopen(log_path, "ae");
    struct record hello = {.kind = RECORD_HELLO, .environment = environment_unknown(), .text = "1"};
    hello.environment.assay_version = "test";
    hello.environment.device_uuid = strcmp(fake.what, "elsewhere") == 0 ? "there" : "here";
    hello.environment.thread_count = strcmp(fake.what, "wider") == 0 ? 4 : 2;
    fake_say(&hello);
    if (strcmp(fake.what, "flood") == 0) {
        static char words[60000];
        memset(words, 'a', sizeof words - 1);
        struct record flood = {.kind = RECORD_WARNING, .text = words};
        for (;;) fake_say(&flood);
    }
    for (size_t i = 0; i < fake.order.case_count; ++i) fake_case(&fake, &fake.order.cases[i]);
    struct record bye = {.kind = RECORD_BYE};
    fake_say(&bye);
    fclose(fake.log);
    strbuf_fini(&text);
    arena_fini(&arena);
    return 0;
}

// ---- the run that the tests hold ----

struct fixture {
    char dir[64], run_dir[80], log[80];
    char *self;
    const char *argv[5];
    struct plan plan;
    struct result result;
    struct executor executor;
    struct err err;
};

static inline void fixture_scenario(struct fixture *fixture, const char *scenario) {
    fixture->argv[2] = scenario;
    executor_set_worker(fixture->argv);
}

static inline int fixture_init(void **state) {
    struct fixture *fixture = mem_alloc(sizeof *fixture);
    snprintf(fixture->dir, sizeof fixture->dir, "/tmp/assay_exec_XXXXXX");
    if (!mkdtemp(fixture->dir)) return -1;
    snprintf(fixture->run_dir, sizeof fixture->run_dir, "%s/run", fixture->dir);
    snprintf(fixture->log, sizeof fixture->log, "%s/log", fixture->dir);
    fixture->self = path_self();
    fixture->argv[0] = fixture->self;
    fixture->argv[1] = "fake";
    fixture->argv[3] = fixture->log;
    struct plan *plan = &fixture->plan;
    *plan = (struct plan){.run_id = "r1", .command = "gate", .device = "cpu", .seed = 42, .side_count = 2};
    plan->sides[0] = (struct result_side){.role = SIDE_BASELINE, .label = "old", .kernel_name = "old"};
    plan->sides[1] = (struct result_side){.role = SIDE_CANDIDATE, .label = "new", .kernel_name = "new"};
    plan->check_side_mask = 2;
    plan->check_count = plan->case_count = 3;
    plan->checks = arena_array(&plan->arena, 3, sizeof *plan->checks);
    plan->cases = arena_array(&plan->arena, 3, sizeof *plan->cases);
    static const char *const names[] = {"attention/fp32/b1/h1/s64/d64", "attention/fp32/b1/h1/s128/d64",
                                        "attention/fp32/b1/h1/s256/d64"};
    for (uint32_t i = 0; i < 3; ++i) {
        struct plan_case item = {.distribution = "normal", .memory_layout = MEMORY_LAYOUT_DENSE, .seed = 42};
        if (problem_parse(&operators_compiled, names[i], &item.problem, &fixture->err) < 0) return -1;
        plan->checks[i] = plan->cases[i] = item;
    }
    plan->look_count = 1;
    plan->looks[0] = 2;
    plan->round_repeat_max = 3;
    plan->sampling.limits.case_s = 5;
    plan->sampling = sampling_default();
    if (plan_result(plan, &fixture->result, &fixture->err) < 0) return -1;
    fixture_scenario(fixture, "good");
    *state = fixture;
    return 0;
}

static inline int fixture_fini(void **state) {
    struct fixture *fixture = *state;
    executor_close(&fixture->executor);
    executor_set_worker(NULL);
    result_fini(&fixture->result);
    plan_fini(&fixture->plan);
    file_remove_tree(fixture->dir, NULL);
    free(fixture->self);
    free(fixture);
    return 0;
}

static inline void fixture_create(struct fixture *fixture) {
    int code = executor_create(&fixture->executor, fixture->run_dir, &fixture->plan, &fixture->result,
                               &fixture->err);
    if (code < 0) fail_msg("%s", fixture->err.text);
    fixture->executor.state->has_looked = true; // a warning that the machine is busy is none of the test's
}

// Ends the run as a kill would, and resumes it from its files.
static inline void fixture_resume(struct fixture *fixture) {
    if (fixture->executor.state) fixture->executor.are_references_kept = true;
    executor_close(&fixture->executor);
    result_fini(&fixture->result);
    if (plan_result(&fixture->plan, &fixture->result, &fixture->err) < 0) fail_msg("%s", fixture->err.text);
    int code = executor_resume(&fixture->executor, fixture->run_dir, &fixture->plan, &fixture->result,
                               &fixture->err);
    if (code < 0) fail_msg("%s", fixture->err.text);
}

static inline void must(const struct fixture *fixture, int code) {
    if (code < 0) fail_msg("%d: %s", code, fixture->err.text);
}

// How often the log holds the line.
static inline int fixture_count(const struct fixture *fixture, const char *line) {
    FILE *file = fopen(fixture->log, "re");
    char got[128];
    int count = 0;
    while (file && fgets(got, sizeof got, file)) count += strncmp(got, line, strlen(line)) == 0;
    if (file) fclose(file);
    return count;
}

#endif
