// SPDX-License-Identifier: Apache-2.0
//
// The judge's end against hosts that speak the protocol badly. This program is its own host: it plays what
// the label of its side says. Whatever it does, the judge gets a sentence about this host, and goes on.
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/host/host_channel.h"
#include "worker/host/host_client.h"
#include "worker/host/host_process.h"

// ---- the host ----

static const struct backend no_backend = {.name = "none"};
static struct device no_device = {.backend = &no_backend};

static void answer_with(const struct host_answer *answer) {
    (void)host_channel_send(HOST_CHANNEL_FD, answer, sizeof *answer, NULL);
}

static void wait_for_ever(void) {
    for (;;) pause();
}

#define LATE_NS 20000000u // of its processor, which a host takes ahead of the launches

static void burn(uint64_t ns) {
    const uint64_t until_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns) continue;
}

static void burn_late(int number) {
    (void)number;
    burn(LATE_NS);
}

// A thread that burns on the processor of the first one, which waits for it there.
static struct { sem_t begins, ends; } helper;

static void *help(void *arg) {
    sem_wait(&helper.begins);
    burn_late(0);
    sem_post(&helper.ends);
    return arg;
}

static void begin_helper(void) {
    pthread_t thread;
    cpu_set_t all, one;
    size_t processor = 0;
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(processor, &all)) ++processor;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
    sem_init(&helper.begins, 0, 0);
    sem_init(&helper.ends, 0, 0);
    pthread_create(&thread, NULL, help, NULL);
}

static void *sleep_for_ever(void *arg) {
    wait_for_ever();
    return arg;
}

static void begin_sleeper(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
}

static void burn_beside_helper(void) {
    sem_post(&helper.begins);
    burn_late(0);
    sem_wait(&helper.ends);
}

static bool plays(const char *script, const char *name) {
    char mark[64];
    snprintf(mark, sizeof mark, "\"%s\"", name);
    return strstr(script, mark) != NULL;
}

static void forge_times(struct host_answer *answer) {
    memset(&answer->time, 0xff, sizeof answer->time);
    answer->time.tail_ns = NAN;
    answer->time.kernel_clock_hz = INFINITY;
}

// What it does in place of the answer to a launch.
static void play_run(const char *script, struct host_answer *answer) {
    if (plays(script, "silent")) clock_sleep_ns(1500000000);
    if (plays(script, "exits")) _exit(0);
    if (plays(script, "aborts")) _exit(128 + SIGABRT); // as a host's handler does
    if (plays(script, "closes")) {
        close(HOST_CHANNEL_FD);
        wait_for_ever();
    }
    if (plays(script, "short")) (void)!write(HOST_CHANNEL_FD, answer, sizeof *answer - 1);
    if (plays(script, "empty")) (void)!write(HOST_CHANNEL_FD, answer, 0);
    if (plays(script, "other_number")) ++answer->number;
    if (plays(script, "no_kind")) answer->kind = 77;
    if (plays(script, "floods"))
        for (;;) answer_with(answer);
    if (plays(script, "twice")) answer_with(answer);
    if (plays(script, "answers_ahead")) {
        for (uint32_t i = 0; i < 100; ++i) {
            answer_with(answer);
            ++answer->number;
        }
        return;
    }
    if (plays(script, "forged_times")) forge_times(answer);
    if (plays(script, "traced")) ptrace(PTRACE_TRACEME, 0, NULL, NULL); // a stop is the tracer's then
    if (plays(script, "zero_time")) answer->time = (struct batch_time){.start_ns = 1};
    if (plays(script, "odd_status")) answer->status = INT32_MIN;
    if (plays(script, "gone_status")) answer->status = HOST_GONE_STATUS;
    if (plays(script, "endless_text")) {
        answer->status = ASSAY_FAILED;
        memset(answer->text, 'x', sizeof answer->text);
    }
    if (plays(script, "error")) {
        answer->kind = HOST_ANSWER_ERROR;
        snprintf(answer->text, sizeof answer->text, "words of the host");
    }
    if (plays(script, "fault") || plays(script, "odd_fault")) {
        answer->kind = HOST_ANSWER_FAULT;
        answer->fault = (struct host_fault){.place = BUFFER_PAST_END, .access = 2, .distance_bytes = 12};
        snprintf(answer->fault.label, sizeof answer->fault.label, "out");
    }
    if (plays(script, "odd_fault")) {
        memset(&answer->fault, 0xff, sizeof answer->fault);
        memcpy(answer->fault.label, "\x1b[31mOK", 7);
    }
    answer_with(answer);
    if (plays(script, "fault")) _exit(134);
}

