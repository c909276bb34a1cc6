// SPDX-License-Identifier: Apache-2.0
//
// See config_rule.h: a recursive descent over the text, which computes as it reads.
#include "control/plan/config_rule.h"

#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"

#define DEPTH_MAX 32 // of parentheses and signs

struct reader {
    const char *rule, *at;
    const struct manifest_setting *settings; // NULL: every name is known, and what is computed is not used
    size_t count;
    int depth;
    bool is_undefined; // division by zero, overflow
    struct err *err;
};

static int fail(const struct reader *reader, const char *what) {
    return err_set(reader->err, ERR_CONFIG,
                   "'%s', column %zu: %s; a rule is such as 'BLOCK_M %% NUM_WARPS == 0'", reader->rule,
                   (size_t)(reader->at - reader->rule) + 1, what);
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

static int read_name(struct reader *reader, int64_t *ret) {
    const char *start = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_') ++reader->at;
    const size_t length = (size_t)(reader->at - start);
    for (size_t i = 0; i < reader->count; ++i) {
        const struct manifest_setting *setting = &reader->settings[i];
        if (strlen(setting->name) != length || memcmp(setting->name, start, length) != 0) continue;
        *ret = setting->value;
        return 0;
    }
    *ret = 1;
    if (!reader->settings) return 0;
    reader->at = start;
    return fail(reader, "the kernel declares no setting of that name");
}

static int read_sum(struct reader *reader, int64_t *ret);

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
        code = fail(reader, "a number or a name is missing");
    }
    --reader->depth;
    return code;
}

static void divide(struct reader *reader, bool is_rest, int64_t left, int64_t right, int64_t *ret) {
    if (right == 0 || (left == INT64_MIN && right == -1)) {
        reader->is_undefined = true;
        *ret = 0;
    } else {
        *ret = is_rest ? left % right : left / right;
    }
}

static int read_product(struct reader *reader, int64_t *ret) {
    int64_t right;
    TRY(read_factor(reader, ret));
    for (;;) {
        const bool is_product = take(reader, "*"), is_quotient = !is_product && take(reader, "/");
        if (!is_product && !is_quotient && !take(reader, "%")) return 0;
        TRY(read_factor(reader, &right));
        if (is_product)
            reader->is_undefined |= __builtin_mul_overflow(*ret, right, ret);
        else
            divide(reader, !is_quotient, *ret, right, ret);
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

static int read_rule(struct reader *reader, bool *ret) {
    int64_t left, right;
    TRY(read_sum(reader, &left));
    int comparison = 0;
    while (comparison < COMPARE_COUNT && !take(reader, comparison_texts[comparison])) ++comparison;
    if (comparison == COMPARE_COUNT) return fail(reader, "one of == != < <= > >= is missing");
    TRY(read_sum(reader, &right));
    skip_spaces(reader);
    if (*reader->at) return fail(reader, "the rule should end here");
    *ret = !reader->is_undefined && compare((enum comparison)comparison, left, right);
    return 0;
}

int config_rule_holds(const char *rule, const struct manifest_setting *settings, size_t count, bool *ret,
                      struct err *err) {
    static const struct manifest_setting none;
    struct reader reader = {
        .rule = rule, .at = rule, .settings = settings ? settings : &none, .count = count, .err = err};
    return read_rule(&reader, ret);
}

int config_rule_check(const char *rule, struct err *err) {
    struct reader reader = {.rule = rule, .at = rule, .err = err};
    bool holds;
    return read_rule(&reader, &holds);
}
