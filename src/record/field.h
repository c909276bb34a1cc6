// SPDX-License-Identifier: Apache-2.0
//
// Reading members with bounds, copies into an arena and places for messages, on top of base/json.h. Files
// and lines are untrusted until they have been read through these functions. Unless said otherwise,
// functions return 0, or ERR_DATA with the place; field_find_* return 1 when the member is present.
#ifndef RECORD_FIELD_H
#define RECORD_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "op/operator.h"

#define FIELD_WHERE_BYTES    1024
#define FIELD_TEXT_BYTES_MAX ((size_t)1 << 16)

// The place of a nested value. at.where points into where[], so do not copy or move the struct.
struct field_place {
    char where[FIELD_WHERE_BYTES];
    struct json_at at;
};

// "<parent>: key" / "<parent>: key[index]". value may be NULL: reading from it then fails.
void field_enter(struct field_place *place, const struct json_at *parent, const char *key,
                 const json_t *value);
void field_enter_item(struct field_place *place, const struct json_at *parent, const char *key, size_t index,
                      const json_t *value);

int field_get_u32(const struct json_at *at, const char *key, uint32_t *ret, struct err *err);
int field_find_u32(const struct json_at *at, const char *key, uint32_t *ret, struct err *err);
// An integer of at least `low`.
int field_find_i64(const struct json_at *at, const char *key, int64_t low, int64_t *ret, struct err *err);

// Text of at most FIELD_TEXT_BYTES_MAX bytes, copied into the arena. Absent leaves *ret as it is.
int field_find_text(const struct json_at *at, const char *key, struct arena *arena, const char **ret,
                    struct err *err);
// Text copied into a fixed array; a longer one is cut after a whole UTF-8 character.
int field_find_chars(const struct json_at *at, const char *key, char *ret, size_t capacity, struct err *err);

// An array of at most `limit` items; absent gives NULL and 0 items.
int field_find_items(const struct json_at *at, const char *key, size_t limit, const json_t **ret,
                     size_t *ret_count, struct err *err);
int field_get_items(const struct json_at *at, const char *key, size_t limit, const json_t **ret,
                    size_t *ret_count, struct err *err);

// A problem by its name; a name that does not parse is ERR_DATA with the operator's sentence.
// A problem without its operator, which problem_bind gives it, or field_bind_problem where it must have one:
// ERR_DATA. key, index: of the list that it stands in.
int field_bind_problem(const struct json_at *at, const char *key, size_t index,
                       const struct operator_set *operators, struct problem *problem, struct err *err);
int field_get_problem(const struct json_at *at, const char *key, struct problem *ret, struct err *err);

// ERR_DATA: the member `key` holds `name`, which is no value of its enum.
int field_refuse_name(const struct json_at *at, const char *key, const char *name, struct err *err);
// The document's version: the member `key` must be `version`.
int field_check_version(const struct json_at *at, const char *key, uint32_t version, struct err *err);

#endif
