// SPDX-License-Identifier: Apache-2.0
//
// Files are written completely or not at all; each way of failing has its error code.
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
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"

static char *folder; // of this run

static char *in_folder(const char *name) {
    return path_join(folder, name);
}

static int set_up(void **state) {
    (void)state;
    char template[] = "assay-test-XXXXXX";
    if (!mkdtemp(template)) return -1;
    folder = path_absolute(template);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    int result = file_remove_tree(folder, NULL);
    free(folder);
    return result;
}

static void assert_content(const char *path, const char *expected) {
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(file_read(path, 1000, &text, &length, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    free(text);
}

static void test_write_and_read(void **state) {
    (void)state;
    char *path = in_folder("a");
    assert_int_equal(file_write_atomic(path, "one", 3, NULL), 0);
    assert_content(path, "one");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(file_write_atomic(path, "two", 3, NULL), 0);
    assert_content(path, "two");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    char *link_path = in_folder("link");
    assert_int_equal(symlink("a", link_path), 0);
    assert_int_equal(file_write_atomic(link_path, "three", 5, NULL), 0);
    assert_content(path, "three"); // a link stays a link
    char *copy = in_folder("copy");
    assert_int_equal(file_copy(path, copy, NULL), 0);
    assert_content(copy, "three");
    assert_int_equal(file_size_bytes(copy), 5);
    assert_int_equal(file_size_bytes("no/such"), -1);
    char *text = NULL;
    assert_int_equal(file_read(path, 4, &text, NULL, NULL), -ERR_DATA);
    char hex[2][HASH_HEX_BYTES];
    assert_int_equal(hash_file_hex(path, hex[0], NULL), 0);
    hash_bytes_hex("three", 5, hex[1]);
    assert_string_equal(hex[0], hex[1]);
    free(path);
    free(link_path);
    free(copy);
}

static void test_failures(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(file_write_atomic("/dev/full", "x", 1, &err), -ERR_IO);
    assert_int_equal(err_exit_code(err.code), 74);
    assert_true(file_exists("/dev/full"));
    assert_int_equal(file_write_atomic("/proc/no-such", "x", 1, &err), -ERR_CREATE);
    assert_int_equal(err_exit_code(err.code), 73);
    assert_int_equal(file_write_atomic(folder, "x", 1, &err), -ERR_CREATE);
    char *inside_file = in_folder("file/x"), *file = in_folder("file");
    assert_int_equal(file_write_atomic(file, "x", 1, &err), 0);
    assert_int_equal(file_write_atomic(inside_file, "x", 1, &err), -ERR_CREATE);
    assert_int_equal(file_make_dirs(inside_file, &err), -ERR_CREATE);
    char *text = NULL;
    assert_int_equal(file_read("no/such/file", 10, &text, NULL, &err), -ERR_NO_INPUT);
    assert_int_equal(err_exit_code(err.code), 66);
    assert_int_equal(file_read(folder, 10, &text, NULL, &err), -ERR_NO_INPUT);
    assert_int_equal(file_write_atomic("/dev/null", "x", 1, &err), 0);
    free(inside_file);
    free(file);
}

static void test_nothing_left(void **state) {
    (void)state;
    char *dir = in_folder("target");
    assert_int_equal(file_make_dirs(dir, NULL), 0);
    char *path = path_join(dir, "taken");
    char *deeper = path_join(path, "sub");
    assert_int_equal(file_make_dirs(deeper, NULL), 0);
    // A folder stands where the file should go: refused before anything is created.
    assert_int_equal(file_write_atomic(path, "x", 1, NULL), -ERR_CREATE);
    assert_int_equal(rmdir(deeper), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dir), 0); // would fail if a temporary file had stayed
    free(dir);
    free(path);
    free(deeper);
}

static void test_trees(void **state) {
    (void)state;
    char *deep = in_folder("x/y//z/"), *top = in_folder("x"), *outside = in_folder("outside"), *link_path;
    link_path = path_join(deep, "link");
    assert_int_equal(file_make_dirs(deep, NULL), 0);
    assert_int_equal(file_make_dirs(deep, NULL), 0);
    assert_true(file_is_dir(deep));
    assert_int_equal(file_write_atomic(outside, "kept", 4, NULL), 0);
    assert_int_equal(symlink(folder, link_path), 0);
    assert_int_equal(file_remove_tree(top, NULL), 0);
    assert_false(file_exists(top));
    assert_content(outside, "kept"); // the link was not followed
    assert_int_equal(file_remove_tree(top, NULL), 0);
    free(deep);
    free(top);
    free(outside);
    free(link_path);
}

static void assert_taken(char *text, const char *expected) {
    assert_string_equal(text, expected);
    free(text);
}

static void test_paths(void **state) {
    (void)state;
    assert_taken(path_join("a", "b"), "a/b");
    assert_taken(path_join("a/", "b"), "a/b");
    assert_taken(path_join("a", "/b"), "/b");
    assert_taken(path_join("", "b"), "b");
    assert_taken(path_dir("a/b/c"), "a/b");
    assert_taken(path_dir("/a"), "/");
    assert_taken(path_dir("a"), ".");
    assert_string_equal(path_base("a/b.c"), "b.c");
    assert_string_equal(path_base("b.c"), "b.c");
    assert_taken(path_absolute("/a/./b/../c//d"), "/a/c/d");
    assert_taken(path_absolute("/../.."), "/");
    char *shell = path_find_program("sh");
    assert_non_null(shell);
    assert_true(str_ends(shell, "/sh"));
    free(shell);
    assert_null(path_find_program("no-such-program-here"));
    assert_null(path_find_program("/etc/passwd"));
    assert_int_equal(setenv("XDG_CACHE_HOME", "/xdg", 1), 0);
    assert_taken(path_cache_dir(), "/xdg/assay");
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", "/home/someone", 1), 0);
    assert_taken(path_cache_dir(), "/home/someone/.cache/assay");
}

static void test_locks(void **state) {
    (void)state;
    char *path = in_folder("lock");
    int first = -1, second = -1;
    assert_int_equal(file_lock_open(path, false, &first, NULL), 0);
    assert_int_equal(file_lock_open(path, false, &second, NULL), -ERR_UNAVAILABLE);
    file_lock_close(first);
    assert_int_equal(file_lock_open(path, true, &second, NULL), 0);
    file_lock_close(second);
    file_lock_close(-1);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_and_read), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_nothing_left),   cmocka_unit_test(test_trees),
        cmocka_unit_test(test_paths),          cmocka_unit_test(test_locks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
