// SPDX-License-Identifier: Apache-2.0
//
// Two passes. The first counts the commas of every array and object, and so the values: a document of too
// many is refused before anything is made of it, and each array gets its memory at once, where it stays. The
// second makes the values. Up to the first fault both see the same structure, and the second one stops there.
#include "base/json_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

enum {
    CONTAINER_VALUES = 4,
    SEARCHED_MEMBERS_MAX = 16, // an object with more keeps its members' order by key, too
    FOUND_BYTES = 24,          // that a message shows
};

_Static_assert(sizeof(struct json_value) == 16, "a value takes 16 bytes");

struct document {
    struct json_value root;
    struct arena arena; // of all below it
};

// ---- the first pass ----

struct counts {
    uint32_t *commas; // of each array and object, in the order in which they begin
    size_t container_count, capacity;
    size_t value_count, text_bytes; // texts with the zeros behind them
};

// The quote that ends the text which begins here; the end, if there is none.
static const char *find_quote(const char *at, const char *end) {
    while (at < end && *at != '"') at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at;
}

// False: too many values. It ends early at what the second pass refuses: a bracket too many, too deep a
// nesting.
static bool count_values(const char *at, const char *end, size_t values_max, struct counts *ret) {
    size_t open[JSON_DEPTH_READ], depth = 0;
    ret->value_count = 1;
    while (at < end && ret->value_count <= values_max) {
        const char c = *at++;
        if (c == '"') {
            const char *quote = find_quote(at, end);
            ret->text_bytes += (size_t)(quote - at) + 1;
            at = quote < end ? quote + 1 : end;
        } else if (c == ':') {
            ++ret->value_count;
        } else if (c == ',') {
            ++ret->value_count;
            if (depth > 0) ++ret->commas[open[depth - 1]];
        } else if (c == '[' || c == '{') {
            if (depth == JSON_DEPTH_READ) return true;
            ret->value_count += CONTAINER_VALUES;
            MEM_GROW(ret->commas, ret->capacity, ret->container_count + 1);
            ret->commas[ret->container_count] = 0;
            open[depth++] = ret->container_count++;
        } else if (c == ']' || c == '}') {
            if (depth-- == 0) return true;
        }
    }
    return ret->value_count <= values_max;
}

// ---- faults ----

struct parser {
    const char *begin, *at, *end;
    struct arena *arena;
    const struct counts *counts;
    size_t begun_count;    // arrays and objects
    char *text, *text_end; // room for the texts to come
    size_t depth;
    struct json_fault *fault;
};

static bool fail(struct parser *p, const char *text) {
    const char *line_begin = p->begin;
    p->fault->line = 1;
    for (const char *c = p->begin; c < p->at; ++c) {
        if (*c != '\n') continue;
        ++p->fault->line;
        line_begin = c + 1;
    }
    p->fault->column = (size_t)(p->at - line_begin) + 1;
    snprintf(p->fault->text, sizeof p->fault->text, "%s", text);
    return false;
}

// Says what stands here: the rest of a word, or one character.
static bool fail_expected(struct parser *p, const char *what) {
    char text[sizeof p->fault->text];
    size_t count = 0;
    const size_t left = (size_t)(p->end - p->at);
    while (count < left && count < FOUND_BYTES && (unsigned char)p->at[count] > ' ' &&
           !strchr(",:[]{}\"", p->at[count]))
        ++count;
    if (left == 0)
        snprintf(text, sizeof text, "expected %s, but the text ends", what);
    else
        snprintf(text, sizeof text, "expected %s, but found '%.*s'", what, count ? (int)count : 1, p->at);
    return fail(p, text);
}

static int peek(const struct parser *p) { // -1: the end
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

static int peek_solid(struct parser *p) { // behind blanks
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) ++p->at;
    return peek(p);
}

// ---- numbers ----

struct digits {
    uint64_t value;
    bool is_exact; // the value holds all of them
    int count;
};

static void read_digits(struct parser *p, struct digits *digits) {
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; ++p->at, ++digits->count) {
        uint64_t more;
        const unsigned digit = (unsigned)(*p->at - '0');
        if (__builtin_mul_overflow(digits->value, 10u, &more) || __builtin_add_overflow(more, digit, &more))
            digits->is_exact = false;
        else
            digits->value = more;
    }
}

