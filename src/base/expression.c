// SPDX-License-Identifier: Apache-2.0
//
// See expression.h: a recursive descent over the text, which computes as it reads.
#include "base/expression.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

#define DEPTH_MAX 32 // of parentheses and signs

struct reader {
    const char *text, *at;
    const struct expression_scope *scope;
    int depth;
    bool is_undefined;
    struct err *err;
};

static int fail(const struct reader *reader, const char *what) {
    return err_set(reader->err, ERR_CONFIG, "'%s', column %zu: %s; write for example '%s'", reader->text,
                   (size_t)(reader->at - reader->text) + 1, what, reader->scope->example);
}

static void skip_spaces(struct reader *reader) {
    while (*reader->at == ' ') ++reader->at;
}

static bool take(struct reader *reader, const char *token) {
    skip_spaces(reader);
    if (!str_starts(reader->at, token)) return false;
    reader->at += strlen(token);
    return true;
}

static int read_number(struct reader *reader, int64_t *ret) {
    int64_t value = 0;
    for (; isdigit((unsigned char)*reader->at); ++reader->at)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *reader->at - '0', &value))
            return fail(reader, "the number is too large");
    *ret = value;
    return 0;
}

static int64_t divide(struct reader *reader, bool is_rest, int64_t left, int64_t right) {
    if (right == 0 || (left == INT64_MIN && right == -1)) {
        reader->is_undefined = true;
        return 0;
    }
    const int64_t rest = left % right, is_below = rest != 0 && (rest < 0) != (right < 0);
    return is_rest ? rest + is_below * right : left / right - is_below;
}

// ---- functions ----

static int64_t least(struct reader *reader, int64_t left, int64_t right) {
    (void)reader;
    return left < right ? left : right;
}

static int64_t largest(struct reader *reader, int64_t left, int64_t right) {
    (void)reader;
    return left > right ? left : right;
}

static int64_t ceil_div(struct reader *reader, int64_t left, int64_t right) {
    const int64_t floor = divide(reader, false, left, right);
    return floor + (divide(reader, true, left, right) != 0);
}

static const struct function {
    const char *name;
    int64_t (*apply)(struct reader *reader, int64_t left, int64_t right); // to the arguments from the left
    bool takes_many;
} functions[] = {{"min", least, true}, {"max", largest, true}, {"ceil_div", ceil_div, false}};

static int read_sum(struct reader *reader, int64_t *ret);

// What stands behind the name of a function.
static int read_call(struct reader *reader, const struct function *function, int64_t *ret) {
    int64_t next;
    size_t count = 1;
    if (!take(reader, "(")) return fail(reader, "a '(' is missing");
    TRY(read_sum(reader, ret));
    for (; take(reader, ","); ++count) {
        TRY(read_sum(reader, &next));
        *ret = function->apply(reader, *ret, next);
    }
    if (count < 2 || (count > 2 && !function->takes_many))
        return fail(reader, function->takes_many ? "the function takes two or more numbers"
                                                 : "the function takes two numbers");
    return take(reader, ")") ? 0 : fail(reader, "a ')' is missing");
}

// ---- grammar ----

static int fail_unknown(const struct reader *reader, size_t length) {
    const struct expression_scope *scope = reader->scope;
    char name[64], what[256];
    snprintf(name, sizeof name, "%.*s", (int)length, reader->at);
    const char *nearest = scope->nearest ? scope->nearest(scope->context, name) : NULL;
    snprintf(what, sizeof what, "%s%s%s%s", scope->unknown, nearest ? ", did you mean '" : "",
             str_or(nearest, ""), nearest ? "'?" : "");
    return fail(reader, what);
}

static int read_name(struct reader *reader, int64_t *ret) {
    const char *start = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_') ++reader->at;
    const size_t length = (size_t)(reader->at - start);
    if (!reader->scope->lookup)
        *ret = 1;
    else if (reader->scope->lookup(reader->scope->context, start, length, ret))
        return 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, start, length) == 0)
            return read_call(reader, &functions[i], ret);
    if (!reader->scope->lookup) return 0;
    reader->at = start;
    return fail_unknown(reader, length);
}

static int read_factor(struct reader *reader, int64_t *ret) {
    if (++reader->depth > DEPTH_MAX) return fail(reader, "nested too deeply");
    skip_spaces(reader);
    int code;
    if (take(reader, "-")) {
        code = read_factor(reader, ret);
        if (code == 0) reader->is_undefined |= __builtin_sub_overflow(0, *ret, ret);
    } else if (take(reader, "(")) {
        code = read_sum(reader, ret);
        if (code == 0 && !take(reader, ")")) code = fail(reader, "a ')' is missing");
    } else if (isdigit((unsigned char)*reader->at)) {
        code = read_number(reader, ret);
    } else if (isalpha((unsigned char)*reader->at) || *reader->at == '_') {
        code = read_name(reader, ret);
    } else {
        code = fail(reader, *reader->at == '{' ? "a name stands here without braces"
                                               : "a number or a name is missing");
    }
    --reader->depth;
    return code;
}

static int read_product(struct reader *reader, int64_t *ret) {
    int64_t right;
    TRY(read_factor(reader, ret));
    for (;;) {
        const bool is_product = take(reader, "*");
        const bool is_quotient = !is_product && (take(reader, "//") || take(reader, "/"));
        if (!is_product && !is_quotient && !take(reader, "%")) return 0;
        TRY(read_factor(reader, &right));
        if (is_product)
            reader->is_undefined |= __builtin_mul_overflow(*ret, right, ret);
        else
            *ret = divide(reader, !is_quotient, *ret, right);
    }
}

static int read_sum(struct reader *reader, int64_t *ret) {
    int64_t right;
    TRY(read_product(reader, ret));
    for (;;) {
        const bool is_plus = take(reader, "+");
        if (!is_plus && !take(reader, "-")) return 0;
        TRY(read_product(reader, &right));
        reader->is_undefined |=
            is_plus ? __builtin_add_overflow(*ret, right, ret) : __builtin_sub_overflow(*ret, right, ret);
    }
}

enum comparison { COMPARE_LE, COMPARE_GE, COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_GT, COMPARE_COUNT };
// The longer ones come first.
static const char *const comparison_texts[COMPARE_COUNT] = {"<=", ">=", "==", "!=", "<", ">"};

static bool compare(enum comparison comparison, int64_t left, int64_t right) {
    switch (comparison) {
    case COMPARE_LE: return left <= right;
    case COMPARE_GE: return left >= right;
    case COMPARE_EQ: return left == right;
    case COMPARE_NE: return left != right;
    case COMPARE_LT: return left < right;
    default: return left > right;
    }
}

int expression_evaluate(const char *text, const struct expression_scope *scope, struct expression_value *ret,
                        struct err *err) {
    struct reader reader = {.text = text, .at = text, .scope = scope, .err = err};
    *ret = (struct expression_value){0};
    TRY(read_sum(&reader, &ret->number));
    int comparison = 0;
    while (comparison < COMPARE_COUNT && !take(&reader, comparison_texts[comparison])) ++comparison;
    if (comparison < COMPARE_COUNT) {
        int64_t right;
        TRY(read_sum(&reader, &right));
        ret->number = compare((enum comparison)comparison, ret->number, right);
        ret->is_comparison = true;
    }
    skip_spaces(&reader);
    if (*reader.at) return fail(&reader, *reader.at == '.' ? "numbers are whole" : "it should end here");
    ret->is_defined = !reader.is_undefined;
    return 0;
}
