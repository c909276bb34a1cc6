// SPDX-License-Identifier: Apache-2.0
//
// Strings grow, pad and parse as base/strbuf.h says; "did you mean" finds the nearest name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

static void test_growing(void **state) {
    (void)state;
    struct strbuf buf = {0};
    assert_string_equal(strbuf_text(&buf), "");
    for (int i = 0; i < 1000; ++i) strbuf_addf(&buf, "%d,", i);
    assert_int_equal(buf.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(buf.text), buf.length);
    strbuf_clear(&buf);
    strbuf_add_bytes(&buf, "a\0b", 3);
    assert_int_equal(buf.length, 3);
    char *taken = strbuf_take(&buf);
    assert_memory_equal(taken, "a\0b", 4);
    free(taken);
    taken = strbuf_take(&buf);
    assert_string_equal(taken, "");
    free(taken);
    strbuf_fini(&buf);
}

static void test_pad(void **state) {
    (void)state;
    struct strbuf buf = {0};
    strbuf_add(&buf, "first line\n\xc2\xb5s");
    strbuf_pad(&buf, 4);
    strbuf_add(&buf, "|");
    strbuf_pad(&buf, 2); // already further
    assert_string_equal(buf.text, "first line\n\xc2\xb5s  |");
    strbuf_fini(&buf);
}

static void shell_words_are_quoted_where_needed(void **state) {
    (void)state;
    const char *const words[][2] = {
        {"out/result.json", "out/result.json"}, // nothing that a shell reads otherwise
        {"", "''"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"$HOME", "'$HOME'"},
        {"\xc3\xa9 ::", "'\xc3\xa9 ::'"},
        // what is not shown, or is a command for a log, is written as bytes
        {"a\n1'\\\x1b", "$'a\\0121\\047\\134\\033'"},
        {"\xe2\x80\xae", "$'\\342\\200\\256'"},
        {"##[error]", "$'\\043\\043[error]'"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        struct strbuf buf = {0};
        strbuf_add_shell_word(&buf, words[i][0]);
        assert_string_equal(buf.text, words[i][1]);
        strbuf_fini(&buf);
    }
}

static void test_plain_device_kernels(void **state) {
    (void)state;
    assert_true(str_equal(NULL, NULL));
    assert_false(str_equal("a", NULL));
    assert_string_equal(str_or("s512", "long name"), "s512");
    assert_string_equal(str_or(NULL, "long name"), "long name");
    assert_string_equal(str_or("", "long name"), "");
    assert_true(str_starts("attention/fp16", "attention/"));
    assert_false(str_starts("att", "attention"));
    assert_true(str_ends("kernel.so", ".so"));
    assert_false(str_ends("so", ".so"));
    assert_int_equal(str_width("\xc2\xb5s"), 2);
}

static void test_integers(void **state) {
    (void)state;
    long long i64 = 7;
    unsigned long long u64 = 7;
    assert_int_equal(str_parse_i64("-12", &i64), 0);
    assert_int_equal(i64, -12);
    assert_int_equal(str_parse_u64("18446744073709551615", &u64), 0);
    assert_true(u64 == UINT64_MAX);
    static const char *const bad[] = {"",   "-", "+1", " 1", "1 ", "1x", "0x10", "9223372036854775808000",
                                      "1.0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(str_parse_i64(bad[i], &i64), -1);
        assert_int_equal(str_parse_u64(bad[i], &u64), -1);
    }
    assert_int_equal(str_parse_u64("-1", &u64), -1);
    assert_int_equal(i64, -12); // untouched by failures
}

static void test_doubles(void **state) {
    (void)state;
    double value = 0;
    assert_int_equal(str_parse_double("-3.5e-1", &value), 0);
    assert_true(value == -0.35);
    assert_int_equal(str_parse_double("3", &value), 0);
    assert_true(value == 3.0);
    static const char *const bad[] = {"",   "nan", "inf", "1e999", "0x1p3", " 1",
                                      "1 ", "1,5", "--1", "e5",    "1.5.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (str_parse_double(bad[i], &value) != -1) fail_msg("'%s' was taken for a number", bad[i]);
    }
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"kernels", "suites", "gate", "peers", "limits"};
    assert_string_equal(str_nearest("kernles", names, 5), "kernels");
    assert_string_equal(str_nearest("suite", names, 5), "suites");
    assert_string_equal(str_nearest("limits", names, 5), "limits");
    assert_null(str_nearest("frobnicate", names, 5));
    assert_null(str_nearest("", names, 5));
    assert_null(str_nearest("gate", names, 0));
}

