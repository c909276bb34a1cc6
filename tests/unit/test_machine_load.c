// SPDX-License-Identifier: Apache-2.0
//
// What others do on this machine, as /proc says it, and the priority over them. The other is a child of ours
// that spins; the machine may be busy with more.
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process/machine_load.h"
#include "base/process/priority.h"

#define LOOK_NS 300000000u

static pid_t spin(void) {
    const pid_t pid = fork();
    if (pid == 0)
        for (;;) {
        }
    assert_true(pid > 0);
    return pid;
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_a_process_that_spins_is_found(void **state) {
    (void)state;
    struct machine_load load;
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    const pid_t pid = spin();
    const bool is_known = machine_load_look(&allowed, LOOK_NS, &load);
    const uint64_t used_ns = machine_process_ns(pid);
    end(pid);
    assert_true(is_known && load.processor_count >= 1);
    assert_true(used_ns > 0 && load.process_count >= 1);
    // It has a processor's third at least, and so have those that keep it from more.
    // By its number and its command, which is this program's: names alone may be equal.
    for (size_t i = 0; i < load.process_count; ++i)
        if (load.processes[i].pid == pid) {
            assert_int_equal(strncmp(load.processes[i].command, "test_machine_load", 17), 0);
            assert_null(strchr(load.processes[i].command, '/'));
        }
    assert_true(load.processes[0].pct > 30 && load.processes[0].pct < 110);
    assert_true(load.busy_pct > 30.0 / load.processor_count && load.busy_pct <= 100);
    for (size_t i = 1; i < load.process_count; ++i)
        assert_true(load.processes[i].pct <= load.processes[i - 1].pct && load.processes[i].pct >= 10);
}

static void test_ticks(void **state) {
    (void)state;
    struct machine_ticks all, none;
    const int missing = 1 << 20;
    assert_true(machine_ticks_read(NULL, 0, &all) && all.busy > 0);
    assert_false(machine_ticks_read(&missing, 1, &none));
    assert_int_equal(machine_process_ns(1 << 30), 0);
    assert_true(machine_tick_ns() >= 1000000 && machine_tick_ns() <= 10000000);
}

// ---- priority ----

// Nice value of a session's share, as /proc says it: "/autogroup-123 nice -20".
static bool read_session_nice(int *ret) {
    FILE *file = fopen("/proc/self/autogroup", "re");
    if (!file) return false;
    const bool is_read = fscanf(file, "%*s nice %d", ret) == 1;
    fclose(file);
    return is_read;
}

// In a child, since a process that is not root does not come down again. Returns its exit code.
static int in_child(int (*run)(void)) {
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) _exit(run());
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int raise_it(void) {
    const int before = getpriority(PRIO_PROCESS, 0), after = priority_raise();
    if (after != getpriority(PRIO_PROCESS, 0) || after > before) return 1;
    return geteuid() == 0 && after != -20 ? 2 : 0;
}

static int raise_to_the_limit(void) {
    const struct rlimit limit = {.rlim_cur = 25, .rlim_max = 25}; // nice -5
    if (geteuid() != 0) return 0;
    if (setrlimit(RLIMIT_NICE, &limit) < 0) return errno == EPERM ? 0 : 1; // root without CAP_SYS_RESOURCE
    if (seteuid(65534) < 0) return 3;
    return priority_raise() == -5 && getpriority(PRIO_PROCESS, 0) == -5 ? 0 : 2;
}

static int raise_session(void) {
    int before = 0, nice = 0;
    if (!read_session_nice(&before)) return 0; // the system shares nothing between sessions
    priority_raise_session(getpid(), -7);      // we lead none
    if (!read_session_nice(&nice) || nice != before) return 1;
    if (setsid() < 0 || !read_session_nice(&before)) return 2;
    priority_raise_session(getpid(), 0);
    if (!read_session_nice(&nice) || nice != before) return 3;
    priority_raise_session(getpid(), -7);
    if (!read_session_nice(&nice)) return 4;
    return geteuid() != 0 || nice == -7 ? 0 : 5;
}

static void test_priority(void **state) {
    (void)state;
    assert_int_equal(in_child(raise_it), 0);
    assert_int_equal(in_child(raise_to_the_limit), 0);
    assert_int_equal(in_child(raise_session), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_process_that_spins_is_found),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_priority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
