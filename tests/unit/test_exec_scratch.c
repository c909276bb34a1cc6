// SPDX-License-Identifier: Apache-2.0
//
// Scratch folders: gone when they are closed; what nobody holds any more goes when the next one is opened.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/exec/scratch_folder.h"

static char *make_old(const char *parent, const char *name) {
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char *path = path_join(parent, name), *below = path_join(path, "host-a");
    assert_int_equal(file_make_dirs(below, NULL), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(below);
    return path;
}

static void test_folders(void **state) {
    (void)state;
    char parent[] = "/tmp/assay_test_XXXXXX";
    struct scratch_folder first, second;
    struct err err = {0};
    struct stat info;
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_non_null(mkdtemp(parent));
    setenv("TMPDIR", parent, 1);
    char *left = make_old(parent, "assay-scratch-left"), *other = make_old(parent, "others");
    if (scratch_folder_open(&first, &err) < 0) fail_msg("%s", err.text);
    assert_false(file_exists(left));
    assert_true(file_exists(other));
    assert_int_equal(stat(first.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    // One that is held stays, however old it is.
    assert_int_equal(utimensat(AT_FDCWD, first.path, times, 0), 0);
    assert_int_equal(scratch_folder_open(&second, &err), 0);
    assert_true(file_exists(first.path));
    assert_string_not_equal(first.path, second.path);
    char *path = mem_strdup(first.path);
    scratch_folder_close(&first);
    assert_false(file_exists(path));
    scratch_folder_close(&second);
    scratch_folder_close(&second); // zeroed
    setenv("TMPDIR", other, 1);
    free(path);
    file_remove_tree(parent, NULL);
    assert_int_equal(scratch_folder_open(&first, &err), -ERR_CREATE);
    assert_null(first.path);
    free(left);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
