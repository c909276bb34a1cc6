// SPDX-License-Identifier: Apache-2.0
//
// A host that this test program itself plays, by the script that the order's label names, and the judge's end
// of it.
#ifndef HOST_PLAYED_H
#define HOST_PLAYED_H

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

static void burn_late(int number) {
    (void)number;
    const uint64_t until_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + LATE_NS;
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns) continue;
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
        if (host_request_receive(HOST_CHANNEL_FD, &request, &fds) <= 0) return 0;
        struct host_answer answer = {.kind = HOST_ANSWER_DONE, .number = request.number};
        if (request.command == HOST_LOAD && pread(fds.items[0], script, sizeof script - 1, 0) <= 0) return 3;
        for (size_t i = 0; i < fds.count; ++i) close(fds.items[i]);
        if (request.command == HOST_LOAD && plays(script, "dies_loading")) __builtin_trap();
        if (request.command == HOST_LOAD && plays(script, "late_beside_sleeper")) begin_sleeper();
        if (request.command == HOST_LOAD &&
            (plays(script, "late_on_continue") || plays(script, "late_beside_sleeper")))
            signal(SIGCONT, burn_late);
        if (request.command == HOST_HELLO && plays(script, "late_hello")) burn_late(0);
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
    assert_int_equal(problem_parse(&operators_compiled, "scale/fp32/n64", &wanted.problem, NULL), 0);
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

// A process that plays a host ends here. 0, or 1 with a sentence: nothing can be tested.
static int played_begin(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "host") == 0) _exit(play());
    struct err err = {0};
    if (host_client_init(&err) == 0) return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}

#endif