// The exponent behind 'e'. A large one is as good as any larger one.
static bool read_exponent(struct parser *p, int *ret) {
    enum { LARGE = 100000 };
    struct digits digits = {.is_exact = true};
    ++p->at;
    const bool is_negative = peek(p) == '-';
    if (is_negative || peek(p) == '+') ++p->at;
    read_digits(p, &digits);
    if (digits.count == 0) return fail_expected(p, "the digits of an exponent");
    const int exponent = digits.is_exact && digits.value < LARGE ? (int)digits.value : LARGE;
    *ret = is_negative ? -exponent : exponent;
    return true;
}

// Products and quotients of integers and powers of ten that are exact in a double are rounded once, and so
// right (Clinger, 1990).
static bool is_quick(const struct digits *digits, int exponent) {
    return digits->is_exact && digits->value <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22;
}

static double quick_value(const struct digits *digits, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double value = (double)digits->value;
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

// Behind the integer's digits, at '.' or 'e'. begin: of the number, its sign included.
static bool parse_real(struct parser *p, const char *begin, struct digits *digits, struct json_value *ret) {
    int exponent = 0;
    const int whole_count = digits->count;
    if (peek(p) == '.') {
        ++p->at;
        read_digits(p, digits);
        if (digits->count == whole_count) return fail_expected(p, "digits behind the point");
    }
    const int fraction_count = digits->count - whole_count;
    if ((peek(p) == 'e' || peek(p) == 'E') && !read_exponent(p, &exponent)) return false;
    if (p->at == p->end) return fail_expected(p, "more"); // strtod needs something behind the number
    ret->type = JSON_REAL;
    if (is_quick(digits, exponent - fraction_count)) {
        const double value = quick_value(digits, exponent - fraction_count);
        ret->real = *begin == '-' ? -value : value;
    } else {
        ret->real = strtod(begin, NULL);
    }
    return isfinite(ret->real) || fail(p, "this number is beyond the largest one");
}

static bool parse_number(struct parser *p, struct json_value *ret) {
    const char *begin = p->at;
    struct digits digits = {.is_exact = true};
    const bool is_negative = *begin == '-';
    p->at += is_negative;
    if (peek(p) == '0') {
        ++p->at;
        digits.count = 1;
    } else {
        read_digits(p, &digits);
    }
    if (digits.count == 0) return fail_expected(p, "a digit");
    const int next = peek(p);
    if (next == '.' || next == 'e' || next == 'E') return parse_real(p, begin, &digits, ret);
    if (next >= '0' && next <= '9') return fail_expected(p, "no digit behind a leading zero");
    if (!digits.is_exact || digits.value > (uint64_t)INT64_MAX + is_negative) {
        p->at = begin;
        return fail(p, "this integer is beyond 64 bits");
    }
    ret->type = JSON_INTEGER;
    ret->integer = (int64_t)(is_negative ? 0 - digits.value : digits.value);
    return true;
}

// ---- texts ----

static bool read_hex(struct parser *p, uint32_t *ret) {
    *ret = 0;
    for (int i = 0; i < 4; ++i, ++p->at) {
        const int c = peek(p), letter = c | 0x20;
        if (c >= '0' && c <= '9')
            *ret = *ret << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *ret = *ret << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return fail_expected(p, "four hexadecimal digits");
    }
    return true;
}

static char *put_utf8(char *to, uint32_t c) {
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes behind the first
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(leads[more] | c >> 6 * more);
    for (int i = more - 1; i >= 0; --i) *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return to;
}

// Behind "\u". A pair of surrogates is one character.
static bool parse_unicode(struct parser *p, char **to) {
    uint32_t c, low = 0;
    if (!read_hex(p, &c)) return false;
    if (c == 0) return fail(p, "a text cannot hold \\u0000");
    if (c >= 0xd800 && c <= 0xdbff && p->end - p->at > 6 && p->at[0] == '\\' && p->at[1] == 'u') {
        p->at += 2;
        if (!read_hex(p, &low)) return false;
        if (low >= 0xdc00 && low <= 0xdfff) c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xd800 && c <= 0xdfff) return fail(p, "this half of a surrogate pair lacks the other");
    *to = put_utf8(*to, c);
    return true;
}

static bool parse_escape(struct parser *p, char **to) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    ++p->at;
    const int c = peek(p);
    const char *name = c > 0 ? strchr(names, c) : NULL;
    if (c == 'u') {
        ++p->at;
        return parse_unicode(p, to);
    }
    if (!name) return fail_expected(p, "an escape such as \\n");
    ++p->at;
    *(*to)++ = values[name - names];
    return true;
}

