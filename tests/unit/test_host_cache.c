// SPDX-License-Identifier: Apache-2.0
//
// A cache that a kernel has written is copied to later hosts: what of it, how much, and whose it is then.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "worker/host/host_cache.h"

enum { FOLDERS = 21000, FOLDERS_MAX = 20000 };

static char *folder; // of this run: the hosts' folders "host-a" and "host-b", the frozen cache "kept"

static char *in_folder(const char *name) {
    return path_join(folder, name);
}

static bool is_there(const char *name) {
    struct stat info;
    char *path = in_folder(name);
    const bool is_found = lstat(path, &info) == 0;
    free(path);
    return is_found;
}

static void make_folder(const char *name) {
    char *path = in_folder(name);
    assert_int_equal(mkdir(path, 0700), 0);
    free(path);
}

static void write_file(const char *name, const char *text) {
    char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(path);
}

static char *read_file(const char *name) {
    char *path = in_folder(name), *text = NULL;
    assert_int_equal(file_read(path, 4096, &text, NULL, NULL), 0);
    free(path);
    return text;
}

static int set_up(void **state) {
    (void)state;
    char template[] = "/tmp/assay-host-cache-XXXXXX";
    if (!mkdtemp(template)) return -1;
    folder = mem_strdup(template);
    make_folder("host-a");
    make_folder("host-a/" HOST_CACHE_NAME);
    make_folder("host-b");
    make_folder("host-c");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    const int code = file_remove_tree(folder, NULL);
    free(folder);
    return code;
}

static void freeze(const char *host) {
    char *from = in_folder(host), *to = in_folder("kept");
    host_cache_freeze(from, to);
    free(to);
    free(from);
}

static void thaw(const char *host) {
    char *from = in_folder("kept"), *to = in_folder(host);
    host_cache_thaw(from, to);
    free(to);
    free(from);
}

static void test_links_and_pipes_are_left_out(void **state) {
    (void)state;
    char *secret = in_folder("secret"), *link = in_folder("host-a/cache/link"),
         *out = in_folder("host-a/cache/out"), *pipe = in_folder("host-a/cache/pipe");
    write_file("secret", "of the other side");
    write_file("host-a/cache/kernel", "binary");
    assert_int_equal(symlink(secret, link), 0);
    assert_int_equal(symlink(folder, out), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    freeze("host-a");
    thaw("host-b");
    assert_true(is_there("host-b/cache/kernel"));
    assert_false(is_there("host-b/cache/link"));
    assert_false(is_there("host-b/cache/out"));
    assert_false(is_there("host-b/cache/pipe"));
    free(pipe);
    free(out);
    free(link);
    free(secret);
}

static void test_each_host_has_its_own_copy(void **state) {
    (void)state;
    write_file("host-a/cache/kernel", "binary");
    freeze("host-a");
    write_file("host-a/cache/kernel", "changed after the end");
    freeze("host-a"); // of a second host of the same order: what is kept stays
    thaw("host-b");
    write_file("host-b/cache/kernel", "poisoned");
    write_file("host-b/cache/kept", "a result");
    thaw("host-c");
    char *text = read_file("host-c/cache/kernel");
    assert_string_equal(text, "binary");
    assert_false(is_there("host-c/cache/kept"));
    free(text);
}

static void test_the_folder_is_named_anew(void **state) {
    (void)state;
    char *text = mem_format("kernel of %s/host-a/cache, twice: %s/host-a", folder, folder),
         *expected = mem_format("kernel of %s/host-b/cache, twice: %s/host-b", folder, folder);
    write_file("host-a/cache/index", text);
    freeze("host-a");
    thaw("host-b");
    char *found = read_file("host-b/cache/index");
    assert_string_equal(found, expected);
    free(found);
    free(expected);
    free(text);
}

static void test_folders_without_end_are_cut(void **state) {
    (void)state;
    size_t count = 0;
    char name[64];
    for (int i = 0; i < FOLDERS; ++i) {
        snprintf(name, sizeof name, "host-a/cache/%d", i);
        make_folder(name);
    }
    freeze("host-a");
    for (int i = 0; i < FOLDERS; ++i) {
        snprintf(name, sizeof name, "kept/%d", i);
        count += is_there(name);
    }
    assert_in_range(count, FOLDERS_MAX / 2, FOLDERS_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_links_and_pipes_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_host_has_its_own_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_folder_is_named_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folders_without_end_are_cut, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
