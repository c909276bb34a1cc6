// SPDX-License-Identifier: Apache-2.0
//
// See proposal_text.h.
#include "control/tune/proposal_text.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

#define BLANKS " \t\r"

// What follows "// assay:" in the next line that is not empty; NULL: it is none for assay.
static const char *line_for_assay(const char *line) {
    line += strspn(line, BLANKS "\n");
    if (str_starts(line, "//")) line += 2 + strspn(line + 2, BLANKS);
    return str_starts(line, "assay:") ? line + 6 + strspn(line + 6, BLANKS) : NULL;
}

// The value of "KEY VALUE" up to the end of the line; NULL: another key.
static const char *value_of(const char *line, const char *key, struct arena *arena) {
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || !strchr(BLANKS, line[length]) || !line[length]) return NULL;
    const char *value = line + length + strspn(line + length, BLANKS);
    size_t count = strcspn(value, "\n");
    while (count && strchr(BLANKS, value[count - 1])) --count;
    return count ? arena_strndup(arena, value, count) : NULL;
}

static int check_text(const char *text, size_t length, struct err *err) {
    if (length > PROPOSAL_BYTES_MAX)
        return err_set(err, ERR_DATA, "it printed more than %zu KiB", PROPOSAL_BYTES_MAX >> 10);
    if (strlen(text) != length) return err_set(err, ERR_DATA, "it printed a zero byte, so no text");
    for (size_t at = 0, step; at < length; at += step)
        if (utf8_decode(text + at, &step) == UTF8_INVALID)
            return err_set(err, ERR_DATA, "it printed bytes that are no text in UTF-8, at byte %zu", at + 1);
    return 0;
}

// The lines for assay at the beginning, and where the rest begins.
static int read_lines(const char *text, struct arena *arena, struct proposal_text *ret, struct err *err) {
    ret->body = text;
    for (const char *line; (line = line_for_assay(ret->body));) {
        const char *config = value_of(line, "config", arena);
        const char *prediction = config ? NULL : value_of(line, "predict", arena);
        if (!config && !prediction)
            return err_set(err, ERR_DATA,
                           "it printed the line 'assay: %.*s'; there are 'assay: predict TEXT' "
                           "and 'assay: config A=1,B=2'",
                           (int)(strcspn(line, "\n") < 60 ? strcspn(line, "\n") : 60), line);
        if (config) ret->config = config;
        if (prediction) ret->prediction = prediction;
        ret->body = line + strcspn(line, "\n");
        ret->body += strspn(ret->body, "\n");
    }
    return 0;
}

int proposal_text_parse(const char *text, size_t length, struct arena *arena, struct proposal_text *ret,
                        struct err *err) {
    *ret = (struct proposal_text){0};
    TRY(check_text(text, length, err));
    TRY(read_lines(text, arena, ret, err));
    const char *first = ret->body + strspn(ret->body, BLANKS "\n");
    if (!*first) {
        if (!ret->config) return err_set(err, ERR_DATA, "it printed nothing");
        ret->form = PROPOSAL_SETTINGS;
    } else if (str_starts(first, "--- ") || str_starts(first, "diff ") || str_starts(first, "@@ ")) {
        ret->form = PROPOSAL_PATCH;
    } else {
        ret->form = PROPOSAL_SOURCE;
    }
    return 0;
}
