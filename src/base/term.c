// SPDX-License-Identifier: Apache-2.0
//
// Text for people: colour, columns, times and sizes with units.
#include "base/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/plain_text.h"

// TERM_PLAIN ends a style.
static const char *const codes[TERM_STYLE_COUNT] = {
    [TERM_PLAIN] = "\033[0m", [TERM_BOLD] = "\033[1m",    [TERM_DIM] = "\033[2m",   [TERM_GREEN] = "\033[32m",
    [TERM_RED] = "\033[31m",  [TERM_YELLOW] = "\033[33m", [TERM_CYAN] = "\033[36m",
};

bool term_wants_color(enum term_color choice, int fd) {
    if (choice == TERM_COLOR_ALWAYS) return true;
    if (choice == TERM_COLOR_NEVER) return false;
    const char *no_color = getenv("NO_COLOR"); // no-color.org: any value that is not empty
    const char *terminal = getenv("TERM");
    if (no_color && *no_color) return false;
    return isatty(fd) && terminal && !str_equal(terminal, "dumb");
}

bool term_has_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *locale = getenv(names[i]);
        if (locale && *locale) return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
    }
    return false;
}

size_t term_columns(int fd) {
    enum { WIDTH_MIN = 20, WIDTH_MAX = 1000 };
    const char *given = getenv("COLUMNS");
    unsigned long long columns = 0;
    struct winsize size = {0};
    if (!given || str_parse_u64(given, &columns) < 0) columns = 0;
    if (columns == 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns >= WIDTH_MIN && columns <= WIDTH_MAX ? (size_t)columns : 0;
}

size_t term_width(int fd) {
    enum { WIDTH_DEFAULT = 80 };
    const size_t columns = term_columns(fd);
    return columns ? columns : WIDTH_DEFAULT;
}

static size_t page_columns; // 0: no limit

void term_page_set(size_t columns) {
    page_columns = columns;
}

size_t term_page_columns(void) {
    return page_columns;
}

size_t term_line_bytes(const char *text, size_t columns) {
    size_t last_fitting = 0;
    for (size_t end = 0;; ++end) {
        end += strcspn(text + end, " ");
        char *line = mem_format("%.*s", (int)end, text);
        const bool fits = str_width(line) <= columns;
        free(line);
        if (!fits) return last_fitting ? last_fitting : end; // a word that is too long stays whole
        last_fitting = end;
        if (!text[end]) return end;
    }
}

void term_add_wrapped(struct strbuf *out, bool color, enum term_style style, size_t indent,
                      const char *text) {
    const size_t columns = page_columns > indent ? page_columns - indent : 0;
    for (bool is_first = true; *text || is_first; is_first = false) {
        const size_t length = columns ? term_line_bytes(text, columns) : strlen(text);
        char *line = mem_format("%.*s", (int)length, text);
        if (!is_first) strbuf_addf(out, "\n%*s", (int)indent, "");
        term_add(out, color, style, line);
        free(line);
        text += length + strspn(text + length, " ");
    }
}

void term_add(struct strbuf *out, bool color, enum term_style style, const char *text) {
    bool is_styled = color && style > TERM_PLAIN && style < TERM_STYLE_COUNT && *text;
    if (is_styled) strbuf_add(out, codes[style]);
    strbuf_add(out, text);
    if (is_styled) strbuf_add(out, codes[TERM_PLAIN]);
}

// Length of the colour code of ours at the start of text; 0: there is none.
static size_t code_length(const char *text) {
    if (*text != '\033') return 0;
    for (size_t i = 0; i < TERM_STYLE_COUNT; ++i)
        if (codes[i] && str_starts(text, codes[i])) return strlen(codes[i]);
    return 0;
}

void term_add_page(struct strbuf *out, const char *text) {
    bool has_begun = false;
    while (*text) {
        const size_t code = code_length(text);
        size_t length = code ? 0 : *text == '\033'; // one that is not ours is part of the text
        if (code) strbuf_add_bytes(out, text, code);
        if (!code) length += strcspn(text + length, "\033\n");
        struct plain_text plain = plain_text_make(text, length, true);
        plain.has_begun = has_begun;
        for (const char *piece; (piece = plain_text_next(&plain));) strbuf_add(out, piece);
        has_begun = plain.has_begun;
        text += code + length;
        if (*text != '\n') continue;
        strbuf_add_char(out, *text++);
        has_begun = false;
    }
}

void term_format_time(double ns, char *ret_text, size_t capacity) {
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    if (!isfinite(ns)) {
        snprintf(ret_text, capacity, "n/a");
        return;
    }
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && fabs(ns) / units[unit].ns >= 999.95) ++unit;
    double value = ns / units[unit].ns;
    snprintf(ret_text, capacity, "%.*f %s", fabs(value) < 9.995 ? 2 : 1, value, units[unit].name);
}

void term_format_bytes(double bytes, char *ret_text, size_t capacity) {
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    if (!isfinite(bytes)) {
        snprintf(ret_text, capacity, "n/a");
        return;
    }
    size_t unit = 0;
    while (unit + 1 < sizeof names / sizeof *names && fabs(bytes) >= 999.95) {
        bytes /= 1000;
        ++unit;
    }
    snprintf(ret_text, capacity, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, names[unit]);
}

void term_format_rate(double giga_per_s, const char *unit, char *ret_text, size_t capacity) {
    const int prefix = giga_per_s >= 999.5 ? 'T' : giga_per_s < 0.1 ? 'M' : 'G';
    const double value = prefix == 'T' ? giga_per_s / 1000 : prefix == 'M' ? giga_per_s * 1000 : giga_per_s;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    *ret_text = 0;
    if (isfinite(giga_per_s)) snprintf(ret_text, capacity, "%.*f %c%s", decimals, value, prefix, unit);
}
