// SPDX-License-Identifier: Apache-2.0
//
// Comma lists: items without spaces, empty items kept, and joined again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/comma.h"
#include "base/strbuf.h"

// Every item in brackets: "a, b" -> "[a][b]".
static void expect_items(const char *list, const char *expected) {
    struct strbuf got = {0};
    struct comma_item item;
    size_t count = 0;
    for (const char *at = list; comma_next(&at, &item); ++count)
        strbuf_addf(&got, "[%.*s]", (int)item.length, item.text);
    assert_string_equal(strbuf_text(&got), expected);
    assert_int_equal(comma_count(list), count);
    strbuf_fini(&got);
}

static void test_items(void **state) {
    (void)state;
    expect_items(NULL, "");
    expect_items("", "[]");
    expect_items("a", "[a]");
    expect_items("a,b", "[a][b]");
    expect_items(" a ,\tb c , ", "[a][b c][]");
    expect_items(",a,,", "[][a][][]");
    expect_items("m:f(x, y(z, 1)), b", "[m:f(x, y(z, 1))][b]");
    expect_items("f(x, b", "[f(x, b]");
    expect_items("f), b", "[f)][b]");
}

static void test_names_are_whole(void **state) {
    (void)state;
    struct comma_item item;
    const char *at = "s512,small";
    assert_true(comma_next(&at, &item));
    assert_true(comma_item_is(item, "s512"));
    assert_false(comma_item_is(item, "s51"));
    assert_false(comma_item_is(item, "s5120"));
}

static void test_joined(void **state) {
    (void)state;
    struct strbuf text = {0};
    comma_add(&text, "a");
    comma_addf(&text, "%d of %s", 2, "b");
    comma_add(&text, "c");
    assert_string_equal(strbuf_text(&text), "a, 2 of b, c");
    strbuf_fini(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_names_are_whole),
        cmocka_unit_test(test_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
