// SPDX-License-Identifier: Apache-2.0
//
// Tables line up; times and sizes are written as people write them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/progress.h"
#include "base/term.h"

static void test_table(void **state) {
    (void)state;
    struct term_table *table = term_table_new(3, "lrl");
    term_table_add(table, (const char *const[]){"problem", "time", "note"});
    term_table_rule(table);
    term_table_add(table, (const char *const[]){"s512", "1.32 ms", NULL});
    term_table_add(table, (const char *const[]){"s64", "48.1 \xc2\xb5s", "ok"});
    term_table_style(table, 2, TERM_GREEN);
    struct strbuf out = {0};
    term_table_print(table, false, &out);
    assert_string_equal(out.text, "problem     time  note\n"
                                  "----------------------\n"
                                  "s512     1.32 ms\n"
                                  "s64      48.1 \xc2\xb5s  ok\n");
    strbuf_clear(&out);
    term_table_print(table, true, &out);
    assert_non_null(strstr(out.text, "\033[32mok\033[0m"));
    strbuf_fini(&out);
    term_table_free(table);
    term_table_free(NULL);
}

static void cells_are_plain(void **state) {
    (void)state;
    struct term_table *table = term_table_new(2, "ll");
    struct strbuf out = {0};
    term_table_add(table, (const char *const[]){"::error::a\nb", "\033[2J"});
    term_table_print(table, false, &out);
    assert_string_equal(out.text, "\\x3a:error::a\\nb  \\x1b[2J\n");
    strbuf_fini(&out);
    term_table_free(table);
}

// The last place before a stream: our lines and colours pass, nothing else that a terminal or a log obeys.
static void pages_hold_lines_and_our_colours(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"", ""},
        {"a\n\nb", "a\n\nb"},
        {"\033[31merror:\033[0m x\n", "\033[31merror:\033[0m x\n"},
        {"\033[2J\033[31m\033]0;t\007\033[1;31m\033", "\\x1b[2J\033[31m\\x1b]0;t\\x07\\x1b[1;31m\\x1b"},
        {"\033[31m::error::x\na ::b\n ::warning::\n", "\033[31m\\x3a:error::x\na ::b\n \\x3a:warning::\n"},
        {"a \033[31m::b", "a \033[31m::b"},
        {"\xe2\x80\xae\xff \xe2\x94\x83", "\\u202e\xef\xbf\xbd \xe2\x94\x83"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct strbuf out = {0};
        term_add_page(&out, texts[i][0]);
        assert_string_equal(strbuf_text(&out), texts[i][1]);
        strbuf_fini(&out);
    }
}

static void test_color_choice(void **state) {
    (void)state;
    assert_true(term_wants_color(TERM_COLOR_ALWAYS, 1));
    assert_false(term_wants_color(TERM_COLOR_NEVER, 1));
    setenv("NO_COLOR", "1", 1);
    assert_false(term_wants_color(TERM_COLOR_AUTO, 1));
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        double ns;
        const char *expected;
    } cases[] = {{48100, "48.1 us"}, {1320000, "1.32 ms"}, {2.1e9, "2.10 s"},   {999.96, "1.00 us"},
                 {9.996, "10.0 ns"}, {123456, "123.5 us"}, {-1500, "-1.50 us"}, {0, "0.00 ns"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        term_format_time(cases[i].ns, text, sizeof text);
        assert_string_equal(text, cases[i].expected);
    }
    term_format_time(NAN, text, sizeof text);
    assert_string_equal(text, "n/a");
}

static void test_sizes_and_durations(void **state) {
    (void)state;
    char text[32];
    term_format_bytes(80.5e6, text, sizeof text);
    assert_string_equal(text, "80.5 MB");
    term_format_bytes(512, text, sizeof text);
    assert_string_equal(text, "512 B");
    term_format_bytes(1.2e9, text, sizeof text);
    assert_string_equal(text, "1.2 GB");
    progress_duration_format(80, text, sizeof text);
    assert_string_equal(text, "1 min 20 s");
    progress_duration_format(3.2, text, sizeof text);
    assert_string_equal(text, "3.2 s");
    progress_duration_format(7500, text, sizeof text);
    assert_string_equal(text, "2 h 5 min");
    progress_duration_format(59.7, text, sizeof text);
    assert_string_equal(text, "1 min 0 s");
}

