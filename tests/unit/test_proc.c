// SPDX-License-Identifier: Apache-2.0
//
// base/proc starts, feeds, watches and ends children as its header says, and leaves no process behind.
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/proc.h"

#define SHELL(script) ((const char *const[]){"sh", "-c", script, NULL})
enum { NS_PER_MS = 1000000 };

static void run_ok(const struct proc_spec *spec, struct proc_status *status, struct strbuf *output) {
    struct err err = {0};
    if (proc_run(spec, status, output, &err) != 0) fail_msg("%s", err.text);
}

static void test_output_and_exit_code(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    run_ok(&(struct proc_spec){.argv = SHELL("echo one; echo two >&2; exit 3")}, &status, &output);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 3);
    assert_string_equal(strbuf_text(&output), "one\ntwo\n");
    strbuf_clear(&output);
    proc_status_format(&status, &output);
    assert_string_equal(strbuf_text(&output), "exited with code 3");
    strbuf_fini(&output);
}

static void test_split(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf out = {0}, err_out = {0};
    struct proc_spec spec = {.argv = SHELL("echo one; echo two >&2")};
    assert_int_equal(proc_run_split(&spec, &status, &out, &err_out, NULL), 0);
    assert_string_equal(strbuf_text(&out), "one\n");
    assert_string_equal(strbuf_text(&err_out), "two\n");
    strbuf_fini(&out);
    strbuf_fini(&err_out);
}

static void test_large_input_and_output(void **state) {
    (void)state;
    enum { COUNT = 3 << 20 };
    char *text = malloc(COUNT);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT; ++i) text[i] = (char)('a' + i % 26);
    struct proc_status status;
    struct strbuf output = {0};
    run_ok(&(struct proc_spec){.argv = (const char *const[]){"cat", NULL},
                               .stdin_text = text,
                               .stdin_length = COUNT,
                               .output_limit_bytes = COUNT},
           &status, &output);
    assert_int_equal(output.length, COUNT);
    assert_memory_equal(output.text, text, COUNT);
    strbuf_clear(&output);
    run_ok(&(struct proc_spec){.argv = (const char *const[]){"cat", NULL},
                               .stdin_text = text,
                               .stdin_length = COUNT,
                               .output_limit_bytes = 100},
           &status, &output);
    assert_int_equal(output.length, 100);
    assert_memory_equal(output.text, text + COUNT - 100, 100);
    strbuf_fini(&output);
    free(text);
}

static void test_environment_and_dir(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    setenv("ASSAY_TEST_VALUE", "old", 1);
    run_ok(&(struct proc_spec){.argv = SHELL("echo $ASSAY_TEST_VALUE; pwd"),
                               .dir = "/",
                               .env_add = (const char *const[]){"ASSAY_TEST_VALUE=new", NULL}},
           &status, &output);
    assert_string_equal(strbuf_text(&output), "new\n/\n");
    strbuf_fini(&output);
}

static void test_cannot_start(void **state) {
    (void)state;
    struct proc_status status;
    struct err err = {0};
    struct proc_spec missing = {.argv = (const char *const[]){"no-such-program-here", NULL}};
    assert_int_equal(proc_run(&missing, &status, NULL, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "no-such-program-here"));
    struct proc_spec no_dir = {.argv = SHELL("true"), .dir = "/no/such/folder"};
    assert_int_equal(proc_run(&no_dir, &status, NULL, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "/no/such/folder"));
    struct proc_spec not_executable = {.argv = (const char *const[]){"/etc/passwd", NULL}};
    assert_int_equal(proc_run(&not_executable, &status, NULL, &err), -ERR_UNAVAILABLE);
}

static void test_signal_and_no_descriptors(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    run_ok(&(struct proc_spec){.argv = SHELL("kill -SEGV $$")}, &status, &output);
    assert_int_equal(status.end, PROC_SIGNALED);
    assert_int_equal(status.signal, SIGSEGV);
    proc_status_format(&status, &output);
    assert_string_equal(strbuf_text(&output), "killed by signal 11 (Segmentation fault)");
    strbuf_clear(&output);
    int leaked = dup(STDOUT_FILENO); // not close-on-exec
    run_ok(&(struct proc_spec){.argv = SHELL("ls /proc/$$/fd; ulimit -c")}, &status, &output);
    close(leaked);
    assert_string_equal(strbuf_text(&output), "0\n1\n2\n0\n");
    strbuf_fini(&output);
}

