// SPDX-License-Identifier: Apache-2.0
//
// See tensor_spec.h.
#include "op/declared/tensor_spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "op/dtype.h"

enum takes { TAKES_ANY = 0, TAKES_FLOATS, TAKES_INTEGERS };

static const struct family {
    const char *name;
    enum takes takes;
    size_t least_count, most_count;      // arguments
    double defaults[FILL_ARGUMENTS_MAX]; // in place of arguments that are left out
    double least, most;                  // what every argument lies between
    bool is_ordered;                     // the first argument is not above the second
} families[FILL_FAMILY_COUNT] = {
    [FILL_NORMAL] = {"normal", TAKES_FLOATS, 0, 2, {0, 1}, -1e30, 1e30, false},
    [FILL_UNIFORM] = {"uniform", TAKES_FLOATS, 0, 2, {-1, 1}, -1e30, 1e30, true},
    [FILL_POSITIVE] = {"positive", TAKES_FLOATS, 0, 2, {0.5, 2}, 1e-30, 1e30, true},
    [FILL_PROBS] = {"probs", TAKES_FLOATS, 0, 0, {0}, 0, 0, false},
    [FILL_OUTLIERS] = {"outliers", TAKES_FLOATS, 0, 0, {0}, 0, 0, false},
    [FILL_LARGE] = {"large", TAKES_FLOATS, 0, 0, {0}, 0, 0, false},
    [FILL_SMALL] = {"small", TAKES_FLOATS, 0, 0, {0}, 0, 0, false},
    [FILL_EXACT] = {"exact", TAKES_ANY, 0, 0, {0}, 0, 0, false},
    [FILL_ZEROS] = {"zeros", TAKES_ANY, 0, 0, {0}, 0, 0, false},
    [FILL_ONES] = {"ones", TAKES_ANY, 0, 0, {0}, 0, 0, false},
    [FILL_CONSTANT] = {"constant", TAKES_ANY, 1, 1, {0}, -9e15, 9e15, false},
    [FILL_RANGE] = {"range", TAKES_INTEGERS, 0, 0, {0}, 0, 0, false},
    [FILL_BELOW] = {"below", TAKES_INTEGERS, 1, 1, {0}, 1, 9e15, false},
    [FILL_UNIQUE] = {"unique", TAKES_INTEGERS, 1, 1, {0}, 1, 9e15, false},
    [FILL_LENGTHS] = {"lengths", TAKES_INTEGERS, 1, 1, {0}, 1, 9e15, false},
    [FILL_INDPTR] = {"indptr", TAKES_INTEGERS, 1, 1, {0}, 0, 9e15, false},
    [FILL_MASK] = {"mask", TAKES_ANY, 0, 1, {0.5}, 0, 1, false},
    [FILL_BITS] = {"bits", TAKES_INTEGERS, 0, 0, {0}, 0, 0, false},
    [FILL_MADE] = {"made", TAKES_ANY, 0, 0, {0}, 0, 0, false},
};

const char *fill_family_name(enum fill_family family) {
    return families[family].name;
}

