// SPDX-License-Identifier: Apache-2.0
//
// What a JSON text is read as, and with which words and at which place another one is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_parse.h"
#include "base/json_writer.h"
#include "base/rng.h"

static json_t *parsed(const char *text) {
    struct json_fault fault;
    json_t *root = json_parse(text, strlen(text), SIZE_MAX, &fault);
    if (!root) fail_msg("%s: %zu:%zu: %s", text, fault.line, fault.column, fault.text);
    return root;
}

static void expect_same(const char *text, const char *wanted) {
    json_t *root = parsed(text);
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 0);
    json_write_value(&w, NULL, root);
    assert_string_equal(out.text, wanted);
    strbuf_fini(&out);
    json_decref(root);
}

static void documents_are_read(void **state) {
    (void)state;
    expect_same(" { } ", "{}");
    expect_same("[\n]\n", "[]");
    expect_same("[true,false , null,\t0]", "[true,false,null,0]");
    expect_same("{\"a\":{\"b\":[{},[1]]},\"\":\"\"}", "{\"a\":{\"b\":[{},[1]]},\"\":\"\"}");
    expect_same("[9223372036854775807,-9223372036854775808,-0]",
                "[9223372036854775807,-9223372036854775808,0]");
    expect_same("[1.5,-2E3,1e-2,0.0,-0.0]", "[1.5,-2000,0.01,0,-0.0]");
    expect_same("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\"]");
    expect_same("[\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00 \xc3\xa9\"]",
                "[\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa9\"]");
    expect_same("[\",:[]{}\\\"\",[\"]\"],{\"}\":\"{\"}]", "[\",:[]{}\\\"\",[\"]\"],{\"}\":\"{\"}]");
}

static void others_are_refused_at_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted; // line:column: words
    } cases[] = {
        {"", "1:1: expected an object or an array, but the text ends"},
        {"5", "1:1: expected an object or an array, but found '5'"},
        {"\xef\xbb\xbf{}", "1:1: expected an object or an array, but found '\xef\xbb\xbf'"},
        {"{\n \"a\": NaN}", "2:7: expected a value, but found 'NaN'"},
        {"[nul]", "1:2: expected a value, but found 'nul'"},
        {"[tru", "1:2: expected a value, but found 'tru'"},
        {"[1,]", "1:4: expected a value, but found ']'"},
        {"[1 2]", "1:4: expected ',' or ']', but found '2'"},
        {"[1", "1:3: expected ',' or ']', but the text ends"},
        {"[}", "1:2: expected a value, but found '}'"},
        {"[1}", "1:3: expected ',' or ']', but found '}'"},
        {"[]]", "1:3: expected nothing more, but found ']'"},
        {"{} x", "1:4: expected nothing more, but found 'x'"},
        {"{1:2}", "1:2: expected a key in quotes, but found '1'"},
        {"{\"a\" 1}", "1:6: expected ':', but found '1'"},
        {"{\"a\":1]", "1:7: expected ',' or '}', but found ']'"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "1:19: the key 'a' is given twice"},
        {"[-]", "1:3: expected a digit, but found ']'"},
        {"[01]", "1:3: expected no digit behind a leading zero, but found '1'"},
        {"[1.]", "1:4: expected digits behind the point, but found ']'"},
        {"[1e+]", "1:5: expected the digits of an exponent, but found ']'"},
        {"[.5]", "1:2: expected a value, but found '.5'"},
        {"[1.5", "1:5: expected more, but the text ends"},
        {"[1e999]", "1:7: this number is beyond the largest one"},
        {"[9223372036854775808]", "1:2: this integer is beyond 64 bits"},
        {"[-9223372036854775809]", "1:2: this integer is beyond 64 bits"},
        {"[184467440737095516160]", "1:2: this integer is beyond 64 bits"},
        {"[\"a", "1:4: expected the quote that ends a text, but the text ends"},
        {"[\"a\\\"", "1:6: expected the quote that ends a text, but the text ends"},
        {"[\"a\\", "1:5: expected the quote that ends a text, but the text ends"},
        {"[\"a\nb\"]", "1:4: a control character stands in a text"},
        {"[\"\\x\"]", "1:4: expected an escape such as \\n, but found 'x'"},
        {"[\"\\u12g4\"]", "1:7: expected four hexadecimal digits, but found 'g4'"},
        {"[\"\\u0000\"]", "1:9: a text cannot hold \\u0000"},
        {"[\"\\ud83d\"]", "1:9: this half of a surrogate pair lacks the other"},
        {"[\"\\ude00\"]", "1:9: this half of a surrogate pair lacks the other"},
        {"[\"\\ud83d\\u0041\"]", "1:15: this half of a surrogate pair lacks the other"},
        {"[\"\xff\"]", "1:3: this text is not UTF-8"},
        {"[\"\xc3\"]", "1:3: this text is not UTF-8"},
        {"[\xc3\xa9]", "1:2: expected a value, but found '\xc3\xa9'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct json_fault fault;
        char found[300];
        char *text = strdup(cases[i].text); // of its own size, without the zero: nothing behind it is read
        const size_t length = strlen(cases[i].text);
        assert_non_null(text = realloc(text, length ? length : 1));
        assert_null(json_parse(text, length, SIZE_MAX, &fault));
        assert_false(fault.is_too_many);
        snprintf(found, sizeof found, "%zu:%zu: %s", fault.line, fault.column, fault.text);
        assert_string_equal(found, cases[i].wanted);
        free(text);
    }
}