// What is no plain ASCII, up to the quote that is known to come. The result is never longer than the source.
static bool parse_odd_text(struct parser *p, char *to) {
    while (*p->at != '"') {
        size_t length = 1;
        if (*p->at == '\\') {
            if (!parse_escape(p, &to)) return false;
            continue;
        }
        if ((unsigned char)*p->at < ' ') return fail(p, "a control character stands in a text");
        if (utf8_decode(p->at, &length) == UTF8_INVALID) return fail(p, "this text is not UTF-8");
        memcpy(to, p->at, length);
        to += length;
        p->at += length;
    }
    return true;
}

// Room that the first pass counted.
static char *take_text(struct parser *p, size_t bytes) {
    char *text = p->text;
    if ((size_t)(p->text_end - text) < bytes) BUG("json: a text of %zu bytes was not counted", bytes);
    p->text += bytes;
    return text;
}

static bool parse_text(struct parser *p, const char **ret) {
    const char *begin = ++p->at;
    while (p->at < p->end && *p->at != '"' && *p->at != '\\' && *p->at >= ' ' && *p->at < 0x7f) ++p->at;
    const size_t plain_count = (size_t)(p->at - begin);
    const char *quote = find_quote(p->at, p->end);
    if (quote == p->end) {
        p->at = p->end;
        return fail_expected(p, "the quote that ends a text");
    }
    char *text = take_text(p, (size_t)(quote - begin) + 1);
    memcpy(text, begin, plain_count);
    if (!parse_odd_text(p, text + plain_count)) return false;
    ++p->at;
    *ret = text;
    return true;
}

// ---- arrays and objects ----

static bool parse_value(struct parser *p, struct json_value *ret);

// Passes the bracket. *ret_room: items or members there can be.
static bool begin_container(struct parser *p, size_t *ret_room) {
    if (p->depth == JSON_DEPTH_READ) return fail(p, "arrays and objects are nested too deeply");
    if (p->begun_count == p->counts->container_count) BUG("json: a bracket was not counted");
    ++p->depth;
    ++p->at;
    *ret_room = (size_t)p->counts->commas[p->begun_count++] + 1;
    return true;
}

static bool end_container(struct parser *p) {
    --p->depth;
    ++p->at;
    return true;
}

// Behind an item: passes a comma that one more follows.
static bool pass_comma(struct parser *p, bool has_room, const char *wanted) {
    if (peek_solid(p) != ',' || !has_room) return fail_expected(p, wanted);
    ++p->at;
    return true;
}

static bool parse_array(struct parser *p, struct json_value *ret) {
    size_t room;
    if (!begin_container(p, &room)) return false;
    ret->type = JSON_ARRAY;
    if (peek_solid(p) == ']') return end_container(p);
    struct json_value *items = arena_array(p->arena, room, sizeof *items);
    ret->items = items;
    for (;;) {
        if (!parse_value(p, &items[ret->count])) return false;
        ++ret->count;
        if (peek_solid(p) == ']') return end_container(p);
        if (!pass_comma(p, ret->count < room, "',' or ']'")) return false;
    }
}

static int compare_keys(const void *a, const void *b) {
    const struct json_member *const *one = a, *const *two = b;
    return strcmp((*one)->key, (*two)->key);
}

// The members of a large object by key; it stands behind them.
static const struct json_member **order_of(const struct json_value *object) {
    return (const struct json_member **)(uintptr_t)(object->members + object->count);
}

static bool fail_twice(struct parser *p, const char *key) {
    char text[sizeof p->fault->text];
    snprintf(text, sizeof text, "the key '%.100s' is given twice", key);
    return fail(p, text);
}

