// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as foreign text: made plain it is one line of valid UTF-8 without anything hidden and without a
// command for a log, and stays as it is when it is made plain again; in JSON nothing of it is lost.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// What may stand in a line for a terminal or a log. Returns whether something other than blanks was there.
static bool check_line(const char *line, size_t line_length, bool has_begun) {
    for (size_t at = 0, length; at < line_length; at += length) {
        const uint32_t c = utf8_decode(line + at, &length);
        if (c == UTF8_INVALID || utf8_is_hidden(c)) abort();
        if (!has_begun && strncmp(line + at, "::", 2) == 0) abort();
        if (strncmp(line + at, "##[", 3) == 0) abort();
        has_begun = has_begun || !utf8_is_blank(c);
    }
    return has_begun;
}

static void check_plain(const char *text, bool has_utf8) {
    struct strbuf once = {0}, twice = {0};
    strbuf_add_plain(&once, text, has_utf8);
    strbuf_add_plain(&twice, strbuf_text(&once), has_utf8);
    check_line(strbuf_text(&once), once.length, false);
    if (strcmp(strbuf_text(&once), strbuf_text(&twice)) != 0) abort();
    strbuf_fini(&once);
    strbuf_fini(&twice);
}

// Lines and our colours are left; what is between the colours is plain.
static void check_page(const char *text) {
    struct strbuf once = {0}, twice = {0};
    term_add_page(&once, text);
    term_add_page(&twice, strbuf_text(&once));
    if (strcmp(strbuf_text(&once), strbuf_text(&twice)) != 0) abort();
    bool has_begun = false;
    for (const char *at = strbuf_text(&once); *at;) {
        const size_t length = strcspn(at, "\n\033");
        has_begun = check_line(at, length, has_begun);
        at += length;
        if (*at == '\033' && !(at = strchr(at, 'm'))) abort();
        if (*at == '\n') has_begun = false;
        at += *at != 0;
    }
    strbuf_fini(&once);
    strbuf_fini(&twice);
}

static void check_json(const char *text) {
    struct strbuf out = {0}, expected = {0};
    struct json_writer w = json_writer_make(&out, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, "text", text);
    json_object_end(&w);
    check_line(strbuf_text(&out), out.length, false);
    size_t length;
    for (const char *at = text; *at; at += length) {
        if (utf8_decode(at, &length) == UTF8_INVALID)
            strbuf_add(&expected, "\xef\xbf\xbd");
        else
            strbuf_add_bytes(&expected, at, length);
    }
    json_t *root = NULL;
    if (json_read_text(strbuf_text(&out), out.length, "text", &root, NULL) < 0) abort();
    if (!str_equal(json_string_value(json_object_get(root, "text")), strbuf_text(&expected))) abort();
    json_decref(root);
    strbuf_fini(&out);
    strbuf_fini(&expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *text = malloc(count + 1);
    if (!text) return 0;
    if (count) memcpy(text, bytes, count);
    text[count] = 0;
    struct err err = {0};
    struct strbuf word = {0};
    check_plain(text, true);
    check_plain(text, false);
    check_page(text);
    check_json(text);
    err_set(&err, ERR_DATA, "'%s'", text);
    check_line(err.text, strlen(err.text), false);
    strbuf_add(&word, "x ");
    strbuf_add_shell_word(&word, text);
    check_line(strbuf_text(&word), word.length, false);
    strbuf_fini(&word);
    free(text);
    return 0;
}
