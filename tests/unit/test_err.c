// SPDX-License-Identifier: Apache-2.0
//
// Errors carry their sentence and code, memory from an arena keeps its contents, and the clock goes forward.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

static void test_errors(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(err_set(&err, ERR_DATA, "'%s' is empty", "x"), -ERR_DATA);
    assert_string_equal(err.text, "'x' is empty");
    assert_int_equal(err_prefix(&err, "reading %d", 5), -ERR_DATA);
    assert_string_equal(err.text, "reading 5: 'x' is empty");
    assert_int_equal(err_set(&err, ERR_IO, "again: %s", err.text), -ERR_IO); // its own text as argument
    assert_string_equal(err.text, "again: reading 5: 'x' is empty");
    errno = ENOENT;
    assert_int_equal(err_set_errno(&err, ERR_NO_INPUT, "cannot open"), -ERR_NO_INPUT);
    assert_string_equal(err.text, "cannot open: No such file or directory");
    assert_int_equal(err_set(NULL, ERR_IO, "nobody listens"), -ERR_IO);
}

// Whatever a sentence quotes, it is one plain line; lines below it are added as such.
static void sentences_are_one_plain_line(void **state) {
    (void)state;
    struct err err = {0};
    err_set(&err, ERR_DATA, "key '%s'", "a\nb\x1b[2J\xe2\x80\xae\xff");
    assert_string_equal(err.text, "key 'a\\nb\\x1b[2J\\u202e\xef\xbf\xbd'");
    err_set(&err, ERR_DATA, "%s", "::error::x");
    assert_string_equal(err.text, "\\x3a:error::x");
    err_set(&err, ERR_BUILD, "it failed:");
    assert_int_equal(err_add_lines(&err, "line 1\n  ::error::\x07\n\nlast"), -ERR_BUILD);
    assert_string_equal(err.text, "it failed:\nline 1\n  \\x3a:error::\\x07\n\nlast");
    err_prefix(&err, "in\n%s", "x\r");
    assert_string_equal(err.text, "in\\nx\\r: it failed:\nline 1\n  \\x3a:error::\\x07\n\nlast");
    err_set(&err, ERR_IO, "full");
    char *long_line = mem_alloc(10001);
    memset(long_line, 'x', 10000);
    err_add_lines(&err, long_line);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    err_add_lines(&err, "no room");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    free(long_line);
    assert_int_equal(err_add_lines(NULL, "x"), -ERR_INTERNAL);
}

static void test_long_sentences(void **state) {
    (void)state;
    struct err err = {0};
    char *text = mem_alloc(10001);
    memset(text, 'x', 10000);
    err_set(&err, ERR_BUILD, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    err_prefix(&err, "kernel");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "kernel: xxx", 11);
    err_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    free(text);
}

// Long messages are cut between characters, so that they stay UTF-8.
static void long_sentences_end_with_a_character(void **state) {
    (void)state;
    char text[5000] = {0};
    for (size_t i = 0; i < 2400; ++i) memcpy(text + 2 * i, "\xc3\xa9", 2);
    static const char *const starts[] = {"", "x"}; // one of them puts a character on the cut
    for (size_t i = 0; i < 2; ++i) {
        struct err err = {0};
        err_set(&err, ERR_DATA, "%s%s", starts[i], text);
        assert_int_equal(strlen(err.text), i ? 4095 : 4094);
        assert_int_equal((unsigned char)err.text[strlen(err.text) - 1], 0xa9);
        err_prefix(&err, "12%s", starts[i]);
        assert_int_equal((unsigned char)err.text[strlen(err.text) - 1], 0xa9);
    }
}

static void test_exit_codes(void **state) {
    (void)state;
    static const int expected[ERR_COUNT] = {
        [ERR_NONE] = 0,    [ERR_USAGE] = 64, [ERR_DATA] = 65,        [ERR_NO_INPUT] = 66,
        [ERR_CREATE] = 73, [ERR_IO] = 74,    [ERR_UNAVAILABLE] = 69, [ERR_INTERNAL] = 70,
        [ERR_CONFIG] = 78, [ERR_BUILD] = 1,  [ERR_CANCELLED] = 130,  [ERR_BUSY] = 75};
    for (int code = 0; code < ERR_COUNT; ++code) {
        assert_int_equal(err_exit_code((enum err_code)code), expected[code]);
    }
}

static void test_arena(void **state) {
    (void)state;
    struct arena arena = {0};
    enum { COUNT = 3000 };
    char *texts[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        texts[i] = i % 100 == 0 ? arena_alloc(&arena, 30000) : arena_format(&arena, "text %d", i);
        assert_int_equal((uintptr_t)texts[i] % 16, 0);
        if (i % 100 == 0) assert_int_equal(texts[i][29999], 0);
    }
    for (int i = 0; i < COUNT; ++i) {
        if (i % 100 == 0) continue;
        char *expected = mem_format("text %d", i);
        assert_string_equal(texts[i], expected);
        free(expected);
    }
    assert_null(arena_strdup(&arena, NULL));
    assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
    assert_non_null(arena_array(&arena, 0, 8));
    arena_fini(&arena);
    arena_fini(&arena);
}

static void test_checked_arrays(void **state) {
    (void)state;
    assert_null(mem_try_array(SIZE_MAX / 2, 4));
    unsigned char *bytes = mem_try_array(10, 10);
    assert_non_null(bytes);
    assert_int_equal(bytes[99], 0);
    free(bytes);
}

static void test_clock(void **state) {
    (void)state;
    uint64_t start_ns = clock_ns();
    clock_sleep_ns(2000000);
    assert_true(clock_ns() - start_ns >= 1900000);
    char text[32];
    clock_utc_text(text, sizeof text);
    assert_int_equal(strlen(text), strlen("2026-11-21T12:34:56Z"));
    assert_int_equal(text[19], 'Z');
    assert_true(clock_unix_s() > 1700000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),         cmocka_unit_test(sentences_are_one_plain_line),
        cmocka_unit_test(test_long_sentences), cmocka_unit_test(long_sentences_end_with_a_character),
        cmocka_unit_test(test_exit_codes),     cmocka_unit_test(test_arena),
        cmocka_unit_test(test_checked_arrays), cmocka_unit_test(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
