// SPDX-License-Identifier: Apache-2.0
//
// See unified_patch.h.
#include "control/tune/unified_patch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 10000000ul

struct hunk {
    const char *body, *end; // its lines
    size_t old_line;        // where they stand, from 1
    size_t old_count, new_count;
    unsigned number; // from 1, for messages
};

static const char *after_line(const char *line) {
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

// ---- reading ----

// " -12,3": the line, and the number of lines, which is 1 where it is left out.
static bool read_range(const char **at, char sign, size_t *ret_line, size_t *ret_count) {
    const char *p = *at;
    char *end;
    if (p[0] != ' ' || p[1] != sign || !isdigit((unsigned char)p[2])) return false;
    *ret_line = strtoul(p + 2, &end, 10);
    *ret_count = 1;
    if (*end == ',') {
        if (!isdigit((unsigned char)end[1])) return false;
        *ret_count = strtoul(end + 1, &end, 10);
    }
    *at = end;
    return *ret_line <= LINES_MAX && *ret_count <= LINES_MAX;
}

static bool read_header(const char *line, struct hunk *ret) {
    size_t new_line;
    const char *at = line + 2;
    return read_range(&at, '-', &ret->old_line, &ret->old_count) &&
           read_range(&at, '+', &new_line, &ret->new_count) && str_starts(at, " @@");
}

static bool is_old(char mark) {
    return mark == ' ' || mark == '-' || mark == '\n'; // editors take the blank from an empty line
}

static bool is_new(char mark) {
    return mark == ' ' || mark == '+' || mark == '\n';
}

// The lines behind a header, as many as it counts. False: there are others, or fewer.
static bool read_body(const char *line, struct hunk *hunk) {
    size_t old_count = 0, new_count = 0;
    hunk->body = line;
    while (*line && (old_count < hunk->old_count || new_count < hunk->new_count)) {
        if (*line != '\\' && !is_old(*line) && !is_new(*line)) return false;
        old_count += is_old(*line);
        new_count += is_new(*line);
        line = after_line(line);
    }
    while (*line == '\\') line = after_line(line); // "\ No newline at end of file"
    hunk->end = line;
    return old_count == hunk->old_count && new_count == hunk->new_count;
}

// ---- finding its place ----

// What follows in the text if the hunk's old lines stand there; NULL: they do not.
static const char *match(const struct hunk *hunk, const char *text) {
    for (const char *line = hunk->body; line < hunk->end; line = after_line(line)) {
        if (!is_old(*line)) continue;
        const char *wanted = *line == '\n' ? line : line + 1;
        const size_t length = strcspn(wanted, "\n");
        if (!*text || strcspn(text, "\n") != length || memcmp(text, wanted, length) != 0) return NULL;
        text = after_line(text);
    }
    return text;
}

static const char *line_at(const char *text, size_t number) {
    for (; number > 1 && *text; --number) text = after_line(text);
    return text;
}

// A hunk that only adds lines stands behind its line number; others are looked for. NULL: no place.
static const char *find(const struct hunk *hunk, const char *text, const char *from) {
    const char *place = line_at(text, hunk->old_count ? hunk->old_line : hunk->old_line + 1);
    if (place >= from && match(hunk, place)) return place;
    for (place = from; *place; place = after_line(place))
        if (match(hunk, place)) return place;
    return NULL;
}

// Adds lines. A last line without its newline, of the text or of the patch, gets one before more follows.
static void add_lines(struct strbuf *out, const char *from, const char *to) {
    if (from == to) return;
    if (out->length && out->text[out->length - 1] != '\n') strbuf_add_char(out, '\n');
    strbuf_add_bytes(out, from, (size_t)(to - from));
}

static void add_new_lines(const struct hunk *hunk, struct strbuf *out) {
    for (const char *line = hunk->body; line < hunk->end; line = after_line(line))
        if (is_new(*line)) add_lines(out, *line == '\n' ? line : line + 1, after_line(line));
}

int unified_patch_apply(const char *text, const char *patch, struct strbuf *out, struct err *err) {
    const char *done = text; // the text up to here is in *out
    unsigned count = 0;
    for (const char *line = patch; *line;) {
        struct hunk hunk = {.number = count + 1};
        if (count && (str_starts(line, "--- ") || str_starts(line, "diff ")))
            return err_set(err, ERR_DATA,
                           "the patch changes a second file; only the kernel's source may change");
        if (!str_starts(line, "@@ ")) {
            line = after_line(line);
            continue;
        }
        if (!read_header(line, &hunk) || !read_body(after_line(line), &hunk))
            return err_set(err, ERR_DATA,
                           "hunk %u of the patch is malformed: its header counts other lines than follow",
                           hunk.number);
        const char *place = find(&hunk, text, done);
        if (!place)
            return err_set(err, ERR_DATA, "hunk %u of the patch does not fit: its old lines stand nowhere",
                           hunk.number);
        add_lines(out, done, place);
        add_new_lines(&hunk, out);
        done = match(&hunk, place);
        line = hunk.end;
        ++count;
    }
    if (!count) return err_set(err, ERR_DATA, "the patch has no hunk ('@@ -1,2 +1,2 @@')");
    add_lines(out, done, done + strlen(done));
    return 0;
}