static void kept_descriptors_stay_open(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    int ends[2];
    char text[8] = "";
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    ends[1] = proc_keep_fd(ends[1]);
    assert_true(ends[1] > 3);
    char *script = mem_format("echo kept >/proc/self/fd/%d; ls /proc/$$/fd", ends[1]);
    const struct proc_spec spec = {.argv = SHELL(script), .kept_fds = &ends[1], .kept_fd_count = 1};
    run_ok(&spec, &status, &output);
    char *listed = mem_format("0\n1\n%d\n2\n", ends[1]), *sorted = mem_format("0\n1\n2\n%d\n", ends[1]);
    if (!str_equal(strbuf_text(&output), listed)) assert_string_equal(strbuf_text(&output), sorted);
    free(listed);
    free(sorted);
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    assert_memory_equal(text, "kept\n", 5);
    assert_true(fcntl(ends[1], F_GETFD) & FD_CLOEXEC); // in other children it is not
    assert_int_equal(proc_keep_fd(-1), -1);
    for (size_t i = 0; i < 2; ++i) close(ends[i]);
    strbuf_fini(&output);
    free(script);
}

static bool is_alive(const char *pid_text) {
    long long pid = 0;
    char *digits = mem_format("%.*s", (int)strcspn(pid_text, "\n"), pid_text);
    assert_int_equal(str_parse_i64(digits, &pid), 0);
    free(digits);
    return kill((pid_t)pid, 0) == 0;
}

static void test_timeout_kills_group(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    uint64_t start_ns = clock_ns();
    run_ok(
        &(struct proc_spec){.argv = SHELL("sleep 100 & echo $!; sleep 100"), .timeout_ns = 200 * NS_PER_MS},
        &status, &output);
    assert_int_equal(status.end, PROC_TIMEOUT);
    assert_true(clock_ns() - start_ns < (uint64_t)5000 * NS_PER_MS);
    assert_false(is_alive(strbuf_text(&output)));
    strbuf_fini(&output);
}

static void test_background_is_killed(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    run_ok(&(struct proc_spec){.argv = SHELL("sleep 100 & echo $!")}, &status, &output);
    assert_int_equal(status.end, PROC_EXITED);
    assert_false(is_alive(strbuf_text(&output)));
    strbuf_clear(&output);
    run_ok(&(struct proc_spec){.argv = SHELL("setsid sh -c 'echo $$; exec sleep 100' & sleep 0.3")}, &status,
           &output);
    assert_int_equal(status.end, PROC_EXITED);
    assert_false(is_alive(strbuf_text(&output)));
    strbuf_fini(&output);
}

// Reads the number that a process writes into a file, when it has. 0: it never did.
static pid_t pid_awaited(const char *path) {
    const uint64_t start_ns = clock_ns();
    while (clock_ns() - start_ns < (uint64_t)20000 * NS_PER_MS) {
        char *text = NULL;
        const bool is_there = file_exists(path) && file_read(path, 64, &text, NULL, NULL) == 0;
        const long pid = is_there && strchr(text, '\n') ? strtol(text, NULL, 10) : 0;
        free(text);
        if (pid) return (pid_t)pid;
        clock_sleep_ns(10 * NS_PER_MS);
    }
    return 0;
}

// Reaps it first if it is our child: earlier tests made this process a reaper of orphans.
static bool is_gone(pid_t pid) {
    const uint64_t start_ns = clock_ns();
    while (clock_ns() - start_ns < (uint64_t)20000 * NS_PER_MS) {
        if (waitpid(pid, NULL, WNOHANG) == pid || kill(pid, 0) < 0) return true;
        clock_sleep_ns(10 * NS_PER_MS);
    }
    return false;
}

// Processes that a build tool started in a group of their own end even if their parent was killed.
static void test_killed_with_us(void **state) {
    (void)state;
    char folder[] = "/tmp/assay-proc-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "pid");
    char *script = mem_format("setsid sh -c 'echo $$ >%s; exec sleep 100' & sleep 100", path);
    const pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        struct proc_status status;
        proc_run(&(struct proc_spec){.argv = SHELL(script), .starts_others = true}, &status, NULL, NULL);
        _exit(0);
    }
    const pid_t escaped = pid_awaited(path);
    assert_true(escaped > 0);
    assert_int_equal(kill(escaped, 0), 0);
    kill(us, SIGKILL);
    assert_int_equal(waitpid(us, NULL, 0), us);
    assert_true(is_gone(escaped));
    file_remove_tree(folder, NULL);
    free(script);
    free(path);
}

static void test_environment_less(void **state) {
    (void)state;
    struct proc_status status;
    struct strbuf output = {0};
    setenv("ASSAY_TEST_AWAY", "there", 1);
    setenv("ASSAY_TEST_AWAY_NOT", "there", 1);
    run_ok(&(struct proc_spec){.argv = SHELL("echo \"${ASSAY_TEST_AWAY-gone} $ASSAY_TEST_AWAY_NOT\""),
                               .env_remove = (const char *const[]){"ASSAY_TEST_AWAY", NULL}},
           &status, &output);
    assert_string_equal(strbuf_text(&output), "gone there\n");
    strbuf_fini(&output);
    unsetenv("ASSAY_TEST_AWAY");
    unsetenv("ASSAY_TEST_AWAY_NOT");
}