static int fail(const char *text, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(const char *text, struct err *err, const char *format, ...) {
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return err_set(err, ERR_CONFIG, "'%s': %s; write for example '%s'", str_shown(text).text, what,
                   strstr(what, "result") ? RESULT_SPEC_EXAMPLE : TENSOR_SPEC_EXAMPLE);
}

// ---- words between brackets ----

struct reader {
    struct arena *arena;
    const char *text, *at;
    struct err *err;
};

static void skip_spaces(struct reader *reader) {
    while (*reader->at == ' ') ++reader->at;
}

static const char *read_word(struct reader *reader) {
    const char *start = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_') ++reader->at;
    return arena_strndup(reader->arena, start, (size_t)(reader->at - start));
}

// One item of a list: up to a comma or the closing character that stands in no parentheses. NULL: none ends
// it.
static const char *read_item(struct reader *reader, char closing) {
    size_t depth = 0;
    skip_spaces(reader);
    const char *start = reader->at;
    for (; *reader->at && (depth || (*reader->at != ',' && *reader->at != closing)); ++reader->at) {
        depth += *reader->at == '(';
        depth -= *reader->at == ')' && depth;
    }
    if (!*reader->at) return NULL;
    const char *end = reader->at;
    while (end > start && end[-1] == ' ') --end;
    return arena_strndup(reader->arena, start, (size_t)(end - start));
}

// What stands between the brackets, the opening one of which was read.
static int read_list(struct reader *reader, char closing, const char **items, size_t capacity,
                     size_t *ret_count) {
    *ret_count = 0;
    skip_spaces(reader);
    if (*reader->at == closing) return ++reader->at, 0;
    for (;;) {
        const char *item = read_item(reader, closing);
        if (!item) return fail(reader->text, reader->err, "a '%c' is missing", closing);
        if (!*item) return fail(reader->text, reader->err, "between two commas there is nothing");
        if (*ret_count == capacity)
            return fail(reader->text, reader->err, "more than %zu items between brackets", capacity);
        items[(*ret_count)++] = item;
        if (*reader->at++ == closing) return 0;
    }
}

// ---- parts ----

// what: that the word should be one of.
static int fail_word(const struct reader *reader, const char *what, const char *word,
                     const char *const *names, size_t count) {
    const char *nearest = str_nearest(word, names, count);
    struct strbuf list = {0};
    for (size_t i = 0; i < count; ++i) comma_add(&list, names[i]);
    const int code = fail(reader->text, reader->err,
                          nearest ? "there is no %s '%s', did you mean '%s'?" : "there is no %s '%s', but %s",
                          what, str_shown(word).text, nearest ? nearest : strbuf_text(&list));
    strbuf_fini(&list);
    return code;
}

static int read_type(struct reader *reader, struct tensor_spec *ret) {
    static const char *const others[][2] = {
        {"float", "fp32"},    {"float32", "fp32"},          {"half", "fp16"},    {"float16", "fp16"},
        {"bfloat16", "bf16"}, {"double", "fp64"},           {"float64", "fp64"}, {"int", "int32"},
        {"long", "int64"},    {"float8_e4m3fn", "fp8_e4m3"}};
    const char *names[ASSAY_DTYPE_END];
    size_t count = 0;
    const char *word = read_word(reader);
    ret->dtype = dtype_parse(word);
    if (ret->dtype != ASSAY_DTYPE_INVALID) return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (str_equal(word, others[i][0]))
            return fail(reader->text, reader->err, "there is no type '%s', did you mean '%s'?", word,
                        others[i][1]);
    for (int32_t i = 1; i < ASSAY_DTYPE_END; ++i) names[count++] = dtype_name(i);
    return fail_word(reader, "type", word, names, count);
}

static int read_sizes(struct reader *reader, struct tensor_spec *ret) {
    size_t count;
    skip_spaces(reader);
    if (*reader->at != '[')
        return fail(reader->text, reader->err, "behind the type stands the shape between brackets");
    ++reader->at;
    TRY(read_list(reader, ']', ret->sizes, ASSAY_MAX_DIMS, &count));
    ret->dim_count = (uint32_t)count;
    const struct expression_scope form = {.example = "hidden // 128"};
    for (size_t i = 0; i < count; ++i) {
        struct expression_value value;
        TRY(expression_evaluate(ret->sizes[i], &form, &value, reader->err));
        if (value.is_comparison) return fail(reader->text, reader->err, "'%s' is no size", ret->sizes[i]);
    }
    return 0;
}

static int check_family(struct reader *reader, const struct tensor_spec *spec) {
    const struct family *family = &families[spec->family];
    const bool is_integer = dtype_is_integer(spec->dtype);
    if ((family->takes == TAKES_FLOATS && is_integer) || (family->takes == TAKES_INTEGERS && !is_integer))
        return fail(reader->text, reader->err, "%s fills %s, not %s", family->name,
                    is_integer ? "floating-point types" : "integers", dtype_name(spec->dtype));
    if (spec->dtype == ASSAY_FP4_E2M1X2 && spec->family != FILL_BITS && spec->family != FILL_ZEROS)
        return fail(reader->text, reader->err,
                    "a byte of %s holds two numbers, which 'bits' and 'zeros' fill", dtype_name(spec->dtype));
    if (spec->argument_count >= family->least_count && spec->argument_count <= family->most_count) return 0;
    return fail(reader->text, reader->err, "%s has %s%zu argument%s, not %zu", family->name,
                family->least_count < family->most_count ? "at most " : "", family->most_count,
                family->most_count == 1 ? "" : "s", spec->argument_count);
}

static enum fill_family default_family(int32_t dtype) {
    if (dtype == ASSAY_BOOL) return FILL_MASK;
    if (dtype == ASSAY_FP4_E2M1X2) return FILL_BITS;
    return dtype_is_integer(dtype) ? FILL_RANGE : FILL_NORMAL;
}

static bool find_family(const char *word, enum fill_family *ret) {
    for (int i = FILL_NONE + 1; i < FILL_FAMILY_COUNT; ++i) {
        *ret = (enum fill_family)i;
        if (str_equal(families[i].name, word)) return true;
    }
    return false;
}

static int read_family(struct reader *reader, enum fill_family family, struct tensor_spec *ret) {
    ret->is_named = true;
    ret->family = family;
    if (*reader->at == '(') {
        ++reader->at;
        TRY(read_list(reader, ')', ret->arguments, FILL_ARGUMENTS_MAX, &ret->argument_count));
    }
    return check_family(reader, ret);
}

// ---- what is right of a result ----

enum rule_kind { RULE_PICKS, RULE_USED, RULE_STEPS, RULE_COUNT };

static const struct rule {
    const char *name, *example;
    size_t most_count; // of arguments; one is there
} rules[RULE_COUNT] = {
    [RULE_PICKS] = {"picks", "picks(x)", 2},
    [RULE_USED] = {"used", "used(count)", 1},
    [RULE_STEPS] = {"steps", "steps(1)", 2},
};

bool tensor_spec_counts(int32_t dtype) {
    return dtype_is_integer(dtype) && dtype != ASSAY_BOOL && dtype != ASSAY_FP4_E2M1X2;
}

// Of what a reference reads it gives the numbers before rounding, and a tensor that it reads has integers.
static bool has_steps(int32_t dtype, int32_t access) {
    if (dtype == ASSAY_FP8_E4M3 || dtype == ASSAY_FP8_E5M2 || dtype == ASSAY_FP4_E2M1X2) return true;
    return tensor_spec_counts(dtype) && dtype != ASSAY_INT64 && access == ASSAY_OUT;
}

static int read_steps(struct reader *reader, const char *const *arguments, int32_t access,
                      struct tensor_spec *ret) {
    long long steps;
    ret->share = STEPS_SHARE;
    if (!has_steps(ret->dtype, access))
        return fail(reader->text, reader->err,
                    "a result in steps is of fp8, fp4_e2m1x2, or of integers up to 32 bits under outputs");
    if (arguments[1] && (str_parse_double(arguments[1], &ret->share) < 0 ||
                         !(ret->share > 0 && ret->share <= STEPS_SHARE_MOST)))
        return fail(reader->text, reader->err,
                    "the share of a result that may be steps off is a number above 0 and up to %g, not '%s'",
                    STEPS_SHARE_MOST, arguments[1]);
    if (str_parse_i64(arguments[0], &steps) < 0 || steps < 1 || steps > STEPS_MOST)
        return fail(reader->text, reader->err,
                    "a result may be off by a whole number of steps from 1 to %d, not by '%s'", STEPS_MOST,
                    arguments[0]);
    ret->steps = (uint32_t)steps;
    return 0;
}

static int read_rule(struct reader *reader, enum rule_kind kind, int32_t access, struct tensor_spec *ret) {
    const struct rule *rule = &rules[kind];
    const char *arguments[2] = {NULL};
    size_t count = 0;
    if (*reader->at == '(') {
        ++reader->at;
        TRY(read_list(reader, ')', arguments, rule->most_count, &count));
    }
    if (!count)
        return fail(reader->text, reader->err,
                    "of a result '%s' needs something between brackets, as in '%s'", rule->name,
                    rule->example);
    if (kind == RULE_STEPS) return read_steps(reader, arguments, access, ret);
    if (kind == RULE_USED) return ret->used = arguments[0], 0;
    ret->picks = arguments[0];
    ret->values = arguments[1];
    if (tensor_spec_counts(ret->dtype)) return 0;
    return fail(reader->text, reader->err, "a result that picks is of integers, not %s",
                dtype_name(ret->dtype));
}

// Of what a kernel reads: no input of it has to matter.
#define WORD_IGNORED "ignored"

static int fail_unknown(const struct reader *reader, const char *word, int32_t access) {
    const char *names[FILL_FAMILY_COUNT + RULE_COUNT + 1];
    size_t count = 0;
    for (int i = FILL_NONE + 1; i < FILL_FAMILY_COUNT && access != ASSAY_OUT; ++i)
        names[count++] = families[i].name;
    for (size_t i = 0; i < RULE_COUNT && access != ASSAY_IN; ++i) names[count++] = rules[i].name;
    if (access != ASSAY_OUT) names[count++] = WORD_IGNORED;
    return fail_word(reader, access == ASSAY_OUT ? "word of a result" : "family", word, names, count);
}

static int read_item_word(struct reader *reader, int32_t access, struct tensor_spec *ret) {
    const char *const start = reader->at, *const word = read_word(reader);
    enum fill_family family;
    for (int i = 0; i < RULE_COUNT; ++i) {
        if (!str_equal(word, rules[i].name)) continue;
        if (access != ASSAY_IN) return read_rule(reader, (enum rule_kind)i, access, ret);
        return fail(reader->text, reader->err, "'%s' says what is right of a result, and this is an input",
                    word);
    }
    if (access != ASSAY_OUT && str_equal(word, WORD_IGNORED)) return ret->is_ignored = true, 0;
    const bool is_family = find_family(word, &family);
    if (access == ASSAY_OUT && is_family)
        return fail(reader->text, reader->err, "a result is not filled: '%s' is too much",
                    str_shown(start).text);
    if (!*word || ret->is_named)
        return fail(reader->text, reader->err, "'%s' is too much at its end", str_shown(start).text);
    return is_family ? read_family(reader, family, ret) : fail_unknown(reader, word, access);
}

int tensor_spec_parse(struct arena *arena, const char *text, int32_t access, struct tensor_spec *ret,
                      struct err *err) {
    struct reader reader = {.arena = arena, .text = text, .at = text, .err = err};
    *ret = (struct tensor_spec){0};
    skip_spaces(&reader);
    TRY(read_type(&reader, ret));
    TRY(read_sizes(&reader, ret));
    if (access != ASSAY_OUT) ret->family = default_family(ret->dtype);
    for (skip_spaces(&reader); *reader.at; skip_spaces(&reader)) TRY(read_item_word(&reader, access, ret));
    return 0;
}

// Blanks out what a number that is not rounded cannot have.
static char *without_steps(char *words) {
    int depth = 0;
    for (char *at = words; *at; ++at) {
        depth += (*at == '(') - (*at == ')');
        if (depth || !str_starts(at, rules[RULE_STEPS].name)) continue;
        for (; *at != ')'; ++at) *at = ' ';
        *at = ' ';
    }
    return words;
}

const char *tensor_spec_with_floats(struct arena *arena, const char *text, int32_t dtype) {
    const char *const shape = strchr(text, '['), *const name = text + strspn(text, " ");
    char type[16];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(name, " ["), name);
    const int32_t own = dtype_parse(type);
    if (!shape || own == ASSAY_FP4_E2M1X2) return text;
    char *const words = without_steps(arena_strdup(arena, shape));
    if (dtype_is_integer(own) && str_equal(words, shape)) return text;
    return arena_format(arena, "%s%s", dtype_name(dtype), words);
}