static void depth_is_limited(void **state) {
    (void)state;
    char text[2 * JSON_DEPTH_READ + 3];
    struct json_fault fault;
    for (size_t depth = JSON_DEPTH_READ; depth <= JSON_DEPTH_READ + 1; ++depth) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        json_t *root = json_parse(text, 2 * depth, SIZE_MAX, &fault);
        assert_int_equal(root != NULL, depth == JSON_DEPTH_READ);
        if (!root) assert_string_equal(fault.text, "arrays and objects are nested too deeply");
        json_decref(root);
    }
}

static void values_are_limited(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t values;
    } cases[] = {{"[1]", 5}, {"[1,2]", 6}, {"[[],[]]", 14}, {"{\"a,:[\":1}", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct json_fault fault;
        assert_null(json_parse(cases[i].text, strlen(cases[i].text), cases[i].values - 1, &fault));
        assert_true(fault.is_too_many);
        json_t *root = json_parse(cases[i].text, strlen(cases[i].text), cases[i].values, &fault);
        assert_non_null(root);
        json_decref(root);
    }
}

// Objects of all sizes around the one from which members are found by their order.
static void members_are_found(void **state) {
    (void)state;
    for (int count = 0; count < 40; ++count) {
        struct strbuf text = {0};
        char key[16];
        strbuf_add_char(&text, '{');
        for (int i = 0; i < count; ++i) strbuf_addf(&text, "%s\"k%d\":%d", i ? "," : "", i * 7 % 41, i);
        strbuf_add_char(&text, '}');
        json_t *root = parsed(text.text);
        assert_int_equal(json_object_size(root), count);
        for (int i = 0; i < count; ++i) {
            snprintf(key, sizeof key, "k%d", i * 7 % 41);
            assert_int_equal(json_integer_value(json_object_get(root, key)), i);
        }
        assert_null(json_object_get(root, "none"));
        json_decref(root);
        text.text[text.length - 1] = ',';
        strbuf_add(&text, "\"k0\":1}");
        struct json_fault fault;
        if (count > 0) {
            assert_null(json_parse(text.text, text.length, SIZE_MAX, &fault));
            assert_string_equal(fault.text, "the key 'k0' is given twice");
        }
        strbuf_fini(&text);
    }
}

// Any decimal number reads as strtod does, to the bit.
static void numbers_are_right(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200000; ++i) {
        char text[64];
        const uint64_t bits = rng_u64(7, 1, i);
        const int digits = 1 + (int)(bits % 20), point = (int)(bits >> 8) % 6;
        int length = snprintf(text, sizeof text, "[%s%llu", bits & 64 ? "-" : "",
                              1 + (unsigned long long)rng_u64(7, 2, i) % 9);
        for (int k = 1; k < digits; ++k)
            length += snprintf(text + length, 3, "%s%d", k == point ? "." : "",
                               (int)(rng_u64(7, 3 + (uint64_t)k, i) % 10));
        snprintf(text + length, sizeof text - (size_t)length, "e%d]", (int)(bits >> 16) % 60 - 30);
        json_t *root = parsed(text);
        const double wanted = strtod(text + 1, NULL), found = json_number_value(json_array_get(root, 0));
        if (memcmp(&wanted, &found, sizeof found) != 0) fail_msg("%s: %.17g, not %.17g", text, found, wanted);
        json_decref(root);
    }
}

static void what_is_not_there_has_no_value(void **state) {
    (void)state;
    json_t *root = parsed("[\"text\", 1.5, 2]");
    assert_null(json_array_get(root, 3));
    assert_null(json_object_get(root, "a"));
    assert_null(json_string_value(json_array_get(root, 1)));
    assert_int_equal(json_integer_value(json_array_get(root, 1)), 0);
    assert_true(json_number_value(json_array_get(root, 2)) == 2.0);
    assert_true(json_number_value(NULL) == 0.0);
    assert_int_equal(json_array_size(NULL) + json_object_size(NULL), 0);
    json_decref(root);
    json_decref(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_read),
        cmocka_unit_test(others_are_refused_at_their_place),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(values_are_limited),
        cmocka_unit_test(members_are_found),
        cmocka_unit_test(numbers_are_right),
        cmocka_unit_test(what_is_not_there_has_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