// Prints the table on a page of that width, and frees it.
static void expect_printed(struct term_table *table, size_t columns, const char *expected) {
    struct strbuf out = {0};
    term_page_set(columns);
    term_table_print(table, false, &out);
    term_page_set(0);
    assert_string_equal(out.text, expected);
    strbuf_fini(&out);
    term_table_free(table);
}

// Prints a table of two texts and a number on a page of that width.
static void expect_page(size_t columns, const char *expected) {
    struct term_table *table = term_table_new(3, "lrl");
    term_table_add(table, (const char *const[]){"problem", "change of the median", "verdict"});
    term_table_rule(table);
    term_table_add(table, (const char *const[]){"s512", "4.9 % slower", "regression: beyond the threshold"});
    term_table_add(table, (const char *const[]){"mission", "0.1 %", "maintained"});
    expect_printed(table, columns, expected);
}

static void test_tables_fit_the_page(void **state) {
    (void)state;
    static const char wide[] = "problem  change of the median  verdict\n"
                               "---------------------------------------------------------------\n"
                               "s512             4.9 % slower  regression: beyond the threshold\n"
                               "mission                 0.1 %  maintained\n";
    expect_page(0, wide);
    expect_page(63, wide);
    // Texts are broken at blanks; numbers stay whole, their heads do not.
    expect_page(48, "problem     change of  verdict\n"
                    "           the median\n"
                    "------------------------------------------------\n"
                    "s512     4.9 % slower  regression: beyond the\n"
                    "                       threshold\n"
                    "mission         0.1 %  maintained\n");
    // Too narrow for columns: a list, which cuts no verdict.
    expect_page(36, "s512\n"
                    "  change of the median  4.9 % slower\n"
                    "  verdict               regression:\n"
                    "                        beyond the\n"
                    "                        threshold\n"
                    "mission\n"
                    "  change of the median  0.1 %\n"
                    "  verdict               maintained\n");
}

// Prints a table of a name, a text and two numbers that may be left out.
static void expect_ranked(size_t columns, const char *expected) {
    struct term_table *table = term_table_new(4, "llrr");
    term_table_ranks(table, "0021");
    term_table_add(table, (const char *const[]){"run", "verdict", "problems", "commit"});
    term_table_head(table);
    term_table_add(table, (const char *const[]){"one", "maintained", "27", "e82b208"});
    term_table_add(table, (const char *const[]){"two", "regression", "3", ""});
    expect_printed(table, columns, expected);
}

static void test_columns_are_left_out_by_rank(void **state) {
    (void)state;
    expect_ranked(34, "run  verdict     problems   commit\n"
                      "one  maintained        27  e82b208\n"
                      "two  regression         3\n");
    // The head of numbers does not break: the column is shown whole or not at all.
    expect_ranked(33, "run  verdict      commit\n"
                      "one  maintained  e82b208\n"
                      "two  regression\n"
                      "not shown on a page this narrow:\n"
                      "problems\n");
    expect_ranked(20, "run  verdict\n"
                      "one  maintained\n"
                      "two  regression\n"
                      "not shown on a page\n"
                      "this narrow:\n"
                      "problems, commit\n");
    expect_ranked(12, "one\n" // what has to be shown does not fit
                      "  verdict   maintained\n"
                      "  problems  27\n"
                      "  commit    e82b208\n"
                      "two\n"
                      "  verdict   regression\n"
                      "  problems  3\n");
}

