// SPDX-License-Identifier: Apache-2.0
//
// A clock holder child: it says one line, and ends by itself once nobody reads its descriptor 3, also when
// its parent is killed. And what --lock-clocks takes. How clocks are held and let go is in
// tests/cli/cuda/lock_*.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/clock_holder.h"
#include "control/flow/clock_lock.h"

// Says "ready", and writes "undone" to $DONE when descriptor 3 has no reader any more.
static const char waits[] =
    "trap '' PIPE; echo ready >&3; while echo . >&3; do sleep 0.02; done 2>/dev/null; "
    "echo undone >\"$DONE\"";

static struct clock_holder *start(const char *script, const char *done) {
    char *assignment = mem_format("DONE=%s", done);
    const char *const argv[] = {"sh", "-c", script, NULL}, *const env[] = {assignment, NULL};
    const struct proc_spec spec = {.argv = argv, .env_add = env};
    struct clock_holder *clock_holder = NULL;
    struct err err = {0};
    if (clock_holder_open(&spec, &clock_holder, &err) < 0) fail_msg("%s", err.text);
    free(assignment);
    return clock_holder;
}

static void new_path(char ret_path[64]) {
    snprintf(ret_path, 64, "/tmp/assay_guardian_XXXXXX");
    close(mkstemp(ret_path));
}

static bool is_done(const char *path) {
    char *text = NULL;
    const bool is_there = file_read(path, 64, &text, NULL, NULL) == 0 && strcmp(text, "undone\n") == 0;
    free(text);
    return is_there;
}

static void test_ends_by_itself(void **unused) {
    (void)unused;
    char path[64];
    new_path(path);
    struct clock_holder *clock_holder = start(waits, path);
    struct strbuf line = {0};
    assert_int_equal(clock_holder_read_line(clock_holder, UINT64_C(20000000000), &line), 1);
    assert_string_equal(line.text, "ready");
    assert_true(clock_holder_is_there(clock_holder));
    assert_false(is_done(path));
    struct proc_status status;
    clock_holder_close(clock_holder, UINT64_C(20000000000), &status);
    assert_int_equal(status.end, PROC_EXITED);
    assert_true(is_done(path));
    strbuf_fini(&line);
    unlink(path);
}

static void test_outlives_a_killed_parent(void **unused) {
    (void)unused;
    char path[64];
    int ready[2];
    new_path(path);
    assert_int_equal(pipe(ready), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        struct strbuf line = {0};
        struct clock_holder *clock_holder = start(waits, path);
        clock_holder_read_line(clock_holder, UINT64_C(20000000000), &line);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    kill(parent, SIGKILL);
    int status;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(WIFSIGNALED(status));
    for (int i = 0; i < 1000 && !is_done(path); ++i) clock_sleep_ns(20000000);
    assert_true(is_done(path));
    close(ready[0]);
    close(ready[1]);
    unlink(path);
}

static void test_one_that_does_not_end_is_killed(void **unused) {
    (void)unused;
    struct clock_holder *clock_holder = start("trap '' PIPE; sleep 600", "/dev/null");
    struct strbuf line = {0};
    assert_int_equal(clock_holder_read_line(clock_holder, 1000000, &line), 0);
    struct proc_status status;
    clock_holder_close(clock_holder, 1000000, &status);
    assert_int_equal(status.end, PROC_TIMEOUT);
    strbuf_fini(&line);
}

static void test_one_that_is_gone(void **unused) {
    (void)unused;
    struct clock_holder *clock_holder = start("exit 3", "/dev/null");
    struct strbuf line = {0};
    assert_int_equal(clock_holder_read_line(clock_holder, UINT64_C(20000000000), &line), 0);
    for (int i = 0; i < 1000 && clock_holder_is_there(clock_holder); ++i) clock_sleep_ns(20000000);
    assert_false(clock_holder_is_there(clock_holder));
    struct proc_status status;
    clock_holder_close(clock_holder, UINT64_C(20000000000), &status);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 3);
    clock_holder_close(NULL, 0, NULL);
    strbuf_fini(&line);
}

// ---- --lock-clocks ----

static int check(const char *device, const char *resume, const char *wanted, struct err *err) {
    return clock_lock_check(wanted, device, device_kind_of(device), resume != NULL, err);
}

static void test_what_can_be_asked_for(void **unused) {
    (void)unused;
    static const char *const fine[] = {"base", "max", "1500", "1500MHz", "1500 MHz"};
    static const char *const wrong[] = {"", "0", "fast", "1.5GHz", "-5", "1500 W", "1234567"};
    struct err err = {0};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; ++i)
        assert_int_equal(check("cuda:0", NULL, fine[i], &err), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(check("cuda:0", NULL, wrong[i], &err), -ERR_USAGE);
        assert_non_null(strstr(err.text, "base, max or a number of MHz"));
    }
    assert_int_equal(check("cpu", NULL, NULL, &err), 0);
    assert_int_equal(check("cpu", NULL, "base", &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "is for GPUs"));
    assert_int_equal(check("sim:steady", NULL, "base", &err), -ERR_USAGE);
    assert_int_equal(check("cuda:0", "last", "base", &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "--resume"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_by_itself),
        cmocka_unit_test(test_outlives_a_killed_parent),
        cmocka_unit_test(test_one_that_does_not_end_is_killed),
        cmocka_unit_test(test_one_that_is_gone),
        cmocka_unit_test(test_what_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
