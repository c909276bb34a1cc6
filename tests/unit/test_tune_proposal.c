// SPDX-License-Identifier: Apache-2.0
//
// What a proposer prints: lines for assay, sources, patches; and patches applied to a text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/tune/proposal_text.h"
#include "control/tune/unified_patch.h"

static void forms(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum proposal_form form;
        const char *prediction, *config, *body;
    } cases[] = {
        {"int a;\n", PROPOSAL_SOURCE, NULL, NULL, "int a;\n"},
        {"// assay: predict 1.2x, fewer waits \nint a;\n", PROPOSAL_SOURCE, "1.2x, fewer waits", NULL,
         "int a;\n"},
        {"  assay: config A=1,B=2\r\n// assay:predict x\n\nint a;", PROPOSAL_SOURCE, "x", "A=1,B=2",
         "int a;"},
        {"\n \t\r\n// assay: predict x\n \nassay: config A=1\nint a;", PROPOSAL_SOURCE, "x", "A=1", "int a;"},
        {"\n// assay: config A=1", PROPOSAL_SETTINGS, NULL, "A=1", ""},
        {"// assay: config A=1", PROPOSAL_SETTINGS, NULL, "A=1", ""},
        {"// a comment of its own\n// assay: predict x\n", PROPOSAL_SOURCE, NULL, NULL,
         "// a comment of its own\n// assay: predict x\n"}, // lines for assay come first
        {"// assay: predict x\n--- a/k.c\n+++ b/k.c\n", PROPOSAL_PATCH, "x", NULL, "--- a/k.c\n+++ b/k.c\n"},
        {"diff --git a/k.c b/k.c\n", PROPOSAL_PATCH, NULL, NULL, "diff --git a/k.c b/k.c\n"},
        {"\n@@ -1 +1 @@\n", PROPOSAL_PATCH, NULL, NULL, "\n@@ -1 +1 @@\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct proposal_text text;
        if (proposal_text_parse(cases[i].text, strlen(cases[i].text), &arena, &text, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        if (text.form != cases[i].form || !str_equal(text.prediction, cases[i].prediction) ||
            !str_equal(text.config, cases[i].config) || !str_equal(text.body, cases[i].body))
            fail_msg("%zu: form %d, '%s', '%s', '%s'", i, text.form, str_or(text.prediction, "-"),
                     str_or(text.config, "-"), text.body);
        arena_fini(&arena);
    }
}

static void garbage_is_refused(void **state) {
    (void)state;
    static char long_text[PROPOSAL_BYTES_MAX + 2];
    memset(long_text, 'a', sizeof long_text - 1);
    const struct {
        const char *text;
        size_t length;
        const char *said;
    } cases[] = {
        {"", 0, "it printed nothing"},
        {" \n\t\n", 4, "it printed nothing"},
        {"// assay: predict 1.2x\n", 23, "it printed nothing"},
        {"int a\0b;", 8, "a zero byte"},
        {"int \xff;", 6, "no text in UTF-8, at byte 5"},
        {"// assay: reward 3\nint a;", 25, "it printed the line 'assay: reward 3'"},
        {"// assay: config\nint a;", 23, "it printed the line 'assay: config'"},
        {long_text, sizeof long_text - 1, "more than 1024 KiB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct proposal_text text;
        assert_int_equal(proposal_text_parse(cases[i].text, cases[i].length, &arena, &text, &err), -ERR_DATA);
        if (!strstr(err.text, cases[i].said)) fail_msg("%zu: %s", i, err.text);
        arena_fini(&arena);
    }
}

// ---- patches ----

#define TEXT "one\ntwo\nthree\nfour\nfive\nsix\n"

static void patches_apply(void **state) {
    (void)state;
    static const struct {
        const char *text, *patch, *wanted;
    } cases[] = {
        {TEXT, "--- a/k.c\n+++ b/k.c\n@@ -2,2 +2,3 @@\n two\n-three\n+3\n+3.5\n",
         "one\ntwo\n3\n3.5\nfour\nfive\nsix\n"},
        {TEXT, "@@ -1 +1 @@ struct x\n-one\n+1\n@@ -6 +6 @@\n-six\n+6\n", "1\ntwo\nthree\nfour\nfive\n6\n"},
        {TEXT, "@@ -40,2 +40,1 @@\n three\n-four\n",
         "one\ntwo\nthree\nfive\nsix\n"}, // wrong numbers of lines
        {TEXT, "@@ -2,0 +3,1 @@\n+new\n", "one\ntwo\nnew\nthree\nfour\nfive\nsix\n"},
        {TEXT, "@@ -6,1 +6,2 @@\n six\n+seven", TEXT "seven"},
        {"a\n\nb", "@@ -1,3 +1,4 @@\n a\n\n b\n+c\n\\ No newline at end of file\n", "a\n\nb\nc\n"},
        {"a\nb", "@@ -1,1 +1,1 @@\n-a\n+A", "A\nb"},
        {"x\nx\nx\n", "@@ -2 +2 @@\n-x\n+y\n", "x\ny\nx\n"}, // at its line, not at the first place
        {"", "@@ -0,0 +1,1 @@\n+first\n", "first\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct strbuf out = {0};
        struct err err = {0};
        if (unified_patch_apply(cases[i].text, cases[i].patch, &out, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(strbuf_text(&out), cases[i].wanted);
        strbuf_fini(&out);
    }
}

static void patches_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *patch, *said;
    } cases[] = {
        {"--- a/k.c\n+++ b/k.c\n", "has no hunk"},
        {"@@ -1,2 +1,2 @@\n one\n", "hunk 1 of the patch is malformed"},
        {"@@ -1 +1\n-one\n", "malformed"},
        {"@@ -1,1 +1,1 @@\n one\n*two\n", NULL}, // what follows a whole hunk is no part of it
        {"@@ -1,2 +1,2 @@\n one\n*two\n", "malformed"},
        {"@@ -99999999999999999999 +1 @@\n-one\n", "malformed"},
        {"@@ -1 +1 @@\n-eins\n+1\n", "hunk 1 of the patch does not fit"},
        {"@@ -4 +4 @@\n-four\n+4\n@@ -1 +1 @@\n-one\n+1\n",
         "hunk 2 of the patch does not fit"}, // out of order
        {"@@ -1 +1 @@\n-one\n+1\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n", "a second file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct strbuf out = {0};
        struct err err = {0};
        const int code = unified_patch_apply(TEXT, cases[i].patch, &out, &err);
        assert_int_equal(code, cases[i].said ? -ERR_DATA : 0);
        if (cases[i].said && !strstr(err.text, cases[i].said)) fail_msg("%zu: %s", i, err.text);
        strbuf_fini(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(patches_apply),
        cmocka_unit_test(patches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
