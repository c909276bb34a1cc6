// SPDX-License-Identifier: Apache-2.0
//
// Output of json_writer reads back to the same values; bad documents are refused with a place and a reason.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/rng.h"

static void test_layout(void **state) {
    (void)state;
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, "text", "a\"b\\c\n\x01\xc2\xb5\xff");
    json_write_i64(&w, "negative", -5);
    json_array_begin(&w, "list");
    json_write_null(&w, NULL);
    json_write_bool(&w, NULL, true);
    json_object_begin(&w, NULL);
    json_object_end(&w);
    json_array_end(&w);
    json_write_u64s(&w, "times", (const uint64_t[]){1, 2}, 2);
    json_maybe_string(&w, "absent", NULL);
    json_maybe_double(&w, "absent", NAN);
    json_write_double(&w, "nan", NAN);
    json_object_end(&w);
    assert_string_equal(
        out.text, "{\"text\":\"a\\\"b\\\\c\\n\\u0001\xc2\xb5\xef\xbf\xbd\",\"negative\":-5,\"list\":[null,"
                  "true,{}],\"times\":[1,2],\"nan\":null}");
    strbuf_clear(&out);
    w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_write_doubles(&w, "values", (const double[]){0.5, -0.0}, 2);
    json_array_begin(&w, "empty");
    json_array_end(&w);
    json_object_end(&w);
    assert_string_equal(out.text, "{\n  \"values\": [0.5, -0.0],\n  \"empty\": []\n}");
    strbuf_fini(&out);
}

static json_t *read_back(const struct strbuf *out) {
    json_t *root = NULL;
    struct err err = {0};
    if (json_read_text(strbuf_text(out), out->length, "test", &root, &err) != 0) fail_msg("%s", err.text);
    return root;
}

// Hidden characters are escaped, so that any terminal can show a document; they read back as they were.
static void hidden_characters_are_escaped(void **state) {
    (void)state;
    static const char text[] = "\x1b[2J\x07\x7f \xc2\x9b \xe2\x80\xae \xf3\xa0\x81\x81 ##[error] "
                               "\xe2\x82\xac #";
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, text, text);
    json_object_end(&w);
    static const char shown[] = "\"\\u001b[2J\\u0007\\u007f \\u009b \\u202e \\udb40\\udc41 #\\u0023[error] "
                                "\xe2\x82\xac #\"";
    char whole[2 * sizeof shown + 8];
    snprintf(whole, sizeof whole, "{%s:%s}", shown, shown);
    assert_string_equal(out.text, whole);
    json_t *root = read_back(&out);
    assert_string_equal(json_string_value(json_object_get(root, text)), text);
    json_decref(root);
    strbuf_fini(&out);
}

static void test_round_trip(void **state) {
    (void)state;
    static const double edges[] = {
        0.0, -0.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308, 123456789012345678.0, 1.0 / 3};
    enum { EDGES = sizeof edges / sizeof *edges, COUNT = 2000 };
    for (size_t i = 0; i < COUNT; ++i) {
        double value = i < EDGES ? edges[i] : (rng_uniform(1, 2, i) - 0.5) * exp(100 * rng_normal(1, 3, i));
        struct strbuf out = {0};
        struct json_writer w = json_writer_make(&out, 0);
        json_object_begin(&w, NULL);
        json_write_double(&w, "x", value);
        json_object_end(&w);
        json_t *root = read_back(&out);
        double again = 7;
        assert_int_equal(json_get_double(&(struct json_at){root, "test"}, "x", &again, NULL), 0);
        assert_memory_equal(&again, &value, sizeof value);
        json_decref(root);
        strbuf_fini(&out);
    }
}

static void test_u64_round_trip(void **state) {
    (void)state;
    static const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        struct strbuf out = {0};
        struct json_writer w = json_writer_make(&out, 0);
        json_object_begin(&w, NULL);
        json_write_u64(&w, "x", values[i]);
        json_object_end(&w);
        json_t *root = read_back(&out);
        uint64_t again = 7;
        assert_int_equal(json_get_u64(&(struct json_at){root, "test"}, "x", &again, NULL), 0);
        assert_true(again == values[i]);
        json_decref(root);
        strbuf_fini(&out);
    }
}

