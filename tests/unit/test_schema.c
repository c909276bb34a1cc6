// SPDX-License-Identifier: Apache-2.0
//
// The schema and the page of result documents are those that the member tables give; `make docs` writes them
// (this program with ASSAY_WRITE_DOCS=1). Members are written, read, copied and bounded by their rows.
#include "record/schema.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/record.h"
#include "record/result.h"
#include "record/work_order.h"
#include "unit/written_docs.h"

static void test_docs(void **state) {
    (void)state;
    written_docs_hold_tables(&result_members, "assay result, schema version 1",
                             ASSAY_SOURCE_DIR "/docs/result.schema.json",
                             ASSAY_SOURCE_DIR "/docs/result-format.md");
}

// The page of work orders and records: the orders' tables, and each kind of order and of record.
static void test_records_page(void **state) {
    (void)state;
    static const char path[] = ASSAY_SOURCE_DIR "/docs/records.md";
    struct strbuf page = {0};
    struct err err = {0};
    char *text = NULL, quoted[64];
    size_t length = 0;
    if (file_read(path, 1 << 20, &text, &length, &err) < 0) fail_msg("%s", err.text);
    if (schema_fill_page(&work_order_members, text, &page, &err) < 0) fail_msg("%s", err.text);
    written_docs_hold(path, strbuf_text(&page));
    for (int kind = 1; kind < WORK_KIND_COUNT; ++kind) {
        snprintf(quoted, sizeof quoted, "`%s`", work_kind_name((enum work_kind)kind));
        if (!strstr(strbuf_text(&page), quoted)) fail_msg("%s does not tell of the order %s", path, quoted);
    }
    for (int kind = 1; kind < RECORD_KIND_COUNT; ++kind) {
        snprintf(quoted, sizeof quoted, "`%s`", record_kind_name((enum record_kind)kind));
        if (!strstr(strbuf_text(&page), quoted)) fail_msg("%s does not tell of the record %s", path, quoted);
    }
    free(text);
    strbuf_fini(&page);
}

static void test_pages_that_cannot_be(void **state) {
    (void)state;
    struct strbuf page = {0};
    struct err err = {0};
    const char *const texts[] = {"<!-- members: nothing -->\n<!-- end -->\n",
                                 "<!-- members: side -->\nno end", "<!-- members: side -->"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        assert_int_equal(schema_fill_page(&result_members, texts[i], &page, &err), -ERR_DATA);
    strbuf_fini(&page);
}

// ---- what people write ----

struct choice {
    const char *name, *other;
};
static const struct member choice_list[] = {
    MEMBER(struct choice, "name", name, "Its [name](page.md#names), a[0] of them.", MEMBER_REQUIRED),
    MEMBER(struct choice, "other", other, "Another.", 0, .type_text = "path", .fallback = "`name`"),
};
static const struct member_table choice_members =
    MEMBER_TABLE(struct choice, "choice", choice_list, .rule = "{\"minProperties\": 1}");

static void test_keys(void **state) {
    (void)state;
    struct strbuf page = {0}, schema = {0};
    struct err err = {0};
    assert_int_equal(
        schema_fill_page(&choice_members, "a\n<!-- keys: choice -->\nold\n<!-- end -->\nb\n", &page, &err),
        0);
    assert_string_equal(strbuf_text(&page), "a\n<!-- keys: choice -->\n"
                                            "| key | type | default | meaning |\n| --- | --- | --- | --- |\n"
                                            "| `name` | text | required | Its [name](page.md#names), a[0] of "
                                            "them. |\n"
                                            "| `other` | path | `name` | Another. |\n"
                                            "<!-- end -->\nb\n");
    schema_write(&choice_members, "a choice", &schema);
    assert_non_null(strstr(strbuf_text(&schema), "\"description\": \"Its name, a[0] of them.\""));
    assert_non_null(strstr(strbuf_text(&schema), "\"minProperties\": 1"));
    assert_null(strstr(strbuf_text(&schema), "u64")); // nothing refers to it
    strbuf_fini(&page);
    strbuf_fini(&schema);
}

// ---- rows ----

struct part {
    double rate_pct;
    const char *text;
};
struct whole {
    const char *text;
    char chars[8];
    double any, positive, zero_ns;
    uint32_t small;
    uint64_t wide;
    int64_t signed_wide, from_zero;
    int number, tristate;
    bool flag;
    struct part part;
    const struct part *pointer;
    size_t part_count, text_count;
    struct part *parts;
    const char **texts;
};
static const struct member part_list[] = {
    MEMBER(struct part, "rate_pct", rate_pct, "Rate.", MEMBER_REQUIRED, MEMBER_FROM_TO(0, 100)),
    MEMBER(struct part, "text", text, "Text."),
};
static const struct member_table part_members = MEMBER_TABLE(struct part, "part", part_list, );
static const struct member whole_list[] = {
    MEMBER(struct whole, "text", text, "Text."),
    MEMBER(struct whole, "chars", chars, "Characters."),
    MEMBER(struct whole, "any", any, "A number."),
    MEMBER(struct whole, "positive", positive, "A number.", 0, MEMBER_ABOVE(0)),
    MEMBER(struct whole, "zero_ns", zero_ns, "A number.", MEMBER_ABSENT_0 | MEMBER_WRITTEN),
    MEMBER(struct whole, "small", small, "A number."),
    MEMBER(struct whole, "wide", wide, "A number.", MEMBER_WRITTEN),
    MEMBER(struct whole, "signed_wide", signed_wide, "A number."),
    MEMBER(struct whole, "from_zero", from_zero, "A number.", MEMBER_FROM_0),
    MEMBER(struct whole, "number", number, "A number.", 0, MEMBER_FROM_TO(0, 9)),
    {.key = "tristate",
     .type = MEMBER_BOOL_OR_UNKNOWN,
     MEMBER_PLACE(struct whole, tristate),
     .sentence = "Yes or no."},
    MEMBER(struct whole, "flag", flag, "Yes."),
    MEMBER_STRUCT(struct whole, "part", part, &part_members, "A part."),
    MEMBER_POINTER(struct whole, "pointer", pointer, &part_members, "A part."),
    MEMBER_LIST(struct whole, "parts", parts, part_count, &part_members, 2, "Parts."),
    MEMBER_STRINGS(struct whole, "texts", texts, text_count, 2, "Texts."),
};
static const struct member_table whole_members = MEMBER_TABLE(struct whole, "whole", whole_list, );

static char *written(const struct whole *whole) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &whole_members, whole, NULL);
    return strbuf_take(&text);
}