const char *tensor_spec_bare(struct arena *arena, const char *text) {
    return arena_strndup(arena, text, strcspn(text, "]") + 1);
}

// ---- arguments of a problem ----

// A number as C writes it, or an expression of axes.
static int argument_value(const char *text, const struct expression_scope *scope, double *ret,
                          struct err *err) {
    struct expression_value value;
    if (str_parse_double(text, ret) == 0) return 0;
    TRY(expression_evaluate(text, scope, &value, err));
    *ret = value.is_defined && !value.is_comparison ? (double)value.number : (double)NAN;
    return 0;
}

int tensor_spec_arguments(const struct tensor_spec *spec, const struct expression_scope *scope,
                          double ret[FILL_ARGUMENTS_MAX], struct err *err) {
    const struct family *family = &families[spec->family];
    for (size_t i = 0; i < FILL_ARGUMENTS_MAX; ++i) {
        ret[i] = family->defaults[i];
        if (i >= spec->argument_count) continue;
        TRY(argument_value(spec->arguments[i], scope, &ret[i], err));
        if (!(ret[i] >= family->least && ret[i] <= family->most))
            return err_set(err, ERR_CONFIG, "%s(%s): an argument lies between %g and %g, not at %g",
                           family->name, spec->arguments[i], family->least, family->most, ret[i]);
    }
    if (family->is_ordered && ret[0] > ret[1])
        return err_set(err, ERR_CONFIG, "%s: %g is above %g; write the smaller one first", family->name,
                       ret[0], ret[1]);
    return 0;
}