static void test_memory_limit(void **state) {
    (void)state;
    struct proc_status status;
    char *self = path_self();
    run_ok(&(struct proc_spec){.argv = (const char *const[]){self, "hog", NULL},
                               .memory_limit_bytes = 50000000,
                               .timeout_ns = (uint64_t)20000 * NS_PER_MS},
           &status, NULL);
    assert_int_equal(status.end, PROC_OVER_MEMORY);
    // What it started counts with it: each alone is below the limit.
    char *both = mem_format("'%s' hog & '%s' hog & wait", self, self);
    run_ok(&(struct proc_spec){.argv = (const char *const[]){"sh", "-c", both, NULL},
                               .memory_limit_bytes = 300000000,
                               .timeout_ns = (uint64_t)20000 * NS_PER_MS},
           &status, NULL);
    assert_int_equal(status.end, PROC_OVER_MEMORY);
    free(both);
    free(self);
}

static void test_lines(void **state) {
    (void)state;
    struct proc *proc = NULL;
    struct proc_spec spec = {
        .argv = SHELL("echo noise; echo a >&3; echo b >&3; sleep 0.1; cat >&3; printf torn >&3; exit 7"),
        .stdin_text = "from stdin\n",
        .stdin_length = 11};
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    static const char *const expected[] = {"a", "b", "from stdin"};
    char *line = NULL;
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
        assert_string_equal(line, expected[i]);
    }
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 0);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 0);
    struct proc_status status;
    char *tail = NULL;
    proc_close(proc, &status, &tail);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 7);
    assert_string_equal(tail, "noise\n");
    free(tail);
}

// What was printed before a line that is written after it has arrived when the line has.
static void test_output_so_far(void **state) {
    (void)state;
    struct proc *proc = NULL;
    const struct proc_spec spec = {
        .argv = SHELL("echo first; sleep 0.3; echo a >&3; sleep 0.2; echo second >&2; echo third; echo b "
                      ">&3; sleep 0.2;"
                      "head -c 300000 /dev/zero | tr '\\0' x; echo c >&3; read wait; exit 0"),
        .output_limit_bytes = 100};
    char *line = NULL, *tail;
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    tail = proc_output_tail(proc, PROC_OWN_OUTPUT); // without a mark: all of it
    assert_string_equal(tail, "first\n");
    free(tail);
    proc_output_mark(proc);
    tail = proc_output_tail(proc, PROC_OWN_OUTPUT);
    assert_string_equal(tail, "");
    free(tail);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    for (int look = 0; look < 2; ++look) { // looking takes nothing away
        tail = proc_output_tail(proc, PROC_OWN_OUTPUT);
        assert_string_equal(tail, "second\nthird\n");
        free(tail);
    }
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    tail = proc_output_tail(proc, PROC_OWN_OUTPUT); // no more than the limit
    assert_int_equal(strlen(tail), 100);
    assert_int_equal(strspn(tail, "x"), 100);
    free(tail);
    proc_close(proc, NULL, &tail); // the mark does not concern the end of all that was printed
    assert_int_equal(strlen(tail), 100);
    free(tail);
}

// What is printed to other pipes is told apart, and is part of all that was printed.
static void test_more_outputs(void **state) {
    (void)state;
    struct proc *proc = NULL;
    int read_fds[2], write_fds[2];
    char script[200], *line = NULL;
    for (size_t i = 0; i < 2; ++i) assert_int_equal(proc_open_pipe(&read_fds[i], &write_fds[i]), 0);
    snprintf(script, sizeof script,
             "echo own; echo one >/dev/fd/%d; sleep 0.2; echo a >&3; sleep 0.2; echo two >/dev/fd/%d; echo "
             "again >/dev/fd/%d; "
             "sleep 0.2; echo b >&3; exit 0",
             write_fds[0], write_fds[1], write_fds[0]);
    const struct proc_spec spec = {.argv = SHELL(script),
                                   .kept_fds = write_fds,
                                   .kept_fd_count = 2,
                                   .more_output_fds = read_fds,
                                   .more_output_count = 2};
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    for (size_t i = 0; i < 2; ++i) close(write_fds[i]);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    proc_output_mark(proc);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    static const struct {
        size_t output;
        const char *text;
    } tails[] = {{PROC_OWN_OUTPUT, ""}, {0, "again\n"}, {1, "two\n"}};
    for (size_t i = 0; i < 3; ++i) {
        char *tail = proc_output_tail(proc, tails[i].output);
        assert_string_equal(tail, tails[i].text);
        free(tail);
    }
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 0);
    char *all = proc_output_all(proc), *own = NULL;
    assert_int_equal(strlen(all), strlen("own\none\ntwo\nagain\n"));
    proc_close(proc, NULL, &own);
    assert_string_equal(own, "own\n");
    free(all);
    free(own);
}