static void test_bad_documents(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      " \n",
                                      "{",
                                      "{\"a\": 1",
                                      "{\"a\": 1}x",
                                      "{\"a\":1,\"a\":2}",
                                      "{\"a\": NaN}",
                                      "{\"a\": 1e999}",
                                      "[1,]",
                                      "5",
                                      "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        json_t *root = NULL;
        struct err err = {0};
        assert_int_equal(json_read_text(bad[i], strlen(bad[i]), "runs/x.json", &root, &err), -ERR_DATA);
        assert_null(root);
        assert_non_null(strstr(err.text, "runs/x.json"));
    }
    json_t *root = NULL;
    struct err err = {0};
    assert_int_equal(json_read_text("{\n  \"a\": ?}", 11, "x", &root, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "x:2:"));
    assert_int_equal(json_read_file("no/such/file.json", &root, &err), -ERR_NO_INPUT);
    char *large = calloc(1, JSON_DOCUMENT_BYTES_MAX + 1);
    assert_non_null(large);
    assert_int_equal(json_read_text(large, JSON_DOCUMENT_BYTES_MAX + 1, "x", &root, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "67108864"));
    free(large);
}

// Documents with too many values are refused before anything is made of them.
static void too_many_values_are_refused_unread(void **state) {
    (void)state;
    static const char *const parts[] = {"[],", "{},", "1,", "\"a\",", "[1],"};
    static const size_t costs[] = {5, 5, 1, 1, 5};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        size_t length = strlen(parts[i]), count = JSON_VALUES_MAX / costs[i] + 1;
        char *text = malloc(count * length + 2);
        json_t *root = NULL;
        struct err err = {0};
        assert_non_null(text);
        text[0] = '[';
        for (size_t k = 0; k < count; ++k) memcpy(text + 1 + k * length, parts[i], length);
        text[count * length] = ']'; // over the last comma
        assert_int_equal(json_read_text(text, count * length + 1, "x", &root, &err), -ERR_DATA);
        assert_non_null(strstr(err.text, "too many values; the limit is 8388608"));
        free(text);
    }
    // Inside a string nothing counts.
    char *text = malloc(JSON_VALUES_MAX + 3);
    json_t *root = NULL;
    assert_non_null(text);
    memset(text, '[', JSON_VALUES_MAX + 3);
    text[0] = '[';
    text[1] = text[JSON_VALUES_MAX + 1] = '"';
    text[JSON_VALUES_MAX + 2] = ']';
    memcpy(text + 2, "\\\"[", 3);
    assert_int_equal(json_read_text(text, JSON_VALUES_MAX + 3, "x", &root, NULL), 0);
    json_decref(root);
    free(text);
}

static void test_members(void **state) {
    (void)state;
    static const char text[] =
        "{\"s\":\"t\",\"i\":-3,\"u\":4,\"d\":0.5,\"b\":true,\"a\":[],\"o\":{},\"n\":null}";
    json_t *root = NULL;
    assert_int_equal(json_read_text(text, sizeof text - 1, "doc", &root, NULL), 0);
    const struct json_at at = {root, "doc"};
    struct err err = {0};
    const char *s = NULL;
    int64_t i = 0;
    uint64_t u = 0;
    double d = 0;
    bool b = false;
    const json_t *j = NULL;
    assert_int_equal(json_get_string(&at, "s", &s, &err), 0);
    assert_string_equal(s, "t");
    assert_int_equal(json_get_i64(&at, "i", &i, &err), 0);
    assert_int_equal(i, -3);
    assert_int_equal(json_get_double(&at, "i", &d, &err), 0);
    assert_true(d == -3.0);
    assert_int_equal(json_get_bool(&at, "b", &b, &err), 0);
    assert_int_equal(json_get_array(&at, "a", &j, &err), 0);
    assert_int_equal(json_get_object(&at, "o", &j, &err), 0);
    assert_int_equal(json_find_u64(&at, "u", &u, &err), 1);
    assert_int_equal(u, 4);
    assert_int_equal(json_find_u64(&at, "n", &u, &err), 0);
    assert_int_equal(json_find_u64(&at, "none", &u, &err), 0);
    assert_int_equal(u, 4);
    assert_int_equal(json_get_u64(&at, "i", &u, &err), -ERR_DATA); // negative
    assert_int_equal(json_get_i64(&at, "d", &i, &err), -ERR_DATA); // real
    assert_int_equal(json_get_u64(&at, "s", &u, &err), -ERR_DATA);
    assert_int_equal(json_find_string(&at, "u", &s, &err), -ERR_DATA);
    assert_string_equal(err.text, "doc: key 'u' must be a string, but is an integer");
    assert_int_equal(json_get_double(&at, "none", &d, &err), -ERR_DATA);
    assert_string_equal(err.text, "doc: key 'none' is missing");
    assert_int_equal(json_get_double(&(struct json_at){j, "x"}, "n", &d, &err), -ERR_DATA);
    assert_int_equal(json_get_double(&(struct json_at){NULL, "x"}, "n", &d, &err), -ERR_DATA);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),        cmocka_unit_test(hidden_characters_are_escaped),
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_u64_round_trip),
        cmocka_unit_test(test_bad_documents), cmocka_unit_test(too_many_values_are_refused_unread),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
