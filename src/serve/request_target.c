// SPDX-License-Identifier: Apache-2.0
//
// See request_target.h.
#include "serve/request_target.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_utf8(const char *text) {
    size_t length;
    for (; *text; text += length)
        if (utf8_decode(text, &length) == UTF8_INVALID) return false;
    return true;
}

static int decode_escape(const char *at, const char *end, char *ret, struct err *err) {
    const int high = end - at > 2 ? digit_of(at[1]) : -1, low = high >= 0 ? digit_of(at[2]) : -1;
    if (low < 0)
        return err_set(err, ERR_USAGE, "an escape of the address is damaged: '%%' takes two hex digits");
    *ret = (char)(16 * high + low);
    return *ret ? 0 : err_set(err, ERR_USAGE, "the address holds an escaped zero");
}

// begin to end; '+' is a blank in a query only.
static int decode(const char *begin, const char *end, bool is_query, struct arena *arena, const char **ret,
                  struct err *err) {
    char *text = arena_alloc(arena, (size_t)(end - begin) + 1), *out = text;
    for (const char *at = begin; at < end; ++at) {
        *out = is_query && *at == '+' ? ' ' : *at;
        if (*at == '%') {
            TRY(decode_escape(at, end, out, err));
            at += 2;
        }
        ++out;
    }
    *ret = text;
    return is_utf8(text) ? 0 : err_set(err, ERR_USAGE, "the address is not UTF-8");
}

static int split_path(const char *begin, const char *end, struct arena *arena, struct request_target *ret,
                      struct err *err) {
    for (const char *at = begin; at < end;) { // at a slash
        const char *slash = memchr(at + 1, '/', (size_t)(end - at - 1));
        const char *stop = slash ? slash : end;
        if (ret->segment_count == TARGET_SEGMENTS_MAX)
            return err_set(err, ERR_NO_INPUT, "there is nothing here");
        TRY(decode(at + 1, stop, false, arena, &ret->segments[ret->segment_count++], err));
        at = stop;
    }
    return 0;
}

static int add_parameter(const char *begin, const char *end, struct arena *arena, struct request_target *ret,
                         struct err *err) {
    const char *equals = memchr(begin, '=', (size_t)(end - begin));
    struct request_parameter one = {.name = NULL};
    TRY(decode(begin, equals ? equals : end, true, arena, &one.name, err));
    TRY(decode(equals ? equals + 1 : end, end, true, arena, &one.value, err));
    for (size_t i = 0; i < ret->parameter_count; ++i)
        if (str_equal(ret->parameters[i].name, one.name))
            return err_set(err, ERR_USAGE, "a parameter is given twice");
    if (ret->parameter_count == TARGET_PARAMETERS_MAX)
        return err_set(err, ERR_USAGE, "more than %d parameters", TARGET_PARAMETERS_MAX);
    ret->parameters[ret->parameter_count++] = one;
    return 0;
}

static int split_query(const char *begin, const char *end, struct arena *arena, struct request_target *ret,
                       struct err *err) {
    for (const char *at = begin; at < end;) {
        const char *mark = memchr(at, '&', (size_t)(end - at));
        const char *stop = mark ? mark : end;
        if (stop > at) TRY(add_parameter(at, stop, arena, ret, err));
        at = mark ? mark + 1 : end;
    }
    return 0;
}

int request_target_parse(const char *text, struct arena *arena, struct request_target *ret, struct err *err) {
    const size_t length = strnlen(text, TARGET_BYTES_MAX + 1);
    *ret = (struct request_target){.segment_count = 0};
    if (length > TARGET_BYTES_MAX) return err_set(err, ERR_USAGE, "the address is too long");
    if (text[0] != '/') return err_set(err, ERR_USAGE, "the address does not begin with '/'");
    const char *end = text + length, *mark = memchr(text, '?', length);
    TRY(split_path(text, mark ? mark : end, arena, ret, err));
    return mark ? split_query(mark + 1, end, arena, ret, err) : 0;
}

const char *request_parameter(const struct request_target *target, const char *name) {
    for (size_t i = 0; i < target->parameter_count; ++i)
        if (str_equal(target->parameters[i].name, name))
            return *target->parameters[i].value ? target->parameters[i].value : NULL;
    return NULL;
}