// One long name breaks no other row: it has a line of its own. Where most are as long, rows are lists.
static void test_long_names_stand_apart(void **state) {
    (void)state;
    struct strbuf out = {0};
    struct term_table *table = term_table_new(2, "lr");
    term_table_add(table, (const char *const[]){"attention/fp32/b1", "1.5 kB"});
    term_table_add(table, (const char *const[]){"attention/fp32/b1/h6/hkv2/causal", "2.5 kB"});
    term_table_add(table, (const char *const[]){"attention/fp32/b2", "13.5 kB"});
    term_page_set(30);
    term_table_print(table, false, &out);
    assert_string_equal(out.text, "attention/fp32/b1   1.5 kB\n"
                                  "attention/fp32/b1/h6/hkv2/causal\n"
                                  "                    2.5 kB\n"
                                  "attention/fp32/b2  13.5 kB\n");
    strbuf_clear(&out);
    for (int i = 0; i < 2; ++i)
        term_table_add(table, (const char *const[]){"attention/fp32/b1/h6/hkv2/causal", ""});
    term_table_print(table, false, &out);
    assert_non_null(strstr(out.text, "attention/fp32/b1\n  1.5 kB\n"));
    term_page_set(0);
    strbuf_fini(&out);
    term_table_free(table);
}

static void test_text_is_wrapped(void **state) {
    (void)state;
    struct strbuf out = {0};
    term_page_set(20);
    term_add_wrapped(&out, false, TERM_PLAIN, 2, "one two three four five attention/fp16/b48/h16 six");
    assert_string_equal(out.text, "one two three four\n  five\n  attention/fp16/b48/h16\n  six");
    strbuf_clear(&out);
    term_add_wrapped(&out, true, TERM_RED, 0, "not comparable: 1 of 6");
    assert_string_equal(out.text, "\033[31mnot comparable: 1 of\033[0m\n\033[31m6\033[0m");
    strbuf_clear(&out);
    term_page_set(0);
    term_add_wrapped(&out, false, TERM_PLAIN, 2, "one two three four five attention/fp16/b48/h16 six");
    assert_null(strchr(out.text, '\n'));
    strbuf_fini(&out);
}

// What is left, by what is done: nothing yet, half of it, and a piece that takes longer than it should.
static void test_time_left(void **state) {
    (void)state;
    struct progress progress = {.total = 20, .start_ns = 1000000000};
    assert_true(isnan(progress_left_s(&progress, 1000000000)));
    progress.piece = 5;
    progress.piece_start_ns = 1000000000;
    assert_float_equal(progress_left_s(&progress, 1000000000), 20, 1e-9); // a second a unit
    progress.done = 10;
    progress.piece_start_ns = 31000000000; // 10 units in 30 s
    assert_float_equal(progress_left_s(&progress, 31000000000), 30, 1e-9);
    assert_float_equal(progress_left_s(&progress, 40000000000), 21, 1e-9);
    assert_float_equal(progress_left_s(&progress, 90000000000), 30 - 0.95 * 15, 1e-9);
    progress.done_first = 5; // by an earlier run: 5 units in these 30 s
    assert_float_equal(progress_left_s(&progress, 31000000000), 60, 1e-9);
}

static void test_terminal(void **state) {
    (void)state;
    setenv("LC_ALL", "C", 1);
    setenv("LANG", "en_US.UTF-8", 1);
    assert_false(term_has_utf8()); // LC_ALL wins
    setenv("LC_ALL", "", 1);
    unsetenv("LC_CTYPE");
    assert_true(term_has_utf8());
    setenv("LC_CTYPE", "de_DE.utf8", 1);
    setenv("LANG", "C", 1);
    assert_true(term_has_utf8());
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    assert_false(term_has_utf8());
    setenv("COLUMNS", "132", 1);
    assert_int_equal(term_width(-1), 132);
    assert_int_equal(term_columns(-1), 132);
    static const char *const wrong[] = {"0", "-5", "7", "99999999", "wide", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        setenv("COLUMNS", wrong[i], 1);
        assert_int_equal(term_width(-1), 80);
        assert_int_equal(term_columns(-1), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_tables_fit_the_page),
        cmocka_unit_test(test_columns_are_left_out_by_rank),
        cmocka_unit_test(test_long_names_stand_apart),
        cmocka_unit_test(test_text_is_wrapped),
        cmocka_unit_test(test_time_left),
        cmocka_unit_test(test_color_choice),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sizes_and_durations),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(cells_are_plain),
        cmocka_unit_test(pages_hold_lines_and_our_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
