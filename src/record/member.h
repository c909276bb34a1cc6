// SPDX-License-Identifier: Apache-2.0
//
// Tables of a document's members: a row a member, with key, type, limits and a sentence. Writing, reading,
// copying, the JSON Schema and the page (record/schema.h) all come from the rows, so that a member is written
// down once. Where a row cannot say how a member is read or written, it names two functions.
#ifndef RECORD_MEMBER_H
#define RECORD_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "op/operator.h"

enum member_type {   // what the struct holds, and the value that means "not known": such members are absent
    MEMBER_TEXT = 1, // const char *: NULL
    MEMBER_CHARS,    // char[]: ""; a longer text is cut when read
    MEMBER_DOUBLE,   // double: NAN, or less than the lower limit
    MEMBER_U32,      // uint32_t: 0
    MEMBER_U64,      // uint64_t or size_t: 0
    MEMBER_I64,      // int64_t: 0, or -1 with MEMBER_FROM_0
    MEMBER_INT,      // int: as MEMBER_I64
    MEMBER_BOOL,     // bool, or an enum of two values: false
    MEMBER_BOOL_OR_UNKNOWN, // int 0 or 1: -1. In the document a bool
    MEMBER_NAME,            // an enum, by its names: 0
    MEMBER_PROBLEM,         // struct problem, by its name; never absent
    MEMBER_OBJECT,          // a struct with a table of its own: all its members not known
    MEMBER_OBJECT_POINTER,  // a pointer to such a struct: NULL
    MEMBER_ITEMS,           // such structs and their count: none
    MEMBER_TEXTS,           // const char ** and their count: none
    MEMBER_BY_HAND,         // read and written by functions of the row; without them, by the table's owner
};

enum member_flag {
    MEMBER_REQUIRED = 1,   // a document without it is refused
    MEMBER_WRITTEN = 2,    // written even when not known: 0, false, "", []
    MEMBER_FROM_0 = 4,     // MEMBER_I64, MEMBER_INT: 0 is a value, and -1 means not known
    MEMBER_ZERO_NAMED = 8, // MEMBER_NAME: the name of 0 is a value, too
    MEMBER_ABSENT_0 = 16,  // MEMBER_DOUBLE: an absent one is 0, not NAN
};

// Of a setting that decides a gate: which of two values is the stricter one.
enum strictness {
    STRICT_UNSAID = 0, // the row is no such setting
    STRICT_BASELINE,   // neither: the baseline's value decides
    STRICT_SMALLER,    // none is larger than any number
    STRICT_LARGER,
};

struct member_table;
struct member;
typedef void (*member_write_fn)(struct json_writer *w, const struct member *member, const void *object,
                                const void *context);
// 0, or ERR_DATA with the place.
typedef int (*member_read_fn)(const struct json_at *at, const struct member *member, struct arena *arena,
                              void *object, void *context, struct err *err);

struct member {
    const char *key;
    const char *former; // a key of earlier documents, which is read and never written; NULL: none
    enum member_type type;
    size_t offset, bytes;
    const char *sentence; // for the schema and the page; its unit is in the key
    unsigned flags;
    double low, high; // of numbers, where has_low and has_high; is_above, is_below: the limit is out
    bool has_low, has_high, is_above, is_below;
    const char *example;      // a value to suggest in messages; NULL: none
    const char *const *names; // of an enum, by value; NULL: no value
    int name_count;
    const char *former_name; // of a value, in earlier documents; NULL: none
    int former_value;
    const struct member_table *table; // of a struct
    bool is_inline;                   // MEMBER_ITEMS: an array inside the struct; else in the arena
    size_t count_offset, count_bytes; // MEMBER_ITEMS, MEMBER_TEXTS: of the count, a size_t or an int
    size_t limit;                     // of the count
    // As JSON, in place of what the type says. NULL at MEMBER_BY_HAND: an object of `table`, with a limit a
    // list of them; with `names` an object whose keys are numbers and whose values are names.
    const char *schema;
    member_write_fn write;
    member_read_fn read;
    // Of documents that people write, for their page: what the value is, in place of what the type says, and
    // what holds without the member. NULL: nothing to say.
    const char *type_text, *fallback;
    enum strictness strictness;
};

struct member_table {
    const char *name;     // in the schema's $defs
    const char *sentence; // NULL: none
    const struct member *members;
    size_t count, bytes; // bytes: of the struct
    // Of a read struct, what no row can say. NULL: nothing.
    int (*check)(const struct json_at *at, const void *object, struct err *err);
    const char *rule; // of the schema, members of its object: which of the keys go together. NULL: none
};

// The type comes from the struct's member; enums need MEMBER_NAMED, since C takes them for integers.
#define MEMBER_TYPE(T, m)                                                                                    \
    _Generic(((T *)0)->m,                                                                                    \
        const char *: MEMBER_TEXT,                                                                           \
        char *: MEMBER_CHARS,                                                                                \
        double: MEMBER_DOUBLE,                                                                               \
        uint32_t: MEMBER_U32,                                                                                \
        uint64_t: MEMBER_U64,                                                                                \
        int64_t: MEMBER_I64,                                                                                 \
        int: MEMBER_INT,                                                                                     \
        bool: MEMBER_BOOL,                                                                                   \
        struct problem: MEMBER_PROBLEM)
