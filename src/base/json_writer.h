// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON: a streaming writer into a strbuf. The writer inserts commas and tracks nesting; it aborts
// (BUG) on a value without a key. Doubles are printed so that they read back to the same bits (%.17g,
// shortest that round-trips); a double that is not finite is written as null; a u64 above INT64_MAX as a
// decimal string, which json_get_u64 reads. No newline after the root value: the caller adds it. Every
// document of assay is written through here.
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_value.h"
#include "base/strbuf.h"

struct json_writer {
    struct strbuf *out;
    int indent; // spaces a level; 0 writes one line (records, journal)
    int depth;
    uint64_t has_item;  // bit a level
    uint64_t is_object; // bit a level
};

struct json_writer json_writer_make(struct strbuf *out, int indent);

// key is NULL inside arrays and at the root.
void json_object_begin(struct json_writer *w, const char *key);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w, const char *key);
void json_array_end(struct json_writer *w);
void json_write_string(struct json_writer *w, const char *key, const char *value); // NULL writes null
void json_write_i64(struct json_writer *w, const char *key, int64_t value);
void json_write_u64(struct json_writer *w, const char *key, uint64_t value);
void json_write_double(struct json_writer *w, const char *key, double value);
void json_write_bool(struct json_writer *w, const char *key, bool value);
void json_write_null(struct json_writer *w, const char *key);
void json_write_u64s(struct json_writer *w, const char *key, const uint64_t *values,
                     size_t count); // one line
void json_write_doubles(struct json_writer *w, const char *key, const double *values, size_t count);
// Optional values: when the value is NULL or not finite, the member is omitted, not written as null or
// zero.
void json_maybe_string(struct json_writer *w, const char *key, const char *value);
void json_maybe_double(struct json_writer *w, const char *key, double value);
// What was read: a value, or all members of an object into the one that is open.
void json_write_value(struct json_writer *w, const char *key, json_t *value);
void json_write_members(struct json_writer *w, json_t *object);

#endif
