// SPDX-License-Identifier: Apache-2.0
//
// What a list says often is said once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/result/report_block.h"

static void expect_folded(bool any_numbers, const char *const *items, const char *const *folded) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena};
    struct report_block *list = report_block_add(&blocks, REPORT_LIST, NULL);
    for (size_t i = 0; items[i]; ++i) report_item_add(&blocks, list, items[i]);
    (any_numbers ? report_list_fold_numbers : report_list_fold)(&blocks, list);
    for (size_t i = 0; i < list->row_count; ++i) {
        if (!folded[i]) fail_msg("too much: %s", list->rows[i].cells[0]);
        assert_string_equal(list->rows[i].cells[0], folded[i]);
    }
    assert_null(folded[list->row_count]);
    arena_fini(&arena);
}

static void equal_sentences_are_said_once(void **state) {
    (void)state;
    static const char *const items[] = {"a: busy", "b: noisy", "c: busy", "no name", "d: busy: very",
                                        "e: busy", "f: busy",  "no name", "no name", "g: busy",
                                        "no name", "h: noisy", "a: ",     NULL};
    static const char *const folded[] = {"a, c, e and 2 more: busy",
                                         "b: noisy",
                                         "no name",
                                         "d: busy: very",
                                         "no name",
                                         "no name",
                                         "no name",
                                         "h: noisy",
                                         "a: ",
                                         NULL};
    static const char *const advice[] = {"a: gate --rounds 97", "b: gate --rounds 226", "c: gate --rounds 9",
                                         "d: gate --rounds 3", NULL};
    for (int any_numbers = 0; any_numbers < 2; ++any_numbers) expect_folded(any_numbers, items, folded);
    expect_folded(false, advice, advice);
    static const char *const odd[] = {"a: \2", "1", "2", "3", "4", "b: ", NULL}; // of no row without a name
    for (int any_numbers = 0; any_numbers < 2; ++any_numbers) expect_folded(any_numbers, odd, odd);
}

// Equal but for their numbers: the least and the greatest of each.
static void sentences_of_one_shape_are_said_once(void **state) {
    (void)state;
    expect_folded(
        true,
        (const char *const[]){"a: 9.5 % apart after 5.0 s", "b: 10 % apart after 5.0 s",
                              "a: 11.25 % apart after 5.0 s", "other: 1 us", "b: 9.50 % apart after 5.0 s",
                              NULL},
        (const char *const[]){"a, b (4 times): 9.5 to 11.25 % apart after 5.0 s", "other: 1 us", NULL});
    expect_folded(true, (const char *const[]){"p1: 3", "p2: 1", "p3: (2)", "p4: 2;", "p3: 2", "p5: 1", NULL},
                  (const char *const[]){"p1, p2, p3 and 1 more: 1 to 3", "p3: (2)", "p4: 2;", NULL});
    // Parts of other words, dates and signs are text; so is a byte that would be taken for a number's place.
    static const char *const kept[] = {
        "a: s512", "b: s256", "c: s128",  "d: s64",   "a: 10:30", "b: 10:31", "c: 10:32", "d: 10:33", "a: -1",
        "b: -2",   "c: -3",   "d: -4",    "a: 1x",    "b: 2x",    "c: 3x",    "d: 4x",    "a: 1.",    "b: 2.",
        "c: 3.",   "d: 4.",   "a: 1.5.2", "b: 1.5.3", "c: 1.5.4", "d: 1.5.5", NULL};
    expect_folded(true, kept, kept);
    expect_folded(true, (const char *const[]){"a: \1 x", "b: \1 x", "c: \1 x", "d: \1 x", NULL},
                  (const char *const[]){"a, b, c and 1 more:   x", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sentences_are_said_once),
        cmocka_unit_test(sentences_of_one_shape_are_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