static void show_request(const struct host_run *run, struct host_answer *answer) {
    snprintf(answer->text, sizeof answer->text, "%u to %u from %u, %u%s", run->first_index,
             run->first_index + run->set_count - 1, run->first_set, run->launches,
             run->is_timed || run->is_by_call ? ", timed" : "");
    answer_with(answer);
}

static int play(void) {
    char script[65536] = "";
    for (;;) {
        struct host_request request;
        struct host_fds fds;
        if (host_channel_receive(HOST_CHANNEL_FD, &request, sizeof request, &fds, 0) <= 0) return 0;
        struct host_answer answer = {.kind = HOST_ANSWER_DONE, .number = request.number};
        if (request.command == HOST_LOAD && pread(fds.items[0], script, sizeof script - 1, 0) <= 0) return 3;
        for (size_t i = 0; i < fds.count; ++i) close(fds.items[i]);
        if (request.command == HOST_LOAD && plays(script, "dies_loading")) __builtin_trap();
        if (request.command == HOST_LOAD && plays(script, "late_beside_sleeper")) begin_sleeper();
        if (request.command == HOST_LOAD &&
            (plays(script, "late_on_continue") || plays(script, "late_beside_sleeper")))
            signal(SIGCONT, burn_late);
        if (request.command == HOST_HELLO && plays(script, "late_hello")) burn_late(0);
        if (request.command == HOST_HELLO && plays(script, "wakes_slowly")) burn(LATE_NS / 20);
        if (request.command == HOST_LOAD && plays(script, "late_threads")) begin_helper();
        if (request.command == HOST_HELLO && plays(script, "late_threads")) burn_beside_helper();
        if (request.command == HOST_LOAD && plays(script, "refuses")) {
            answer.kind = HOST_ANSWER_ERROR;
            answer.status = INT32_MAX;
            memset(answer.text, 'n', sizeof answer.text);
        }
        if (request.command == HOST_PREPARE && plays(script, "huge")) {
            answer.workspace_bytes = UINT64_MAX;
            answer.callback = 99;
            memset(answer.text, 't', sizeof answer.text);
        }
        if (request.command == HOST_END && plays(script, "stays")) wait_for_ever();
        if (request.command == HOST_END) return plays(script, "ends_badly") ? 9 : 0;
        answer.time = (struct batch_time){.start_ns = clock_ns(), .duration_ns = 1000};
        if (request.command == HOST_RUN && plays(script, "shows_request"))
            show_request(&request.run, &answer);
        else if (request.command == HOST_RUN)
            play_run(script, &answer);
        else
            answer_with(&answer);
    }
}

// ---- the judge ----

static struct work_case wanted;
static struct work_order order;
static struct host *host;

static int open_host(const char *script, struct err *err) {
    wanted = (struct work_case){.side_mask = 1};
    assert_int_equal(problem_parse("scale/fp32/n64", &wanted.problem, NULL), 0);
    order = (struct work_order){.kind = WORK_CHECK, .device = "cpu", .side_count = 1};
    order.sides[0] = (struct work_side){.label = script, .kernel_name = "k"};
    order.cases = &wanted;
    order.case_count = 1;
    host = NULL;
    TRY(host_begin(&order, 0, &host, err));
    const int code = host_complete(host, &no_device, 0, err);
    if (code < 0) {
        host_close(host);
        host = NULL;
    }
    return code;
}

