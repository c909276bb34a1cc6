// SPDX-License-Identifier: Apache-2.0
//
// Words of make's rules. A line that ends with a backslash goes on; a colon at the end of a word ends the
// targets, and a line's end the prerequisites.
#include "control/compile/make_rule.h"

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

// To the next word, over blanks and lines that go on. false: the line ends here.
static bool word_find(const char **at) {
    const char *p = *at;
    while (is_blank(*p) || (*p == '\\' && line_end(p + 1))) p += is_blank(*p) ? 1 : 1 + line_end(p + 1);
    *at = p;
    return *p && !line_end(p);
}

static void backslashes_add(struct strbuf *word, size_t count) {
    while (count--) strbuf_add_char(word, '\\');
}

// A run of backslashes and what it quotes. NULL: the word ends at *at, which is then behind them.
static const char *backslashes_read(struct strbuf *word, const char **at) {
    const char *p = *at;
    const size_t count = strspn(p, "\\");
    const char *behind = p + count;
    if (!is_blank(*behind) && !line_end(behind)) {
        backslashes_add(word, count - (*behind == '#'));
        return behind;
    }
    backslashes_add(word, count / 2);
    *at = count % 2 && line_end(behind) ? behind - 1 : behind;
    if (count % 2 == 0 || line_end(behind)) return NULL;
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

const char *make_rule_next(struct make_rule *rule, struct arena *arena) {
    const char *name = NULL;
    while (!name && *rule->at) {
        if (!word_find(&rule->at)) {
            rule->is_behind_colon = false;
            rule->at += line_end(rule->at);
            continue;
        }
        struct strbuf word = {0};
        bool is_colon_last;
        word_read(&rule->at, &word, &is_colon_last);
        if (rule->is_behind_colon)
            name = arena_strdup(arena, strbuf_text(&word));
        else
            rule->is_behind_colon = is_colon_last;
        strbuf_fini(&word);
    }
    return name;
}
