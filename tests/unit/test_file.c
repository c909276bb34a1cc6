// SPDX-License-Identifier: Apache-2.0
//
// Files are written completely or not at all; each way of failing has its error code.
#include <dirent.h>
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

// What file_write_atomic will say is known before there is anything to write, and nothing is left.
static void targets_are_checked(void **state) {
    (void)state;
    char *file = in_folder("checked"), *inside_file = in_folder("checked/x"), *fresh = in_folder("fresh");
    struct err err = {0};
    assert_int_equal(file_check_target(fresh, &err), 0);
    assert_false(file_exists(fresh));
    assert_int_equal(file_write_atomic(file, "kept", 4, &err), 0);
    assert_int_equal(file_check_target(file, &err), 0);
    assert_content(file, "kept");
    assert_int_equal(file_check_target("-", &err), 0);
    assert_int_equal(file_check_target("/dev/full", &err), 0); // writing it will tell
    assert_int_equal(file_check_target("", &err), -ERR_CREATE);
    assert_int_equal(file_check_target(folder, &err), -ERR_CREATE);
    assert_int_equal(file_check_target(inside_file, &err), -ERR_CREATE);
    assert_int_equal(file_check_target("/proc/no-such", &err), -ERR_CREATE);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strstr(entry->d_name, ".tmp")) fail_msg("'%s' is left", entry->d_name);
    closedir(dir);
    free(file);
    free(inside_file);
    free(fresh);
}

// What a user names may be anything; only ordinary files are read, and nothing waits.
static void only_ordinary_files_are_read(void **state) {
    (void)state;
    char *pipe = in_folder("pipe"), *link = in_folder("pipe-link"), *ordinary = in_folder("ordinary");
    char *copy = in_folder("copy"), *text = NULL, hex[HASH_HEX_BYTES];
    struct err err = {0};
    struct file_input file;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink(pipe, link), 0);
    const char *const refused[] = {pipe, link, folder, "/dev/zero", "/dev/null"};
    static const char *const kinds[] = {"it is a pipe", "it is a pipe", "it is a folder", "it is a device",
                                        "it is a device"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        assert_int_equal(file_read(refused[i], 1000, &text, NULL, &err), -ERR_NO_INPUT);
        if (!strstr(err.text, kinds[i])) fail_msg("%s", err.text);
        assert_int_equal(hash_file_hex(refused[i], hex, &err), -ERR_NO_INPUT);
        assert_int_equal(file_copy(refused[i], copy, &err), -ERR_NO_INPUT);
    }
    assert_int_equal(file_read_no_link(link, 1000, &text, NULL, &err), -ERR_NO_INPUT);
    if (!strstr(err.text, "it is a symbolic link")) fail_msg("%s", err.text);
    // A file without end whose size says nothing: it is given up on.
    assert_int_equal(hash_file_hex("/proc/self/pagemap", hex, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "has no end"));
    assert_int_equal(file_read("/proc/self/environ", 1 << 20, &text, NULL, &err), 0);
    free(text);
    // One that grows beyond its limit while it is read.
    assert_int_equal(file_write_atomic(ordinary, "four", 4, NULL), 0);
    assert_int_equal(file_open(ordinary, 3, &file, &err), -ERR_DATA);
    assert_int_equal(file_open(ordinary, 4, &file, &err), 0);
    FILE *more = fopen(ordinary, "a");
    assert_non_null(more);
    assert_true(fputs("five", more) >= 0);
    fclose(more);
    char buffer[16];
    size_t count = 0;
    assert_int_equal(file_next(&file, buffer, sizeof buffer, &count, &err), -ERR_DATA);
    file_close(&file);
    assert_int_equal(file.fd, -1);
    // Nor does writing wait for a reader.
    assert_int_equal(file_write_atomic(pipe, "x", 1, &err), -ERR_CREATE);
    assert_non_null(strstr(err.text, "nobody reads it"));
    const int reader = open(pipe, O_RDONLY | O_NONBLOCK);
    assert_int_equal(file_write_atomic(pipe, "x", 1, &err), 0);
    assert_int_equal(read(reader, buffer, sizeof buffer), 1);
    close(reader);
    for (size_t i = 0; i < 2; ++i) assert_int_equal(unlink(i ? link : pipe), 0);
    free(pipe);
    free(link);
    free(ordinary);
    free(copy);
}

static void paths_that_lead_out_are_known(void **state) {
    (void)state;
    static const char *const out[] = {"/a",     "..",          "../a",          "a/../../b",
                                      "./../a", "a//..//../b", "a/b/../../../c"};
    static const char *const below[] = {"a", ".", "", "a/..", "a/../b", "..a", "a/b/../../c", ".../a", "./a"};
    for (size_t i = 0; i < sizeof out / sizeof *out; ++i)
        if (!path_leads_out(out[i])) fail_msg("%s", out[i]);
    for (size_t i = 0; i < sizeof below / sizeof *below; ++i)
        if (path_leads_out(below[i])) fail_msg("%s", below[i]);
}

static void paths_within_a_folder(void **state) {
    (void)state;
    assert_true(path_is_within("/a/b", "/a/b") && path_is_within("/a/b/c", "/a/b") &&
                path_is_within("/a", "/"));
    assert_false(path_is_within("/a/bc", "/a/b") || path_is_within("/a", "/a/b") ||
                 path_is_within(NULL, "/"));
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

// One that is made below TMPDIR has to be ours alone.
static void test_temporary_cache(void **state) {
    (void)state;
    char *home = in_folder(""), *target = in_folder("elsewhere");
    struct err err = {0};
    struct stat info;
    unsetenv("XDG_CACHE_HOME");
    assert_int_equal(setenv("HOME", "/home/someone", 1), 0);
    assert_int_equal(file_check_cache(&err), 0); // and nothing is made there
    unsetenv("HOME");
    assert_int_equal(setenv("TMPDIR", home, 1), 0);
    char *cache = path_cache_dir();
    assert_true(str_starts(cache, home));
    assert_int_equal(file_check_cache(&err), 0);
    assert_int_equal(stat(cache, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(file_check_cache(&err), 0); // once more
    assert_int_equal(chmod(cache, 0755), 0);
    assert_int_equal(file_check_cache(&err), 0);
    assert_int_equal(chmod(cache, 0775), 0);
    assert_int_equal(file_check_cache(&err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "set XDG_CACHE_HOME"));
    assert_int_equal(chmod(cache, 0702), 0);
    assert_int_equal(file_check_cache(&err), -ERR_UNAVAILABLE);
    assert_int_equal(chmod(cache, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(cache, 65534, 65534), 0);
        assert_int_equal(file_check_cache(&err), -ERR_UNAVAILABLE);
    }
    assert_int_equal(rmdir(cache), 0);
    assert_int_equal(mkdir(target, 0700), 0);
    assert_int_equal(symlink(target, cache), 0);
    assert_int_equal(file_check_cache(&err), -ERR_UNAVAILABLE);
    assert_int_equal(unlink(cache), 0);
    assert_int_equal(setenv("TMPDIR", "/none/such", 1), 0);
    assert_int_equal(file_check_cache(&err), -ERR_CREATE);
    unsetenv("TMPDIR");
    free(cache);
    free(target);
    free(home);
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
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(targets_are_checked),
        cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_temporary_cache),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(only_ordinary_files_are_read),
        cmocka_unit_test(paths_that_lead_out_are_known),
        cmocka_unit_test(paths_within_a_folder),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