static int run_once(struct batch_time *ret, char *ret_text, size_t capacity) {
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    struct assay_message message = {.capacity = (uint32_t)capacity, .text = ret_text};
    *ret = (struct batch_time){.kernel_clock_hz = NAN};
    return host_run(host, &no_device, &batch, ret, &message);
}

static void open_and_prepare(const char *script, struct kernel_prepared *ret) {
    struct err err = {0};
    if (open_host(script, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(host_prepare(host, &wanted, ret, NULL), 0);
}

// Its end, as the record of the case will tell it.
static void assert_gone(enum outcome outcome, enum finding finding, const char *words) {
    struct check_result result = {0};
    struct batch_time time;
    char text[512] = "";
    assert_true(host_is_gone(host, &result));
    if (!strstr(result.message, words)) fail_msg("'%s' does not say '%s'", result.message, words);
    assert_int_equal(result.outcome, outcome);
    assert_int_equal(result.finding, finding);
    for (const char *at = result.message; *at; ++at) assert_true(*at >= ' ' && *at < 127);
    // Whatever is asked of it now is answered by that sentence, at once.
    assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
    assert_non_null(strstr(text, words));
    assert_int_equal(host_end(host), HOST_GONE);
    host_release(host);
}

static void test_honest(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512];
    open_and_prepare("honest", &prepared);
    assert_int_equal(prepared.status, ASSAY_OK);
    assert_true(prepared.has_state && prepared.workspace_bytes == 0);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_int_equal(time.duration_ns, 1000);
    assert_true(time.judge_ns > 0 && time.start_ns <= clock_ns());
    assert_false(host_is_gone(host, &(struct check_result){0}));
    host_release(host);
    assert_int_equal(host_end(host), 0);
    host_close(host);
}

static void test_bad_ends(void **state) {
    (void)state;
    static const struct {
        const char *script, *words;
        enum outcome outcome;
        enum finding finding;
    } cases[] = {
        {"exits", "exited with code 0 before the case was finished", OUTCOME_CRASHED, FINDING_NONE},
        {"aborts", "killed by signal 6", OUTCOME_CRASHED, FINDING_NONE},
        {"closes", "its process closed the judge's channel", OUTCOME_CRASHED, FINDING_NONE},
        {"empty", "its process closed the judge's channel", OUTCOME_CRASHED, FINDING_NONE},
        {"short", "its process answered with a packet that is none of a host's", OUTCOME_CRASHED,
         FINDING_NONE},
        {"other_number", "its process answered what nobody had asked", OUTCOME_CRASHED, FINDING_NONE},
        {"no_kind", "its process answered what nobody had asked", OUTCOME_CRASHED, FINDING_NONE},
        {"traced", "its process does not stop", OUTCOME_CRASHED, FINDING_NONE},
        {"fault", "wrote memory 12 bytes past the end of 'out'", OUTCOME_FAIL, FINDING_OUT_OF_BOUNDS},
        {"odd_fault", "'???", OUTCOME_FAIL, FINDING_OUT_OF_BOUNDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(cases[i].script, &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_gone(cases[i].outcome, cases[i].finding, cases[i].words);
        host_close(host);
    }
}

// Answers that nobody has asked for lie in the channel when the next command is sent.
static void test_too_many_answers(void **state) {
    (void)state;
    static const char *const scripts[] = {"twice", "answers_ahead", "floods"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(scripts[i], &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_gone(OUTCOME_CRASHED, FINDING_NONE, "its process answered what nobody had asked");
        host_close(host);
    }
}

static void test_figures(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[HOST_TEXT_BYTES + 100] = "";
    open_and_prepare("forged_times", &prepared);
    const uint64_t before_ns = clock_ns();
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.start_ns >= before_ns && time.start_ns <= clock_ns());
    assert_true(time.duration_ns > 0 && time.duration_ns <= UINT64_C(86400000000000));
    assert_true(time.judge_ns < UINT64_C(10000000000)); // its own clock's
    assert_true(time.tail_ns == 0 && isnan(time.kernel_clock_hz) && time.judge_error_ns == 0);
    host_close(host);
    open_and_prepare("zero_time", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.start_ns >= before_ns && time.duration_ns == 1);
    host_close(host);
    open_and_prepare("odd_status", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), INT32_MIN); // a failure like any other
    host_close(host);
    open_and_prepare("gone_status", &prepared);
    assert_int_not_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_false(host_is_gone(host, &(struct check_result){0}));
    host_close(host);
    open_and_prepare("endless_text", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_FAILED);
    assert_int_equal(strlen(text), HOST_TEXT_BYTES - 1);
    host_close(host);
    open_and_prepare("error", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_FAILED);
    assert_string_equal(text, "words of the host");
    host_close(host);
}

static void test_prepare_and_load(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct err err = {0};
    open_and_prepare("huge", &prepared);
    assert_int_equal(prepared.workspace_bytes, SIZE_MAX); // the judge asks what the device has
    assert_int_equal(prepared.callback, KERNEL_PREPARE);
    assert_int_equal(strlen(prepared.text), sizeof prepared.text - 1);
    host_close(host);
    assert_int_equal(open_host("refuses", &err), -ERR_DATA); // a code that there is not
    assert_null(host);
    assert_non_null(strstr(err.text, "nnn"));
    assert_int_equal(open_host("dies_loading", &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "does a constructor of the module"));
}

static void test_bad_goodbyes(void **state) {
    (void)state;
    struct check_result result;
    struct kernel_prepared prepared;
    open_and_prepare("ends_badly", &prepared);
    assert_int_equal(host_end(host), HOST_GONE);
    assert_true(host_is_gone(host, &result));
    assert_string_equal(result.message,
                        "exited with code 9 after its results were written, in release or in a destructor");
    host_close(host);
    open_and_prepare("stays", &prepared);
    const uint64_t start_ns = clock_ns();
    assert_int_equal(host_end(host), HOST_GONE);
    assert_true(clock_ns() - start_ns < UINT64_C(9000000000));
    assert_true(host_is_gone(host, &result));
    assert_int_equal(result.outcome, OUTCOME_TIMEOUT);
    host_close(host);
}

// ---- signals from outside ----

struct told {
    int count;
    uint32_t side;
    char sentence[256];
};

static void note_killed(void *arg, uint32_t side, const char *sentence) {
    struct told *told = arg;
    ++told->count;
    told->side = side;
    snprintf(told->sentence, sizeof told->sentence, "%s", sentence);
}

// Who can try again is told once; an end of the host's own is nothing to be told.
static void test_killed_from_outside(void **state) {
    (void)state;
    static const struct {
        const char *script;
        int signal, told;
    } cases[] = {{"honest", SIGKILL, 1}, {"exits", 0, 0}, {"aborts", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        struct told told = {.side = 7};
        char text[512] = "";
        open_and_prepare(cases[i].script, &prepared);
        host_client_set_on_killed(note_killed, &told);
        if (cases[i].signal) kill(host_pid(host), cases[i].signal);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        host_client_set_on_killed(NULL, NULL);
        assert_int_equal(told.count, cases[i].told);
        if (told.count) assert_int_equal(told.side, 0);
        if (told.count) assert_non_null(strstr(told.sentence, "killed by signal "));
        if (told.count) assert_string_equal(told.sentence, text);
        host_close(host);
    }
}

static void count_looks(void *arg) {
    ++*(int *)arg;
}

// A host that does not answer is waited for: control's limit ends the judge. Meanwhile the judge looks
// around.
static void test_silence(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    int looks = 0;
    open_and_prepare("silent", &prepared);
    host_client_set_watch(count_looks, &looks);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    host_client_set_watch(NULL, NULL);
    assert_true(looks >= 2); // before the command, and after a second
    assert_true(time.judge_ns > 1400000000);
    host_close(host);
}

// ---- time ahead of the launches ----

static int answers_read;

static void read_answer(void *arg) {
    (void)arg;
    ++answers_read;
}

// The judge's turn on the device, before the launches and after the answer.
static struct {
    double ahead_ns, after_ns;
    bool is_after;
} turns;

static uint64_t nobody_else(struct device *device, double *turn_ns) {
    (void)device;
    if (turn_ns) *turn_ns = turns.is_after ? turns.after_ns : turns.ahead_ns;
    turns.is_after = !turns.is_after;
    return 0;
}

static const struct backend turns_backend = {.name = "turns", .wait_for_others = nobody_else};

// A batch whose data the host knows from when it is continued, on a processor and where processes take turns:
// what the host does before it is asked for the launches counts.
static void test_time_ahead(void **state) {
    (void)state;
    static const char *const scripts[] = {"late_on_continue", "late_hello"};
    struct device turns_device = {.backend = &turns_backend};
    struct device *const devices[] = {&no_device, &turns_device};
    for (size_t i = 0; i < 4; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time = {0};
        const struct batch batch = {
            .set_count = 1, .launches = 1, .is_timed = true, .on_answer = read_answer};
        open_and_prepare(scripts[i % 2], &prepared);
        answers_read = 0;
        assert_int_equal(host_run(host, devices[i / 2], &batch, &time, NULL), ASSAY_OK);
        assert_int_equal(answers_read, 1);
        assert_int_equal(time.duration_ns, 1000);
        // The judge leaves out what an exchange costs, which is milliseconds where all processors are busy.
        if (time.ahead_ns < LATE_NS || time.judge_ns < LATE_NS / 2)
            fail_msg("%s: %llu ns ahead, %llu ns counted", scripts[i % 2], (unsigned long long)time.ahead_ns,
                     (unsigned long long)time.judge_ns);
        host_close(host);
    }
}

// How much of the time ahead is not counted: at least, since the time of the sample itself is in judge_ns.
static double not_counted_ns(struct device *device) {
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    double most_ns = 0;
    for (int i = 0; i < 5; ++i) {
        struct batch_time time = {0};
        assert_int_equal(host_run(host, device, &batch, &time, NULL), ASSAY_OK);
        most_ns = fmax(most_ns, (double)time.ahead_ns - (double)time.judge_ns);
    }
    return most_ns;
}

// A host that is slow to wake is not blamed for it where the judge's turn on the device went on: nothing was
// computed there. A turn that might be a switch counts, however long a host makes switches look.
static void test_waking_beside_an_idle_device(void **state) {
    (void)state;
    static const struct {
        double switch_ns, ahead_ns;
        bool is_idle;
    } rows[] = {{80000, 39999, true},     {80000, 40001, false},      {200000, 49999, true},
                {200000, 50001, false},   {1e9, 50001, false},        {0, 0, false},
                {80000, INFINITY, false}, {INFINITY, INFINITY, false}};
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    const struct host_cost least = {.exchange_ns = 0, .ahead_ns = 0, .turn_ns = INFINITY};
    struct device device = {.backend = &turns_backend};
    struct kernel_prepared prepared;
    open_and_prepare("wakes_slowly", &prepared);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        turns.ahead_ns = rows[i].ahead_ns, turns.after_ns = rows[i].switch_ns, turns.is_after = false;
        assert_true(host_measure_exchange(host, &device, &batch));
        host_limit_cost(host, &least);
        const double ns = not_counted_ns(&device);
        if (ns > 500000 || (ns > 50000) != rows[i].is_idle)
            fail_msg("row %zu: %.0f ns ahead of the launches were not counted", i, ns);
    }
    const struct host_cost quicker = {.exchange_ns = 0, .ahead_ns = 0, .turn_ns = 80000};
    turns.ahead_ns = 45000, turns.after_ns = 200000, turns.is_after = false;
    assert_true(host_measure_exchange(host, &device, &batch));
    host_limit_cost(host, &quicker); // another side's switch was shorter
    assert_true(not_counted_ns(&device) <= 50000);
    host_close(host);
}

// What one thread of the host takes from another is taken by nobody else, though both are the harness's as
// far as the judge can see.
static void test_threads_ahead(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    open_and_prepare("late_threads", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.judge_ns >= UINT64_C(2) * LATE_NS / 100 * 95);
    host_close(host);
}

// What it takes when nothing is launched, too, is its cost only as far as another host's.
static void test_cost_ahead(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    open_and_prepare("honest", &prepared);
    assert_true(host_measure_exchange(host, &no_device, &batch));
    const struct host_cost cost = host_cost(host);
    assert_true(cost.exchange_ns > 0 && cost.ahead_ns > 0);
    host_close(host);
    open_and_prepare("late_hello", &prepared);
    assert_true(host_measure_exchange(host, &no_device, &batch));
    assert_true(host_cost(host).ahead_ns <= 30000); // nobody else says what it costs
    host_limit_cost(host, &cost);
    assert_true(host_cost(host).ahead_ns <= cost.ahead_ns);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.judge_ns >= LATE_NS - 3 * 50000);
    host_close(host);
}

// Threads that spin on are known only once the cost of an exchange is, and a single thread is none; a new
// measurement of the cost forgets them. To settle is to run for a while.
static void test_settling(void **state) {
    (void)state;
    static const char *const scripts[] = {"honest", "late_on_continue", "late_beside_sleeper"};
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(scripts[i], &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_false(host_is_restless(host));
        assert_true(host_measure_exchange(host, &no_device, &batch));
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_int_equal(host_is_restless(host), plays("\"late_beside_sleeper\"", scripts[i]));
        const uint64_t used_ns = host_cpu_ns(host);
        for (int k = 0; k < 100 && host_cpu_ns(host) - used_ns < 100000; ++k) host_settle(host);
        if (host_is_restless(host)) assert_true(host_cpu_ns(host) - used_ns >= 100000);
        assert_int_equal(host_process_runnable_threads(host_pid(host)), 0);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_true(host_measure_exchange(host, &no_device, &batch));
        assert_false(host_is_restless(host));
        host_close(host);
    }
}

// A check, a single call and a batch of the samples differ by the number of launches alone.
static void test_requests_do_not_tell_what_is_timed(void **state) {
    (void)state;
    static const struct batch batches[] = {{.first_index = 7, .set_count = 1, .launches = 1},
                                           {.set_count = 9, .first_set = 7, .launches = 1, .is_timed = true},
                                           {.set_count = 9, .first_set = 7, .launches = 3, .is_timed = true}};
    static const char *const texts[] = {"7 to 7 from 0, 1", "7 to 7 from 0, 1", "0 to 8 from 7, 3"};
    struct kernel_prepared prepared;
    open_and_prepare("shows_request", &prepared);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[512] = "";
        struct assay_message message = {.capacity = sizeof text, .text = text};
        assert_int_equal(host_run(host, &no_device, &batches[i], &(struct batch_time){0}, &message), 0);
        assert_string_equal(text, texts[i]);
    }
    host_close(host);
}

static void test_descriptor_limit(void **state) {
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(limit.rlim_cur == limit.rlim_max);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "host") == 0) _exit(play());
    struct err err = {0};
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 256) limit.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &limit); // for test_descriptor_limit
    if (host_client_init(&err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_honest),
                                       cmocka_unit_test(test_bad_ends),
                                       cmocka_unit_test(test_too_many_answers),
                                       cmocka_unit_test(test_figures),
                                       cmocka_unit_test(test_prepare_and_load),
                                       cmocka_unit_test(test_bad_goodbyes),
                                       cmocka_unit_test(test_killed_from_outside),
                                       cmocka_unit_test(test_silence),
                                       cmocka_unit_test(test_descriptor_limit),
                                       cmocka_unit_test(test_time_ahead),
                                       cmocka_unit_test(test_waking_beside_an_idle_device),
                                       cmocka_unit_test(test_threads_ahead),
                                       cmocka_unit_test(test_cost_ahead),
                                       cmocka_unit_test(test_settling),
                                       cmocka_unit_test(test_requests_do_not_tell_what_is_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