#define MEMBER_PLACE(T, m) .offset = offsetof(T, m), .bytes = sizeof(((T *)0)->m)
#define MEMBER_COUNT(T, c) .count_offset = offsetof(T, c), .count_bytes = sizeof(((T *)0)->c)

// Of a list's items whose place in another list names a side: written and read by the list's owner.
#define MEMBER_SIDE                                                                                          \
    {                                                                                                        \
        .key = "side", .type = MEMBER_BY_HAND, .flags = MEMBER_REQUIRED, .sentence = "Index into `sides`.",  \
        .schema = "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 7}"                                  \
    }

// After the sentence follow flags, then limits: MEMBER(struct x, "a_ns", a_ns, "Sentence.", 0,
// MEMBER_AT_LEAST(0)).
#define MEMBER(T, k, m, ...)                                                                                 \
    { .key = (k), .type = MEMBER_TYPE(T, m), MEMBER_PLACE(T, m), .sentence = __VA_ARGS__ }
#define MEMBER_NAMED(T, k, m, n, ...)                                                                        \
    {                                                                                                        \
        .key = (k), .type = MEMBER_NAME, MEMBER_PLACE(T, m), .names = (n),                                   \
        .name_count = (int)(sizeof(n) / sizeof(n)[0]), .sentence = __VA_ARGS__                               \
    }
#define MEMBER_STRUCT(T, k, m, t, ...)                                                                       \
    { .key = (k), .type = MEMBER_OBJECT, MEMBER_PLACE(T, m), .table = (t), .sentence = __VA_ARGS__ }
#define MEMBER_POINTER(T, k, m, t, ...)                                                                      \
    { .key = (k), .type = MEMBER_OBJECT_POINTER, MEMBER_PLACE(T, m), .table = (t), .sentence = __VA_ARGS__ }
#define MEMBER_LIST(T, k, m, c, t, most, ...)                                                                \
    {                                                                                                        \
        .key = (k), .type = MEMBER_ITEMS, MEMBER_PLACE(T, m), MEMBER_COUNT(T, c), .table = (t),              \
        .limit = (most), .sentence = __VA_ARGS__                                                             \
    }
#define MEMBER_STRINGS(T, k, m, c, most, ...)                                                                \
    {                                                                                                        \
        .key = (k), .type = MEMBER_TEXTS, MEMBER_PLACE(T, m), MEMBER_COUNT(T, c), .limit = (most),           \
        .sentence = __VA_ARGS__                                                                              \
    }
#define MEMBER_WITH(k, w, r, ...)                                                                            \
    { .key = (k), .type = MEMBER_BY_HAND, .write = (w), .read = (r), .sentence = __VA_ARGS__ }
#define MEMBER_AT_LEAST(x) .has_low = true, .low = (x)
#define MEMBER_ABOVE(x)    .has_low = true, .is_above = true, .low = (x)
#define MEMBER_BETWEEN(x, y)                                                                                 \
    .has_low = true, .is_above = true, .low = (x), .has_high = true, .is_below = true, .high = (y)
#define MEMBER_FROM_TO(x, y) .has_low = true, .low = (x), .has_high = true, .high = (y)
#define MEMBER_TABLE(T, n, list, ...)                                                                        \
    {                                                                                                        \
        .name = (n), .members = (list), .count = sizeof(list) / sizeof(list)[0], .bytes = sizeof(T),         \
        __VA_ARGS__                                                                                          \
    }

// Sets every member to the value that means "not known". The struct's other bytes stay.
void members_forget(const struct member_table *table, void *object);
bool members_are_known(const struct member_table *table, const void *object); // any of them

// Writes the members into an open object. context: passed on to functions of rows; may be NULL.
void members_write(struct json_writer *w, const struct member_table *table, const void *object,
                   const void *context);
void members_write_object(struct json_writer *w, const char *key, const struct member_table *table,
                          const void *object, const void *context);
// Reads them. An absent member keeps the value that it has in *object. Texts and lists go to the arena.
int members_read(const struct json_at *at, const struct member_table *table, struct arena *arena,
                 void *object, void *context, struct err *err);

// Makes *object, a copy byte by byte, a deep one: texts, structs and lists are copied into the arena. What
// rows read by hand stays as it is.
void members_own(const struct member_table *table, struct arena *arena, void *object);
// Fills the members of *object that are not known from `more`; texts are copied. No structs, no lists.
void members_fill(const struct member_table *table, struct arena *arena, void *object, const void *more);

// The names of an enum: its name (the first one's when out of range), and its value; -1: no such name.
const char *member_name(const char *const *names, int count, int value);
int member_value(const char *const *names, int count, const char *name);

#endif
