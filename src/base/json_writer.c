// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON that reads back to the same values. Text is always valid UTF-8 (bytes that are not become
// U+FFFD) without hidden characters (they are escaped, so that a terminal can show any document). Doubles
// take the fewest digits that give the same bits; integers above the range of a signed 64-bit number become
// decimal strings (JSON readers would round them; json_get_u64 reads them).
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

enum { JSON_DEPTH_MAX = 63 };

struct json_writer json_writer_make(struct strbuf *out, int indent) {
    return (struct json_writer){.out = out, .indent = indent};
}

static void add_newline(struct json_writer *w) {
    if (w->indent == 0) return;
    strbuf_add_char(w->out, '\n');
    for (int i = 0; i < w->depth * w->indent; ++i) strbuf_add_char(w->out, ' ');
}

static void add_escaped(struct strbuf *out, uint32_t c) {
    switch (c) {
    case '"': strbuf_add(out, "\\\""); return;
    case '\\': strbuf_add(out, "\\\\"); return;
    case '\n': strbuf_add(out, "\\n"); return;
    case '\t': strbuf_add(out, "\\t"); return;
    case '\r': strbuf_add(out, "\\r"); return;
    default: break;
    }
    if (c <= 0xffff)
        strbuf_addf(out, "\\u%04x", (unsigned)c);
    else // a surrogate pair
        strbuf_addf(out, "\\u%04x\\u%04x", 0xd800u + (unsigned)((c - 0x10000) >> 10),
                    0xdc00u + (unsigned)(c & 0x3ff));
}

static void add_quoted(struct strbuf *out, const char *text) {
    strbuf_add_char(out, '"');
    while (*text) {
        size_t plain = 0;
        while (text[plain] >= 0x20 && text[plain] < 0x7f && !strchr("\"\\#", text[plain])) ++plain;
        strbuf_add_bytes(out, text, plain);
        text += plain;
        if (!*text) break;
        size_t length;
        const uint32_t c = utf8_decode(text, &length);
        // "##[" is a command in the log of a CI system, wherever it stands.
        const bool is_hash = c == '#' && out->text[out->length - 1] == '#';
        if (c == UTF8_INVALID)
            strbuf_add(out, "\xef\xbf\xbd");
        else if (is_hash || c == '"' || c == '\\' || utf8_is_hidden(c))
            add_escaped(out, c);
        else
            strbuf_add_bytes(out, text, length);
        text += length;
    }
    strbuf_add_char(out, '"');
}

// Writes everything that precedes a value: comma, line break, key.
static void begin_item(struct json_writer *w, const char *key) {
    const uint64_t level = (uint64_t)1 << w->depth;
    const bool in_object = (w->is_object & level) != 0;
    if (in_object && !key) BUG("json: a value without a key inside an object");
    if (!in_object && key) BUG("json: key '%s' outside an object", key);
    if (w->depth == 0 && (w->has_item & level)) BUG("json: a second root value");
    if (w->has_item & level) strbuf_add_char(w->out, ',');
    w->has_item |= level;
    if (w->depth > 0) add_newline(w);
    if (key) {
        add_quoted(w->out, key);
        strbuf_add(w->out, w->indent ? ": " : ":");
    }
}

static void container_begin(struct json_writer *w, const char *key, bool is_object) {
    begin_item(w, key);
    if (w->depth >= JSON_DEPTH_MAX) BUG("json: nested deeper than %d", JSON_DEPTH_MAX);
    ++w->depth;
    const uint64_t level = (uint64_t)1 << w->depth;
    w->has_item &= ~level;
    w->is_object = is_object ? w->is_object | level : w->is_object & ~level;
    strbuf_add_char(w->out, is_object ? '{' : '[');
}

static void container_end(struct json_writer *w, bool is_object) {
    const uint64_t level = (uint64_t)1 << w->depth;
    if (w->depth == 0 || ((w->is_object & level) != 0) != is_object) BUG("json: unbalanced end");
    --w->depth;
    if (w->has_item & level) add_newline(w);
    strbuf_add_char(w->out, is_object ? '}' : ']');
}

