// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON: every failure is a sentence with file and place, documents are limited to 64 MiB and 8388608
// values, duplicate keys are refused, and numbers are checked. Writing is base/json_writer.h.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json_value.h"

#define JSON_DOCUMENT_BYTES_MAX ((size_t)64 << 20)
// An array or object counts as four values, a key as one: that much more memory they take.
#define JSON_VALUES_MAX ((size_t)8 << 20)

// Both return a new reference in *ret_root (release it with json_decref). `where` names the document in
// messages. Codes: ERR_NO_INPUT when the file is missing, ERR_DATA when it is empty, too large, of too
// many values, truncated or malformed (with line and column).
int json_read_file(const char *path, json_t **ret_root, struct err *err);
int json_read_text(const char *text, size_t length, const char *where, json_t **ret_root, struct err *err);

// A value and its place in the document, for messages: "runs/x.json: problems[3]: ".
struct json_at {
    const json_t *value;
    const char *where; // for messages; must outlive the calls
};

// Required members: ERR_DATA "<where>: key 'x' is missing" / "... must be a finite number". Borrowed results.
int json_get_string(const struct json_at *at, const char *key, const char **ret, struct err *err);
int json_get_i64(const struct json_at *at, const char *key, int64_t *ret, struct err *err);
int json_get_u64(const struct json_at *at, const char *key, uint64_t *ret, struct err *err);
int json_get_double(const struct json_at *at, const char *key, double *ret, struct err *err); // finite
int json_get_bool(const struct json_at *at, const char *key, bool *ret, struct err *err);
int json_get_array(const struct json_at *at, const char *key, const json_t **ret, struct err *err);
int json_get_object(const struct json_at *at, const char *key, const json_t **ret, struct err *err);

// Optional members: absent or null leaves *ret untouched and returns 0; another type is ERR_DATA. Return 1
// when set.
int json_find_string(const struct json_at *at, const char *key, const char **ret, struct err *err);
int json_find_i64(const struct json_at *at, const char *key, int64_t *ret, struct err *err);
int json_find_u64(const struct json_at *at, const char *key, uint64_t *ret, struct err *err);
int json_find_double(const struct json_at *at, const char *key, double *ret, struct err *err);
int json_find_bool(const struct json_at *at, const char *key, bool *ret, struct err *err);
int json_find_array(const struct json_at *at, const char *key, const json_t **ret, struct err *err);
int json_find_object(const struct json_at *at, const char *key, const json_t **ret, struct err *err);

#endif
