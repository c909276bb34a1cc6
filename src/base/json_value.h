// SPDX-License-Identifier: Apache-2.0
//
// A JSON document that was read: 16 bytes a value, items and members of one parent side by side, all in one
// arena. It is never changed, so that many threads may look at it.
#ifndef BASE_JSON_VALUE_H
#define BASE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_INTEGER,
    JSON_REAL,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_member;
struct json_value {
    uint32_t type;
    uint32_t count; // of items or members
    union {
        int64_t integer;
        double real;
        const char *text; // UTF-8, ends with a zero and holds no other
        const struct json_value *items;
        const struct json_member *members;
    };
};

struct json_member {
    const char *key;
    struct json_value value;
};

typedef const struct json_value json_t;

// The functions below take NULL for a value that is not there. A value of another type has no items, no
// members, and the number 0.
static inline enum json_type json_typeof(json_t *value) {
    return (enum json_type)value->type;
}

static inline bool json_is_object(json_t *value) {
    return value && value->type == JSON_OBJECT;
}

static inline bool json_is_array(json_t *value) {
    return value && value->type == JSON_ARRAY;
}

static inline bool json_is_string(json_t *value) {
    return value && value->type == JSON_STRING;
}

static inline bool json_is_integer(json_t *value) {
    return value && value->type == JSON_INTEGER;
}

static inline bool json_is_number(json_t *value) {
    return value && (value->type == JSON_INTEGER || value->type == JSON_REAL);
}

static inline bool json_is_true(json_t *value) {
    return value && value->type == JSON_TRUE;
}

static inline bool json_is_boolean(json_t *value) {
    return value && (value->type == JSON_TRUE || value->type == JSON_FALSE);
}

static inline bool json_is_null(json_t *value) {
    return value && value->type == JSON_NULL;
}

static inline const char *json_string_value(json_t *value) { // NULL: it is no text
    return json_is_string(value) ? value->text : NULL;
}

static inline int64_t json_integer_value(json_t *value) {
    return json_is_integer(value) ? value->integer : 0;
}

static inline double json_number_value(json_t *value) {
    return json_is_integer(value) ? (double)value->integer : json_is_number(value) ? value->real : 0;
}

static inline size_t json_array_size(json_t *array) {
    return json_is_array(array) ? array->count : 0;
}

static inline json_t *json_array_get(json_t *array, size_t index) { // NULL beyond the last
    return index < json_array_size(array) ? &array->items[index] : NULL;
}

static inline size_t json_object_size(json_t *object) {
    return json_is_object(object) ? object->count : 0;
}

// The member of that name; NULL: there is none.
json_t *json_find_member(json_t *object, const char *key);
static inline json_t *json_object_get(json_t *object, const char *key) {
    return json_find_member(object, key);
}

// for (each item of an array), for (each member of an object): in the document's order.
#define json_array_foreach(array, index, item)                                                               \
    for ((index) = 0; (index) < json_array_size(array) && ((item) = &(array)->items[index], true); ++(index))
#define json_object_foreach(object, each_key, each_value)                                                    \
    for (size_t member_ = 0;                                                                                 \
         member_ < json_object_size(object) &&                                                               \
         ((each_key) = (object)->members[member_].key, (each_value) = &(object)->members[member_].value,     \
         (void)(each_key), (void)(each_value), true);                                                        \
         ++member_)

// Frees a document by its root; accepts NULL.
void json_free_document(json_t *root);
static inline void json_decref(json_t *root) {
    json_free_document(root);
}

#endif