// Refuses a key that is given twice.
static bool check_keys(struct parser *p, const struct json_value *object) {
    const size_t count = object->count;
    if (count <= SEARCHED_MEMBERS_MAX) {
        for (size_t i = 1; i < count; ++i)
            for (size_t k = 0; k < i; ++k)
                if (strcmp(object->members[i].key, object->members[k].key) == 0)
                    return fail_twice(p, object->members[i].key);
        return true;
    }
    const struct json_member **order = order_of(object);
    for (size_t i = 0; i < count; ++i) order[i] = &object->members[i];
    qsort(order, count, sizeof *order, compare_keys);
    for (size_t i = 1; i < count; ++i)
        if (strcmp(order[i - 1]->key, order[i]->key) == 0) return fail_twice(p, order[i]->key);
    return true;
}

static bool parse_member(struct parser *p, struct json_member *ret) {
    if (peek_solid(p) != '"') return fail_expected(p, "a key in quotes");
    if (!parse_text(p, &ret->key)) return false;
    if (peek_solid(p) != ':') return fail_expected(p, "':'");
    ++p->at;
    return parse_value(p, &ret->value);
}

static bool parse_object(struct parser *p, struct json_value *ret) {
    size_t room;
    if (!begin_container(p, &room)) return false;
    ret->type = JSON_OBJECT;
    if (peek_solid(p) == '}') return end_container(p);
    const size_t order_bytes = room > SEARCHED_MEMBERS_MAX ? sizeof(struct json_member *) : 0;
    struct json_member *members = arena_array(p->arena, room, sizeof *members + order_bytes);
    ret->members = members;
    for (;;) {
        if (!parse_member(p, &members[ret->count])) return false;
        ++ret->count;
        if (peek_solid(p) == '}') return check_keys(p, ret) && end_container(p);
        if (!pass_comma(p, ret->count < room, "',' or '}'")) return false;
    }
}

json_t *json_find_member(json_t *object, const char *key) {
    const size_t count = json_object_size(object);
    if (count <= SEARCHED_MEMBERS_MAX) {
        for (size_t i = 0; i < count; ++i)
            if (strcmp(object->members[i].key, key) == 0) return &object->members[i].value;
        return NULL;
    }
    const struct json_member wanted = {.key = key}, *at = &wanted;
    const struct json_member **found = bsearch(&at, order_of(object), count, sizeof at, compare_keys);
    return found ? &(*found)->value : NULL;
}

// ---- values ----

static bool parse_word(struct parser *p, const char *word, enum json_type type, struct json_value *ret) {
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return fail_expected(p, "a value");
    p->at += length;
    ret->type = type;
    return true;
}

static bool parse_value(struct parser *p, struct json_value *ret) {
    const int c = peek_solid(p);
    switch (c) {
    case '{': return parse_object(p, ret);
    case '[': return parse_array(p, ret);
    case '"': ret->type = JSON_STRING; return parse_text(p, &ret->text);
    case 't': return parse_word(p, "true", JSON_TRUE, ret);
    case 'f': return parse_word(p, "false", JSON_FALSE, ret);
    case 'n': return parse_word(p, "null", JSON_NULL, ret);
    default: break;
    }
    return c == '-' || (c >= '0' && c <= '9') ? parse_number(p, ret) : fail_expected(p, "a value");
}

static bool parse_root(struct parser *p, struct json_value *ret) {
    const int c = peek_solid(p);
    if (c != '{' && c != '[') return fail_expected(p, "an object or an array");
    if (!parse_value(p, ret)) return false;
    return peek_solid(p) == -1 || fail_expected(p, "nothing more");
}

json_t *json_parse(const char *text, size_t length, size_t values_max, struct json_fault *ret_fault) {
    struct counts counts = {.commas = NULL};
    struct document *document = NULL;
    *ret_fault = (struct json_fault){.is_too_many = !count_values(text, text + length, values_max, &counts)};
    if (!ret_fault->is_too_many) {
        document = mem_alloc(sizeof *document);
        struct parser p = {.begin = text,
                           .at = text,
                           .end = text + length,
                           .arena = &document->arena,
                           .counts = &counts,
                           .fault = ret_fault};
        p.text = arena_alloc(&document->arena, counts.text_bytes);
        p.text_end = p.text + counts.text_bytes;
        if (!parse_root(&p, &document->root)) {
            json_free_document(&document->root);
            document = NULL;
        }
    }
    free(counts.commas);
    return document ? &document->root : NULL;
}

void json_free_document(json_t *root) {
    struct document *document = (struct document *)(uintptr_t)root; // whose first member it is
    if (!document) return;
    arena_fini(&document->arena);
    free(document);
}
