// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON; every error names the fault and its place. Types are strict: an integer serves as a double,
// nothing else converts. The readers in record/ and plan/ know what members mean.
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_parse.h"
#include "base/strbuf.h"

int json_read_text(const char *text, size_t length, const char *where, json_t **ret_root, struct err *err) {
    if (length > JSON_DOCUMENT_BYTES_MAX) {
        return err_set(err, ERR_DATA, "%s: the document has %zu bytes; the limit is %zu bytes (64 MiB)",
                       where, length, JSON_DOCUMENT_BYTES_MAX);
    }
    size_t blank = 0;
    while (blank < length &&
           (text[blank] == ' ' || text[blank] == '\n' || text[blank] == '\t' || text[blank] == '\r'))
        ++blank;
    if (blank == length) return err_set(err, ERR_DATA, "%s: the document is empty; expected JSON", where);
    struct json_fault fault;
    json_t *root = json_parse(text, length, JSON_VALUES_MAX, &fault);
    if (fault.is_too_many)
        return err_set(err, ERR_DATA,
                       "%s: the document has too many values; the limit is %zu, an array or object counting "
                       "as four, a key as one",
                       where, JSON_VALUES_MAX);
    if (!root)
        return err_set(err, ERR_DATA,
                       "%s:%zu:%zu: this is not valid JSON: %s; was the file cut short or edited?", where,
                       fault.line, fault.column, fault.text);
    *ret_root = root;
    return 0;
}

int json_read_file(const char *path, json_t **ret_root, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    TRY(file_read(path, JSON_DOCUMENT_BYTES_MAX, &text, &length, err));
    int result = json_read_text(text, length, path, ret_root, err);
    free(text);
    return result;
}

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "an integer";
    case JSON_REAL: return "a real number";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    case JSON_NULL: return "null";
    }
    return "something else";
}

static int refuse(const struct json_at *at, const char *key, const json_t *value, const char *wanted,
                  struct err *err) {
    return err_set(err, ERR_DATA, "%s: key '%s' must be %s, but is %s", at->where, key, wanted,
                   type_name(value));
}

// *ret: the member, or NULL when it is absent (or null, for an optional one). Errors: at->value is no
// object, or a required member is missing.
static int member_find(const struct json_at *at, const char *key, bool is_required, const json_t **ret,
                       struct err *err) {
    if (!json_is_object(at->value)) {
        return err_set(err, ERR_DATA, "%s: must be an object, but is %s", at->where,
                       at->value ? type_name(at->value) : "missing");
    }
    const json_t *value = json_object_get(at->value, key);
    if (!value && is_required) return err_set(err, ERR_DATA, "%s: key '%s' is missing", at->where, key);
    *ret = !is_required && json_is_null(value) ? NULL : value;
    return 0;
}

// Each convert_* returns 1 with *ret set, or the error.
static int convert_string(const struct json_at *at, const char *key, const json_t *v, const char **ret,
                          struct err *err) {
    if (!json_is_string(v)) return refuse(at, key, v, "a string", err);
    *ret = json_string_value(v);
    return 1;
}

static int convert_i64(const struct json_at *at, const char *key, const json_t *v, int64_t *ret,
                       struct err *err) {
    if (!json_is_integer(v)) return refuse(at, key, v, "an integer", err);
    *ret = json_integer_value(v);
    return 1;
}

static int convert_u64(const struct json_at *at, const char *key, const json_t *v, uint64_t *ret,
                       struct err *err) {
    unsigned long long big;
    if (json_is_string(v) && str_parse_u64(json_string_value(v), &big) == 0 && big > INT64_MAX) {
        *ret = big; // json_write_u64 writes a number above INT64_MAX as a string
        return 1;
    }
    if (!json_is_integer(v)) return refuse(at, key, v, "an integer that is not negative", err);
    int64_t value = json_integer_value(v);
    if (value < 0) {
        return err_set(err, ERR_DATA, "%s: key '%s' must not be negative, but is %lld", at->where, key,
                       (long long)value);
    }
    *ret = (uint64_t)value;
    return 1;
}

static int convert_double(const struct json_at *at, const char *key, const json_t *v, double *ret,
                          struct err *err) {
    if (!json_is_number(v) || !isfinite(json_number_value(v)))
        return refuse(at, key, v, "a finite number", err);
    *ret = json_number_value(v);
    return 1;
}

static int convert_bool(const struct json_at *at, const char *key, const json_t *v, bool *ret,
                        struct err *err) {
    if (!json_is_boolean(v)) return refuse(at, key, v, "true or false", err);
    *ret = json_is_true(v);
    return 1;
}

static int convert_array(const struct json_at *at, const char *key, const json_t *v, const json_t **ret,
                         struct err *err) {
    if (!json_is_array(v)) return refuse(at, key, v, "an array", err);
    *ret = v;
    return 1;
}

static int convert_object(const struct json_at *at, const char *key, const json_t *v, const json_t **ret,
                          struct err *err) {
    if (!json_is_object(v)) return refuse(at, key, v, "an object", err);
    *ret = v;
    return 1;
}

// json_get_x and json_find_x differ only in what an absent member means.
#define JSON_ACCESSORS(kind, type)                                                                           \
    int json_get_##kind(const struct json_at *at, const char *key, type *ret, struct err *err) {             \
        const json_t *value = NULL;                                                                          \
        TRY(member_find(at, key, true, &value, err));                                                        \
        TRY(convert_##kind(at, key, value, ret, err));                                                       \
        return 0;                                                                                            \
    }                                                                                                        \
    int json_find_##kind(const struct json_at *at, const char *key, type *ret, struct err *err) {            \
        const json_t *value = NULL;                                                                          \
        TRY(member_find(at, key, false, &value, err));                                                       \
        return value ? convert_##kind(at, key, value, ret, err) : 0;                                         \
    }

JSON_ACCESSORS(string, const char *)
JSON_ACCESSORS(i64, int64_t)
JSON_ACCESSORS(u64, uint64_t)
JSON_ACCESSORS(double, double)
JSON_ACCESSORS(bool, bool)
JSON_ACCESSORS(array, const json_t *)
JSON_ACCESSORS(object, const json_t *)