// A child that prints faster than anyone reads does not hold up who looks.
static void test_output_without_end(void **state) {
    (void)state;
    struct proc *proc = NULL;
    const struct proc_spec spec = {.argv = SHELL("echo a >&3; yes")};
    char *line = NULL;
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    for (int i = 0; i < 20; ++i) {
        char *tail = proc_output_tail(proc, PROC_OWN_OUTPUT);
        assert_true(strlen(tail) <= 65536);
        free(tail);
        proc_output_mark(proc);
    }
    proc_close(proc, NULL, NULL);
}

static void *stop_us_for_a_while(void *arg) {
    (void)arg;
    // A child of the shell goes on while this process stands, and wakes it.
    return system("pid=$PPID; (sleep 0.8; kill -CONT $pid) & kill -STOP $pid") == 0 ? arg : NULL;
}

static void test_time_lost(void **state) {
    (void)state;
    struct proc *proc = NULL;
    const struct proc_spec spec = {.argv = SHELL("sleep 0.1; echo a >&3; sleep 2; echo b >&3")};
    char *line = NULL;
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    assert_true(proc_lost_ns(proc) < 600000000);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_us_for_a_while, NULL), 0);
    assert_int_equal(proc_next_line(proc, 0, &line, NULL), 1);
    pthread_join(thread, NULL);
    assert_true(proc_lost_ns(proc) > 200000000); // 0.8 s, of which a wait of 0.5 s was planned
    proc_close(proc, NULL, NULL);
}

static void test_many_lines(void **state) {
    (void)state;
    struct proc *proc = NULL;
    struct proc_spec spec = {.argv = SHELL("seq 1 200000 >&3")};
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    char *line = NULL;
    long long expected = 0, value = 0;
    while (proc_next_line(proc, 0, &line, NULL) == 1) {
        assert_int_equal(str_parse_i64(line, &value), 0);
        assert_int_equal(value, ++expected);
    }
    assert_int_equal(expected, 200000);
    proc_close(proc, NULL, NULL);
}

static void test_line_deadline(void **state) {
    (void)state;
    struct proc *proc = NULL;
    struct proc_spec spec = {.argv = SHELL("echo a >&3; while :; do :; done")};
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    char *line = NULL;
    uint64_t deadline_ns = clock_ns() + 300 * NS_PER_MS;
    assert_int_equal(proc_next_line(proc, deadline_ns, &line, NULL), 1);
    assert_int_equal(proc_next_line(proc, deadline_ns, &line, NULL), 0);
    struct proc_status status;
    pid_t pid = proc_pid(proc);
    proc_close(proc, &status, NULL);
    assert_int_equal(status.end, PROC_TIMEOUT);
    assert_int_not_equal(kill(pid, 0), 0);
}

static void test_close_running(void **state) {
    (void)state;
    struct proc *proc = NULL;
    struct proc_spec spec = {.argv = SHELL("sleep 100")};
    assert_int_equal(proc_open(&spec, &proc, NULL), 0);
    struct proc_status status;
    proc_close(proc, &status, NULL);
    assert_int_equal(status.end, PROC_SIGNALED);
    assert_int_equal(status.signal, SIGKILL);
}

// Last: the flag stays set.
static void test_interrupt(void **state) {
    (void)state;
    interrupt_catch();
    struct proc_status status;
    struct err err = {0};
    struct proc_spec spec = {.argv = SHELL("kill -INT $PPID; sleep 100")};
    assert_int_equal(proc_run(&spec, &status, NULL, &err), -ERR_CANCELLED);
    assert_true(interrupt_is_set());
}

// The child of test_memory_limit.
static int hog_memory(void) {
    enum { COUNT = 200000000 };
    volatile char *bytes = malloc(COUNT);
    for (size_t i = 0; bytes && i < COUNT; i += 4096) bytes[i] = 1;
    sleep(100);
    return bytes ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && str_equal(argv[1], "hog")) return hog_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_exit_code),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_large_input_and_output),
        cmocka_unit_test(test_environment_and_dir),
        cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_signal_and_no_descriptors),
        cmocka_unit_test(kept_descriptors_stay_open),
        cmocka_unit_test(test_timeout_kills_group),
        cmocka_unit_test(test_background_is_killed),
        cmocka_unit_test(test_killed_with_us),
        cmocka_unit_test(test_environment_less),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_output_so_far),
        cmocka_unit_test(test_more_outputs),
        cmocka_unit_test(test_output_without_end),
        cmocka_unit_test(test_time_lost),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_line_deadline),
        cmocka_unit_test(test_close_running),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
