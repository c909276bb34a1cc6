// SPDX-License-Identifier: Apache-2.0
//
// Reads a signature, and compares it with the tensors and numbers of the operator's example.
#include "control/plan/call.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "op/declared/declared.h"
#include "op/dtype.h"

#define EXACT_MAX 9007199254740992.0 // 2^53: up to here numbers of problems are exact

static const struct call_type types[] = {
    {"int", "int", INT_MIN, INT_MAX},
    {"unsigned", "unsigned", 0, UINT_MAX},
    {"int32", "int32_t", INT32_MIN, INT32_MAX},
    {"int64", "int64_t", -EXACT_MAX, EXACT_MAX},
    {"uint32", "uint32_t", 0, UINT32_MAX},
    {"uint64", "uint64_t", 0, EXACT_MAX},
    {"size_t", "size_t", 0, EXACT_MAX},
    {"float", "float", 0, 0},
    {"double", "double", 0, 0},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

struct reader {
    const char *text, *at;
    const struct operator_def *op;
    const char *backend;
    struct problem_abi abi; // of the operator's example
    bool is_declared;       // then each tensor has one element type
    struct arena *arena;
    struct err *err;
};

static int fail(const struct reader *reader, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(const struct reader *reader, const char *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct strbuf text = {0};
    strbuf_addv(&text, format, args);
    va_end(args);
    const int code = err_set(reader->err, ERR_CONFIG, "'%s', column %d: %s", reader->text,
                             (int)(at - reader->text) + 1, strbuf_text(&text));
    strbuf_fini(&text);
    return code;
}

// ---- words ----

static void skip_blanks(struct reader *reader) {
    while (isspace((unsigned char)*reader->at)) ++reader->at;
}

static bool take(struct reader *reader, char c) {
    skip_blanks(reader);
    if (*reader->at != c) return false;
    ++reader->at;
    return true;
}

// A name, or "" where there is none; *ret_at is where it begins.
static const char *take_word(struct reader *reader, const char **ret_at) {
    skip_blanks(reader);
    const char *begin = *ret_at = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_') ++reader->at;
    if (isdigit((unsigned char)*begin)) reader->at = begin;
    return arena_strndup(reader->arena, begin, (size_t)(reader->at - begin));
}

static const struct call_type *type_find(const char *word) {
    for (size_t i = 0; i < TYPE_COUNT; ++i)
        if (str_equal(word, types[i].word) || str_equal(word, types[i].c_type)) return &types[i];
    return NULL;
}

static const struct assay_tensor *tensor_find(const struct reader *reader, const char *name) {
    for (uint32_t i = 0; i < reader->abi.tensor_count; ++i)
        if (str_equal(reader->abi.tensors[i].name, name)) return &reader->abi.tensors[i];
    return NULL;
}

static const struct assay_scalar *number_find(const struct reader *reader, const char *name) {
    for (uint32_t i = 0; i < reader->abi.problem.scalar_count; ++i)
        if (str_equal(reader->abi.scalars[i].name, name)) return &reader->abi.scalars[i];
    return NULL;
}

// What there is in place of a name that there is not.
static int fail_unknown(struct reader *reader, const char *at, const char *name, bool has_tensors,
                        bool has_numbers) {
    const char *known[OP_TENSORS_MAX + OP_SCALARS_MAX] = {NULL};
    size_t count = 0;
    struct strbuf list = {0};
    for (uint32_t i = 0; has_tensors && i < reader->abi.tensor_count; ++i)
        known[count++] = reader->abi.tensors[i].name;
    for (uint32_t i = 0; has_numbers && i < reader->abi.problem.scalar_count; ++i)
        known[count++] = reader->abi.scalars[i].name;
    for (size_t i = 0; i < count; ++i) comma_add(&list, known[i]);
    const char *nearest = str_nearest(name, known, count);
    const int code = fail(reader, at, "%s has no %s '%s'%s%s%s there are %s", reader->op->name,
                          !has_numbers   ? "tensor"
                          : !has_tensors ? "axis or scalar"
                                         : "tensor, axis or scalar",
                          str_shown(name).text, nearest ? ", did you mean '" : "", str_or(nearest, ""),
                          nearest ? "'?" : ";", count ? strbuf_text(&list) : "none");
    strbuf_fini(&list);
    return code;
}

static int fail_type(struct reader *reader, const char *at, const char *word) {
    const char *words[TYPE_COUNT];
    struct strbuf list = {0};
    for (size_t i = 0; i < TYPE_COUNT; ++i) {
        words[i] = types[i].word;
        comma_add(&list, words[i]);
    }
    const char *nearest = str_nearest(word, words, TYPE_COUNT);
    const int code = fail(reader, at, "'%s' is no type of a number%s%s%s there are %s", str_shown(word).text,
                          nearest ? ", did you mean '" : "", str_or(nearest, ""), nearest ? "'?" : ";",
                          strbuf_text(&list));
    strbuf_fini(&list);
    return code;
}

// ---- arguments ----

// Behind "stride": (x, 0)
static int read_stride(struct reader *reader, const struct call_type *type, const char *type_at,
                       struct call_argument *ret) {
    const char *at;
    if (type && type->least == type->most)
        return fail(reader, type_at, "a stride is a whole number; write 'int64 stride(...)'");
    (void)take(reader, '(');
    const char *name = take_word(reader, &at);
    const struct assay_tensor *tensor = tensor_find(reader, name);
    if (!tensor) return fail_unknown(reader, at, name, true, false);
    if (!take(reader, ','))
        return fail(reader, reader->at,
                    "of a stride's two parts, as in 'stride(%s, 0)', the second is not here", name);
    skip_blanks(reader);
    at = reader->at;
    while (isdigit((unsigned char)*reader->at)) ++reader->at;
    const long dim = reader->at > at ? strtol(at, NULL, 10) : -1;
    if (dim < 0 || dim >= tensor->dim_count)
        return fail(reader, at, "'%s' has %d dimensions, and the first is 0", name, tensor->dim_count);
    if (!take(reader, ')'))
        return fail(reader, reader->at, "')' of 'stride(%s, %ld)' is not here", name, dim);
    *ret = (struct call_argument){CALL_STRIDE, name, 0, (int32_t)dim, type ? type : type_find("int64")};
    return 0;
}

static int read_number(struct reader *reader, const struct call_type *type, const char *name, const char *at,
                       struct call_argument *ret) {
    const struct assay_scalar *number = number_find(reader, name);
    if (tensor_find(reader, name) && !number)
        return fail(reader, at, "'%s' is a tensor, and its address is passed; write '%s' without a C type",
                    name, name);
    if (!number) return fail_unknown(reader, at, name, false, true);
    if (type->least < type->most && number->value != trunc(number->value))
        return fail(reader, at, "'%s' is %g, no whole number; write 'float %s' or 'double %s'", name,
                    number->value, name, name);
    *ret = (struct call_argument){.kind = CALL_NUMBER, .name = name, .type = type};
    return 0;
}

// dtype_word: the element type written before it; NULL: none.
static int read_tensor(struct reader *reader, const char *dtype_word, const char *name, const char *at,
                       struct call_argument *ret) {
    const struct assay_tensor *tensor = tensor_find(reader, name);
    if (!tensor) return fail_unknown(reader, at, name, true, !dtype_word);
    const int32_t dtype = dtype_word ? dtype_parse(dtype_word) : reader->is_declared ? tensor->dtype : 0;
    if (!dtype)
        return fail(reader, at,
                    "problems of %s have several element types; write the one that the function takes, such "
                    "as '%s %s'",
                    reader->op->name, dtype_name(tensor->dtype), name);
    if (reader->is_declared && dtype != tensor->dtype)
        return fail(reader, at, "'%s' is %s, not %s, as %s is declared", name, dtype_name(tensor->dtype),
                    dtype_word, reader->op->name);
    *ret = (struct call_argument){.kind = CALL_TENSOR, .name = name, .dtype = dtype};
    return 0;
}

// Whether it is "stream", "threads" or "int threads", and the operator has no such name itself.
static bool is_machine(const struct reader *reader, const struct call_type *type, const char *name) {
    if (tensor_find(reader, name) || number_find(reader, name)) return false;
    return str_equal(name, "threads") ? !type || str_equal(type->word, "int")
                                      : !type && str_equal(name, "stream");
}

static int read_machine(struct reader *reader, const char *word, const char *at, struct call_argument *ret) {
    const bool is_stream = str_equal(word, "stream"), is_cuda = str_equal(reader->backend, "cuda");
    if (is_stream != is_cuda)
        return fail(reader, at,
                    is_stream ? "there is a stream on cuda, not on %s; 'threads' is an int, how "
                                "many the function may use"
                              : "there are threads on cpu, not on %s; 'stream' is the CUDA stream",
                    reader->backend);
    *ret = (struct call_argument){.kind = is_stream ? CALL_STREAM : CALL_THREADS,
                                  .type = is_stream ? NULL : type_find("int")};
    return 0;
}

static int read_argument(struct reader *reader, struct call_argument *ret) {
    const char *first_at, *at;
    const char *first = take_word(reader, &first_at), *word = take_word(reader, &at);
    const char *name = *word ? word : first;
    if (!*word) at = first_at;
    skip_blanks(reader);
    if (*reader->at == '*')
        return fail(reader, reader->at, "a tensor stands by its name alone, such as '%s', without C's '*'",
                    reader->abi.tensors[0].name);
    if (!*first)
        return fail(reader, first_at, "expected a tensor, a type and a number, %s; write for example '%s'",
                    str_equal(reader->backend, "cuda") ? "or stream" : "or threads", CALL_EXAMPLE);
    const struct call_type *type = *word ? type_find(first) : NULL;
    if (*word && !type && !dtype_parse(first)) return fail_type(reader, first_at, first);
    if (str_equal(name, "stride") && *reader->at == '(') return read_stride(reader, type, first_at, ret);
    if (is_machine(reader, type, name)) return read_machine(reader, name, at, ret);
    if (type) return read_number(reader, type, name, at, ret);
    if (tensor_find(reader, name) || *word) return read_tensor(reader, *word ? first : NULL, name, at, ret);
    if (number_find(reader, name))
        return fail(reader, at, "'%s' is a number: write its C type before it, such as 'int %s'", name, name);
    return fail_unknown(reader, at, name, true, true);
}

// ---- the signature ----

static int check_results(struct reader *reader, const struct call *call) {
    for (uint32_t i = 0; i < reader->abi.tensor_count; ++i) {
        const struct assay_tensor *tensor = &reader->abi.tensors[i];
        bool is_passed = tensor->access == ASSAY_IN;
        for (size_t k = 0; k < call->argument_count && !is_passed; ++k)
            is_passed =
                call->arguments[k].kind == CALL_TENSOR && str_equal(call->arguments[k].name, tensor->name);
        if (!is_passed)
            return fail(reader, reader->at, "result '%s' is not passed: nothing could write it",
                        tensor->name);
    }
    return 0;
}

static int read_signature(struct reader *reader, struct call *ret) {
    const char *first_at, *at;
    const char *first = take_word(reader, &first_at), *word = take_word(reader, &at);
    ret->has_status = *word && str_equal(first, "int");
    ret->function = *word ? word : first;
    if (*word && !ret->has_status && !str_equal(first, "void"))
        return fail(reader, first_at, "a function returns int, where 0 is success, or void, not '%s'",
                    str_shown(first).text);
    if (!*ret->function)
        return fail(reader, at, "expected the function's name; write for example '%s'", CALL_EXAMPLE);
    if (!take(reader, '('))
        return fail(reader, reader->at, "expected '(' behind the function's name, as in '%s'", CALL_EXAMPLE);
    ret->arguments = arena_array(reader->arena, CALL_ARGUMENTS_MAX, sizeof *ret->arguments);
    do {
        if (ret->argument_count == CALL_ARGUMENTS_MAX)
            return fail(reader, reader->at, "more than %d arguments", CALL_ARGUMENTS_MAX);
        TRY(read_argument(reader, &ret->arguments[ret->argument_count++]));
    } while (take(reader, ','));
    if (!take(reader, ')')) return fail(reader, reader->at, "expected ',' or ')'");
    TRY(check_results(reader, ret));
    skip_blanks(reader);
    return *reader->at ? fail(reader, reader->at, "nothing stands behind the last ')'") : 0;
}

static int reader_make(const char *text, const struct operator_def *op, const char *backend,
                       struct arena *arena, struct reader *ret, struct err *err) {
    *ret = (struct reader){.text = text,
                           .at = text,
                           .op = op,
                           .backend = backend,
                           .is_declared = declared_of(op) != NULL,
                           .arena = arena,
                           .err = err};
    struct problem example;
    TRY(problem_make(op, strchr(op->example, '/') + 1, &example, err));
    problem_describe(&example, MEMORY_LAYOUT_DENSE, &ret->abi);
    return 0;
}

int call_parse(const char *text, const struct operator_def *op, const char *backend, struct arena *arena,
               struct call *ret, struct err *err) {
    struct reader reader;
    TRY(reader_make(text, op, backend, arena, &reader, err));
    *ret = (struct call){0};
    return read_signature(&reader, ret);
}

int call_check_python(const char *text, const struct operator_def *op, struct arena *arena, struct err *err) {
    struct reader reader;
    const char *at;
    const size_t name_length = strcspn(text, "(");
    if (!text[name_length]) return 0;
    TRY(reader_make(text, op, "", arena, &reader, err));
    reader.at += name_length + 1;
    do {
        const char *word = take_word(&reader, &at);
        const bool is_known = tensor_find(&reader, word) || number_find(&reader, word) || !reader.is_declared;
        if (!*word || (!is_known && !str_equal(word, "stream")))
            return fail_unknown(&reader, at, word, true, true);
    } while (take(&reader, ','));
    return take(&reader, ')') && !*reader.at ? 0 : fail(&reader, reader.at, "expected ',' or ')'");
}

int reference_call_parse(const struct declared *declared, int32_t dtype, struct arena *arena,
                         struct call *ret, struct err *err) {
    const struct operator_def *op;
    struct declared *floats = arena_alloc(arena, sizeof *floats);
    declared_with_floats(arena, declared, ASSAY_FP64, floats);
    TRY(declared_make(arena, floats, &op, err));
    TRY(call_parse(declared->reference.call, op, "cpu", arena, ret, err));
    for (size_t i = 0; dtype == ASSAY_FP32 && i < ret->argument_count; ++i) {
        struct call_argument *argument = &ret->arguments[i];
        if (argument->dtype == ASSAY_FP64) argument->dtype = ASSAY_FP32;
        if (argument->type == type_find("double")) argument->type = type_find("float");
    }
    return 0;
}
