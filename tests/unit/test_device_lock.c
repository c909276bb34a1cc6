// SPDX-License-Identifier: Apache-2.0
//
// The lock of a device: taken once by a command, known to what the command starts, waited for or not, and no
// reason not to measure where it cannot be made.
#include <setjmp.h>
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
#include "base/shared_lock.h"
#include "control/flow/device_lock.h"

static char *folder, *path, said[1024];
static size_t notice_count;

static void on_notice(void *arg, const char *text) {
    (void)arg;
    ++notice_count;
    snprintf(said, sizeof said, "%s", text);
}

static const struct device_lock_user gate = {.command = "gate", .device = "cpu", .on_notice = on_notice};

static int set_up(void **state) {
    (void)state;
    char template[] = "assay-test-XXXXXX";
    if (!mkdtemp(template)) return -1;
    folder = path_absolute(template);
    path = path_join(folder, "assay-cpu.lock");
    notice_count = 0;
    said[0] = 0;
    unsetenv("ASSAY_LOCK_HELD");
    return setenv("ASSAY_LOCKS", folder, 1);
}

static int tear_down(void **state) {
    (void)state;
    const int result = file_remove_tree(folder, NULL);
    free(folder);
    free(path);
    return result;
}

static bool is_free(void) {
    struct lock_holder holder;
    int fd = -1;
    const bool ret = shared_lock_try(path, &fd, &holder, NULL) == SHARED_LOCK_TAKEN;
    if (ret) close(fd);
    return ret;
}

static void test_taken_once(void **state) {
    (void)state;
    struct device_lock lock = {0}, inner = {.is_impatient = true};
    assert_int_equal(device_lock_take(NULL, &gate, NULL), 0);
    assert_true(is_free());
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0);
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0); // the next gate of a bisect
    assert_false(is_free());
    assert_string_equal(getenv("ASSAY_LOCK_HELD"), "cpu");
    assert_int_equal(device_lock_take(&inner, &gate, NULL), 0); // of a command that this one started
    device_lock_release(&inner);
    assert_false(is_free());
    device_lock_release(&lock);
    assert_true(is_free());
    assert_null(getenv("ASSAY_LOCK_HELD"));
    device_lock_release(&lock);
    device_lock_release(NULL);
    assert_int_equal(notice_count, 0);
    assert_int_equal(device_lock_waited_ns(&lock), 0);
}

// The lock of another device above is none of this one, and is known to what this one starts.
static void test_two_devices(void **state) {
    (void)state;
    struct device_lock lock = {0};
    setenv("ASSAY_LOCK_HELD", "GPU-1,cpux", 1);
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0);
    assert_false(is_free());
    assert_string_equal(getenv("ASSAY_LOCK_HELD"), "GPU-1,cpux,cpu");
    device_lock_release(&lock);
    assert_string_equal(getenv("ASSAY_LOCK_HELD"), "GPU-1,cpux");
}

static void test_impatient(void **state) {
    (void)state;
    struct device_lock lock = {.is_impatient = true};
    struct lock_holder holder;
    struct err err = {0};
    int fd = -1;
    assert_int_equal(shared_lock_try(path, &fd, &holder, NULL), SHARED_LOCK_TAKEN);
    assert_int_equal(device_lock_take(&lock, &gate, &err), -ERR_BUSY);
    assert_string_equal(err.text, "another assay measures on cpu: try again later, or leave --no-wait out to "
                                  "wait for it");
    setenv("ASSAY_LOCKS", "none", 1);
    assert_int_equal(device_lock_take(&lock, &gate, &err), 0);
    assert_int_equal(notice_count, 0);
    close(fd);
}

// A child holds it for a while: it is waited for, said once, and counted.
static void test_waits(void **state) {
    (void)state;
    struct device_lock lock = {0};
    char *text = NULL;
    const pid_t child = fork();
    if (child == 0) {
        struct device_lock own = {0};
        const int code = device_lock_take(&own, &gate, NULL);
        clock_sleep_ns(900000000);
        _exit(code == 0 ? 0 : 1);
    }
    while (!file_exists(path) || is_free()) clock_sleep_ns(1000000);
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0);
    assert_int_equal(notice_count, 1);
    assert_non_null(strstr(said, ": waiting"));
    assert_true(device_lock_waited_ns(&lock) > 100000000);
    assert_int_equal(file_read(path, 100, &text, NULL, NULL), 0);
    assert_int_equal(strtol(text, NULL, 10), getpid());
    free(text);
    device_lock_release(&lock);
}

static void test_no_folder(void **state) {
    (void)state;
    struct device_lock lock = {0};
    setenv("ASSAY_LOCKS", "/no/such", 1);
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0);
    assert_int_equal(device_lock_take(&lock, &gate, NULL), 0);
    assert_int_equal(notice_count, 1);
    assert_non_null(strstr(said, "another assay may measure on cpu at the same time"));
    assert_null(getenv("ASSAY_LOCK_HELD"));
    device_lock_release(&lock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_taken_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_impatient, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_folder, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