void json_object_begin(struct json_writer *w, const char *key) {
    container_begin(w, key, true);
}

void json_object_end(struct json_writer *w) {
    container_end(w, true);
}

void json_array_begin(struct json_writer *w, const char *key) {
    container_begin(w, key, false);
}

void json_array_end(struct json_writer *w) {
    container_end(w, false);
}

void json_write_string(struct json_writer *w, const char *key, const char *value) {
    begin_item(w, key);
    if (value)
        add_quoted(w->out, value);
    else
        strbuf_add(w->out, "null");
}

void json_write_i64(struct json_writer *w, const char *key, int64_t value) {
    begin_item(w, key);
    strbuf_addf(w->out, "%lld", (long long)value);
}

static void add_u64(struct strbuf *out, uint64_t value) {
    strbuf_addf(out, value > INT64_MAX ? "\"%llu\"" : "%llu", (unsigned long long)value);
}

static void add_double(struct strbuf *out, double value) {
    if (!isfinite(value)) {
        strbuf_add(out, "null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    // "-0" would read back as the integer 0 and lose its sign.
    strbuf_add(out, value == 0 && signbit(value) ? "-0.0" : text);
}

void json_write_u64(struct json_writer *w, const char *key, uint64_t value) {
    begin_item(w, key);
    add_u64(w->out, value);
}

void json_write_double(struct json_writer *w, const char *key, double value) {
    begin_item(w, key);
    add_double(w->out, value);
}

void json_write_bool(struct json_writer *w, const char *key, bool value) {
    begin_item(w, key);
    strbuf_add(w->out, value ? "true" : "false");
}

void json_write_null(struct json_writer *w, const char *key) {
    begin_item(w, key);
    strbuf_add(w->out, "null");
}

void json_write_u64s(struct json_writer *w, const char *key, const uint64_t *values, size_t count) {
    begin_item(w, key);
    strbuf_add_char(w->out, '[');
    for (size_t i = 0; i < count; ++i) {
        if (i) strbuf_add(w->out, w->indent ? ", " : ",");
        add_u64(w->out, values[i]);
    }
    strbuf_add_char(w->out, ']');
}

void json_write_doubles(struct json_writer *w, const char *key, const double *values, size_t count) {
    begin_item(w, key);
    strbuf_add_char(w->out, '[');
    for (size_t i = 0; i < count; ++i) {
        if (i) strbuf_add(w->out, w->indent ? ", " : ",");
        add_double(w->out, values[i]);
    }
    strbuf_add_char(w->out, ']');
}

void json_maybe_string(struct json_writer *w, const char *key, const char *value) {
    if (value) json_write_string(w, key, value);
}

void json_maybe_double(struct json_writer *w, const char *key, double value) {
    if (isfinite(value)) json_write_double(w, key, value);
}

void json_write_value(struct json_writer *w, const char *key, json_t *value) {
    switch (json_typeof(value)) {
    case JSON_NULL: json_write_null(w, key); break;
    case JSON_FALSE:
    case JSON_TRUE: json_write_bool(w, key, json_is_true(value)); break;
    case JSON_INTEGER: json_write_i64(w, key, json_integer_value(value)); break;
    case JSON_REAL: json_write_double(w, key, json_number_value(value)); break;
    case JSON_STRING: json_write_string(w, key, json_string_value(value)); break;
    case JSON_ARRAY:
        json_array_begin(w, key);
        for (size_t i = 0; i < json_array_size(value); ++i)
            json_write_value(w, NULL, json_array_get(value, i));
        json_array_end(w);
        break;
    case JSON_OBJECT:
        json_object_begin(w, key);
        json_write_members(w, value);
        json_object_end(w);
        break;
    }
}

void json_write_members(struct json_writer *w, json_t *object) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) json_write_value(w, key, value);
}
