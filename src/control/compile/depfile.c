// SPDX-License-Identifier: Apache-2.0
//
// The words of a depfile. A line that ends with a backslash continues; a colon at the end of a word ends the
// targets, and the end of the line ends the prerequisites.
#include "control/compile/depfile.h"

#include <string.h>

#include "base/strbuf.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// Characters of the line's end at p, 0 when there is none: "\n" or "\r\n".
static size_t line_end(const char *p) {
    if (p[0] == '\n') return 1;
    return p[0] == '\r' && p[1] == '\n' ? 2 : 0;
}

// Reads a run of backslashes and the character that they quote. NULL: the word ends; *at is then after them.
static const char *backslashes_read(struct strbuf *word, const char **at) {
    const char *p = *at;
    const size_t count = strspn(p, "\\");
    const char *behind = p + count;
    const bool is_line_end = line_end(behind) != 0, is_doubled = is_blank(*behind) || is_line_end;
    const size_t kept = is_doubled ? count / 2 : count - (*behind == '#');
    for (size_t i = 0; i < kept; ++i) strbuf_add_char(word, '\\');
    if (!is_doubled) return behind;
    *at = count % 2 && is_line_end ? behind - 1 : behind;
    if (count % 2 == 0 || is_line_end) return NULL;
    strbuf_add_char(word, *behind);
    return behind + 1;
}

// Reads the word at *at. ret_is_colon_last: its last character is a colon.
static void word_read(const char **at, struct strbuf *word, bool *ret_is_colon_last) {
    const char *p = *at;
    *ret_is_colon_last = false;
    while (*p && !is_blank(*p) && !line_end(p)) {
        *ret_is_colon_last = *p == ':';
        if (*p == '\\') {
            *at = p;
            p = backslashes_read(word, at);
            if (!p) return;
            continue;
        }
        if (p[0] == '$' && p[1] == '$') ++p;
        strbuf_add_char(word, *p++);
    }
    *at = p;
}

const char *depfile_next(struct depfile *depfile, struct arena *arena) {
    const char *name = NULL;
    while (!name && *depfile->at) {
        const char *p = depfile->at; // to the next word, over blanks and continued lines
        while (is_blank(*p) || (*p == '\\' && line_end(p + 1))) p += is_blank(*p) ? 1 : 1 + line_end(p + 1);
        depfile->at = p + line_end(p);
        if (!*p || line_end(p)) {
            depfile->is_behind_colon = false;
            continue;
        }
        struct strbuf word = {0};
        bool is_colon_last;
        word_read(&depfile->at, &word, &is_colon_last);
        if (depfile->is_behind_colon)
            name = arena_strdup(arena, strbuf_text(&word));
        else
            depfile->is_behind_colon = is_colon_last;
        strbuf_fini(&word);
    }
    return name;
}