static int parsed(const char *text, struct arena *arena, struct whole *ret, struct err *err) {
    json_t *root = NULL;
    assert_int_equal(json_read_text(text, strlen(text), "test", &root, NULL), 0);
    members_forget(&whole_members, ret);
    const int code = members_read(&(struct json_at){root, "here"}, &whole_members, arena, ret, NULL, err);
    json_decref(root);
    return code;
}

static void test_round_trip(void **state) {
    (void)state;
    static const char full[] =
        "{\"text\":\"a\",\"chars\":\"b\",\"any\":-1.5,\"positive\":2,\"zero_ns\":3,\"small\":4,"
        "\"wide\":\"18446744073709551615\",\"signed_wide\":5,\"from_zero\":0,\"number\":6,\"tristate\":false,"
        "\"flag\":true,\"part\":{\"rate_pct\":7},\"pointer\":{\"rate_pct\":8,\"text\":\"c\"},"
        "\"parts\":[{\"rate_pct\":9,\"text\":\"d\"}],\"texts\":[\"e\",\"f\"]}";
    struct arena arena = {0}, other = {0};
    struct err err = {0};
    struct whole whole;
    if (parsed(full, &arena, &whole, &err) < 0) fail_msg("%s", err.text);
    members_own(&whole_members, &other, &whole); // nothing points into the first arena any more
    arena_fini(&arena);
    char *again = written(&whole);
    assert_string_equal(again, full);
    free(again);
    arena_fini(&other);
}

static void test_unknown_is_absent(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct whole whole;
    assert_int_equal(parsed("{}", &arena, &whole, &err), 0);
    assert_true(isnan(whole.any) && whole.zero_ns == 0 && whole.from_zero == -1 && whole.tristate == -1);
    assert_false(members_are_known(&whole_members, &whole));
    whole.positive = -1; // cannot be: as good as not known
    char *text = written(&whole);
    assert_string_equal(text, "{\"zero_ns\":0,\"wide\":0}");
    free(text);
    struct whole more = whole;
    more.text = "x";
    more.small = 3;
    whole.any = 1;
    more.any = 2;
    members_fill(&whole_members, &arena, &whole, &more);
    assert_string_equal(whole.text, "x");
    assert_true(whole.small == 3 && whole.any == 1);
    arena_fini(&arena);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"[]", "here: must be an object"},
        {"{\"text\": 1}", "here: key 'text' must be a string"},
        {"{\"positive\": 0}", "here: key 'positive' is 0; it must be above 0"},
        {"{\"small\": -1}", "here: key 'small' must not be negative"},
        {"{\"small\": 4294967296}", "here: key 'small' is 4294967296; at most 4294967295 is possible"},
        {"{\"from_zero\": -1}", "here: key 'from_zero' is -1; it must be at least 0"},
        {"{\"number\": 10}", "here: key 'number' is 10; it must be from 0 to 9"},
        {"{\"number\": 4294967296}", "here: key 'number' is 4294967296; at most 2147483647 is possible"},
        {"{\"flag\": 1}", "here: key 'flag' must be true or false"},
        {"{\"part\": {}}", "here: part: key 'rate_pct' is missing"},
        {"{\"part\": {\"rate_pct\": null}}", "here: part: key 'rate_pct' is null"},
        {"{\"pointer\": {\"rate_pct\": 101}}",
         "here: pointer: key 'rate_pct' is 101; it must be from 0 to 100"},
        {"{\"parts\": [{\"rate_pct\": 1}, 2]}", "here: parts[1]: must be an object"},
        {"{\"parts\": [1, 2, 3]}", "here: key 'parts' has 3 items; the limit is 2"},
        {"{\"texts\": [\"a\", 2]}", "here: texts[1] must be a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct whole whole;
        assert_int_equal(parsed(cases[i].text, &arena, &whole, &err), -ERR_DATA);
        if (!strstr(err.text, cases[i].sentence))
            fail_msg("%s: wanted '%s', got '%s'", cases[i].text, cases[i].sentence, err.text);
        arena_fini(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_docs),
        cmocka_unit_test(test_records_page),
        cmocka_unit_test(test_pages_that_cannot_be),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_unknown_is_absent),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