static void external_text_are_plain_and_short(void **state) {
    (void)state;
    static const struct {
        const char *text, *plain, *ascii;
    } all[] = {
        {"a b", "a b", "a b"},
        {"\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07", NULL},
        {"two\nlines\r\t\x7f", "two\\nlines\\r \\x7f", NULL},
        {"c1 \xc2\x9b", "c1 \\u009b", NULL},
        {"\xe2\x80\xaetxt\xe2\x80\xa8\xe2\x80\x8b.", "\\u202etxt\\u2028\\u200b.", NULL},
        {"\xef\xbb\xbf\xd8\x9c\xe2\x81\xa6\xe2\x81\xa9\xc2\xad", "\\ufeff\\u061c\\u2066\\u2069\\u00ad", NULL},
        {"\xf3\xa0\x81\x81", "\\U000e0041", NULL},
        {"\xe2\x80\x93 \xe2\x82\xac", "\xe2\x80\x93 \xe2\x82\xac", "? ?"}, // a dash and a euro are seen
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9", "?t?"},
        // no UTF-8: a single byte, a cut character, an overlong form, a surrogate
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd", "??"},
        {"\xc0\x9b", "\xef\xbf\xbd\xef\xbf\xbd", "??"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "???"},
        // commands in the log of a workflow
        {"::error::x", "\\x3a:error::x", NULL},
        {" \t::error::x", "  \\x3a:error::x", NULL},
        {"\xe3\x80\x80::a", "\xe3\x80\x80\\x3a:a", "?\\x3a:a"},
        {"a::b :: c", "a::b :: c", NULL},
        {"x ##[error]y ##vso[task] ##teamcity[a] ## b",
         "x \\x23#[error]y \\x23#vso[task] \\x23#teamcity[a] ## b", NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct strbuf out = {0};
        strbuf_add_plain(&out, all[i].text, true);
        assert_string_equal(strbuf_text(&out), all[i].plain);
        strbuf_clear(&out);
        strbuf_add_plain(&out, all[i].text, false);
        assert_string_equal(strbuf_text(&out), all[i].ascii ? all[i].ascii : all[i].plain);
        strbuf_clear(&out);
        strbuf_add_plain(&out, all[i].plain, true); // once more changes nothing
        assert_string_equal(strbuf_text(&out), all[i].plain);
        strbuf_fini(&out);
        assert_string_equal(str_shown(all[i].text).text, all[i].plain);
    }
    char text[67] = {0};
    memset(text, 'x', 64);
    assert_string_equal(str_shown(text).text, text); // 64 bytes are shown whole
    memcpy(text + 63, "\xc3\xa9", 2);                // a character on the border is left out
    struct str_shown shown = str_shown(text);
    assert_int_equal(strlen(shown.text), 66);
    assert_string_equal(shown.text + 62, "x...");
}

static void lines_quote_foreign_text(void **state) {
    (void)state;
    struct strbuf out = {0};
    strbuf_add_linef(&out, "%s: %d", "a\nb", 5);
    strbuf_add_linef(&out, "%s", "::warning::");
    strbuf_add_plain_lines(&out, "worker: ", "one\r\n\ntwo\x1b[2J\n::error::");
    strbuf_add_plain_lines(&out, "", " ::error::\n##[group]");
    strbuf_add_plain_lines(&out, "none", "");
    assert_string_equal(strbuf_text(&out), "a\\nb: 5\n"
                                           "\\x3a:warning::\n"
                                           "worker: one\\r\n"
                                           "worker: \n"
                                           "worker: two\\x1b[2J\n"
                                           "worker: \\x3a:error::\n"
                                           " \\x3a:error::\n"
                                           "\\x23#[group]\n");
    strbuf_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_pad),
        cmocka_unit_test(shell_words_are_quoted_where_needed),
        cmocka_unit_test(lines_quote_foreign_text),
        cmocka_unit_test(test_plain_device_kernels),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(external_text_are_plain_and_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
