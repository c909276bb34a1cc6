// SPDX-License-Identifier: Apache-2.0
//
// A lock that users share: taken once, free again with the descriptor, and whatever somebody has put in its
// place is refused and left alone.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/shared_lock.h"

static char *folder, *path; // of this test: an empty folder, and the lock in it

static int set_up(void **state) {
    (void)state;
    char template[] = "assay-test-XXXXXX";
    if (!mkdtemp(template)) return -1;
    folder = path_absolute(template);
    path = path_join(folder, "assay-cpu.lock");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    const int result = file_remove_tree(folder, NULL);
    free(folder);
    free(path);
    return result;
}

static void put(const char *name, const char *text) {
    char *file = path_join(folder, name);
    assert_int_equal(file_write_atomic(file, text, strlen(text), NULL), 0);
    free(file);
}

static void assert_content(const char *name, const char *expected) {
    char *file = path_join(folder, name), *text = NULL;
    assert_int_equal(file_read(file, 1000, &text, NULL, NULL), 0);
    assert_string_equal(text, expected);
    free(text);
    free(file);
}

static void test_one_holder(void **state) {
    (void)state;
    const struct lock_holder me = {.pid = 1234, .since_s = 1764417780, .command = "gate"};
    struct lock_holder holder;
    int fd = -1, second_fd = -1;
    assert_int_equal(shared_lock_try(path, &fd, &holder, NULL), SHARED_LOCK_TAKEN);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666); // whatever the umask
    shared_lock_sign(fd, &me);
    assert_content("assay-cpu.lock", "1234 gate 1764417780\n");
    assert_int_equal(shared_lock_try(path, &second_fd, &holder, NULL), SHARED_LOCK_HELD);
    assert_int_equal(holder.pid, 1234);
    assert_int_equal(holder.since_s, 1764417780);
    assert_string_equal(holder.command, "gate");
    close(fd);
    assert_int_equal(shared_lock_try(path, &second_fd, &holder, NULL), SHARED_LOCK_TAKEN);
    close(second_fd);
}

// A file that was removed while it was held locks nothing any more.
static void test_replaced(void **state) {
    (void)state;
    struct lock_holder holder;
    int old_fd = -1, fd = -1, second_fd = -1;
    assert_int_equal(shared_lock_try(path, &old_fd, &holder, NULL), SHARED_LOCK_TAKEN);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(shared_lock_try(path, &fd, &holder, NULL), SHARED_LOCK_TAKEN);
    assert_int_equal(shared_lock_try(path, &second_fd, &holder, NULL), SHARED_LOCK_HELD);
    close(old_fd);
    close(fd);
}

// What the file says is read only where it has the form; it is never more than a display.
static void test_content(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "garbage\n",
                                        "1234",
                                        "1234 gate",
                                        "1234 gate 1764417780", // no end
                                        "-1 gate 1764417780\n",
                                        " 1234 gate 1764417780\n",
                                        "99999999999999999999 gate 1764417780\n",
                                        "4194305 gate 1764417780\n",
                                        "1234 GATE 1764417780\n",
                                        "1234 \033[31mgate 1764417780\n",
                                        "1234 abcdefghijklmnopq 1764417780\n",
                                        "1234 gate 99999999999999999999\n",
                                        "1234 gate 1764417780 more\n",
                                        "1234  1764417780\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        struct lock_holder holder;
        int fd = -1, second_fd = -1;
        put("assay-cpu.lock", lines[i]);
        assert_int_equal(shared_lock_try(path, &fd, &holder, NULL), SHARED_LOCK_TAKEN);
        assert_int_equal(shared_lock_try(path, &second_fd, &holder, NULL), SHARED_LOCK_HELD);
        assert_int_equal(holder.pid, 0);
        close(fd);
    }
}

static void assert_refused(void) {
    struct lock_holder holder;
    struct err err = {0};
    int fd = -1;
    assert_int_equal(shared_lock_try(path, &fd, &holder, &err), -ERR_CREATE);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(fd, -1);
}

static void test_hostile(void **state) {
    (void)state;
    put("precious", "data");
    char *precious = path_join(folder, "precious");
    assert_int_equal(symlink("precious", path), 0); // not followed
    assert_refused();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("missing", path), 0); // and not created through
    assert_refused();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(precious, path), 0);
    assert_refused();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_refused();
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0); // nobody waits for its other end
    assert_refused();
    assert_content("precious", "data");
    char *missing = path_join(folder, "missing");
    assert_false(file_exists(missing));
    free(missing);
    free(precious);
}

static void test_no_folder(void **state) {
    (void)state;
    struct lock_holder holder;
    struct err err = {0};
    int fd = -1;
    char *nowhere = path_join(folder, "no/such.lock");
    assert_int_equal(shared_lock_try(nowhere, &fd, &holder, &err), -ERR_CREATE);
    free(nowhere);
}

// Another user's file may be readable only, which is enough for a lock and not for a signature.
static void test_readable_only(void **state) {
    (void)state;
    const struct lock_holder me = {.pid = 1, .since_s = 2, .command = "gate"};
    struct lock_holder holder;
    int fd = -1, second_fd = -1;
    put("assay-cpu.lock", "theirs");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(shared_lock_try(path, &fd, &holder, NULL), SHARED_LOCK_TAKEN);
    if (geteuid() != 0) { // root writes what it likes
        shared_lock_sign(fd, &me);
        assert_content("assay-cpu.lock", "theirs");
    }
    assert_int_equal(shared_lock_try(path, &second_fd, &holder, NULL), SHARED_LOCK_HELD);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_holder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_content, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_readable_only, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
