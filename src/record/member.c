// SPDX-License-Identifier: Apache-2.0
//
// Writes, reads and copies structs by the rows of their tables.
#include "record/member.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "record/field.h"

enum { LIMITS_BYTES = 96 };

static void *place_of(const struct member *member, void *object) {
    return (char *)object + member->offset;
}

static const void *const_place_of(const struct member *member, const void *object) {
    return (const char *)object + member->offset;
}

// ---- scalars: all copied bytewise, since a row knows the member's place and not its type ----

#define GETTER(name, type)                                                                                   \
    static type name(const struct member *member, const void *object) {                                      \
        type value;                                                                                          \
        memcpy(&value, const_place_of(member, object), sizeof value);                                        \
        return value;                                                                                        \
    }
GETTER(text_of, const char *)
GETTER(double_of, double)
GETTER(u32_of, uint32_t)
GETTER(u64_of, uint64_t)
GETTER(i64_of, int64_t)
GETTER(int_of, int)
GETTER(bool_of, bool)
GETTER(pointer_of, const void *)
GETTER(texts_of, const char *const *)

static bool is_true(const struct member *member, const void *object) {
    return member->bytes == sizeof(int) ? int_of(member, object) > 0 : bool_of(member, object);
}

static void put(const struct member *member, void *object, const void *value, size_t bytes) {
    memcpy(place_of(member, object), value, bytes);
}

static bool is_integer(enum member_type type) {
    return type == MEMBER_U32 || type == MEMBER_U64 || type == MEMBER_I64 || type == MEMBER_INT;
}

static int64_t integer_of(const struct member *member, const void *object) {
    switch (member->type) {
    case MEMBER_U32: return u32_of(member, object);
    case MEMBER_I64: return i64_of(member, object);
    case MEMBER_INT:
    case MEMBER_BOOL_OR_UNKNOWN:
    case MEMBER_NAME: return int_of(member, object);
    default: BUG("member '%s' is no signed integer", member->key);
    }
}

static size_t count_of(const struct member *member, const void *object) {
    const char *at = (const char *)object + member->count_offset;
    size_t wide = 0;
    int narrow = 0;
    if (member->count_bytes == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        wide = narrow > 0 ? (size_t)narrow : 0;
    } else {
        memcpy(&wide, at, sizeof wide);
    }
    return member->is_inline && wide > member->limit ? member->limit : wide;
}

static void put_count(const struct member *member, void *object, size_t count) {
    char *at = (char *)object + member->count_offset;
    const int narrow = (int)count; // its limit is far below INT_MAX
    if (member->count_bytes == sizeof narrow)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &count, sizeof count);
}

static const void *items_of(const struct member *member, const void *object) {
    return member->is_inline ? const_place_of(member, object) : pointer_of(member, object);
}

static bool is_too_low(const struct member *member, double value) {
    return member->has_low && !(member->is_above ? value > member->low : value >= member->low);
}

static bool is_within(const struct member *member, double value) {
    if (member->has_high && !(member->is_below ? value < member->high : value <= member->high)) return false;
    return !is_too_low(member, value);
}

const char *member_name(const char *const *names, int count, int value) {
    return value >= 0 && value < count && names[value] ? names[value] : names[0];
}

int member_value(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; ++i)
        if (str_equal(names[i], name)) return i;
    return -1;
}

// ---- known or not ----

static bool is_known(const struct member *member, const void *object) {
    switch (member->type) {
    case MEMBER_TEXT:
    case MEMBER_OBJECT_POINTER: return pointer_of(member, object) != NULL;
    case MEMBER_CHARS: return *(const char *)const_place_of(member, object) != 0;
    case MEMBER_DOUBLE: {
        const double value = double_of(member, object);
        if (member->flags & MEMBER_ABSENT_0 && value == 0) return false;
        return isfinite(value) && !is_too_low(member, value);
    }
    case MEMBER_U64: return u64_of(member, object) != 0;
    case MEMBER_BOOL: return is_true(member, object);
    case MEMBER_BOOL_OR_UNKNOWN: return int_of(member, object) >= 0;
    case MEMBER_U32:
    case MEMBER_NAME: return u32_of(member, object) != 0;
    case MEMBER_I64:
    case MEMBER_INT: return integer_of(member, object) > (member->flags & MEMBER_FROM_0 ? -1 : 0);
    case MEMBER_PROBLEM: return true;
    case MEMBER_OBJECT: return members_are_known(member->table, const_place_of(member, object));
    case MEMBER_ITEMS:
    case MEMBER_TEXTS: return count_of(member, object) > 0;
    case MEMBER_BY_HAND: break;
    }
    return false;
}

bool members_are_known(const struct member_table *table, const void *object) {
    for (size_t i = 0; i < table->count; ++i)
        if (is_known(&table->members[i], object)) return true;
    return false;
}

void members_forget(const struct member_table *table, void *object) {
    static const double unknown_double = NAN;
    static const int64_t unknown_i64 = -1; // as an int it is -1, too
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        if (member->type == MEMBER_BY_HAND) continue; // its place may lie elsewhere
        if (member->type == MEMBER_OBJECT)
            members_forget(member->table, place_of(member, object));
        else if (member->type == MEMBER_DOUBLE && !(member->flags & MEMBER_ABSENT_0))
            put(member, object, &unknown_double, sizeof unknown_double);
        else if (member->flags & MEMBER_FROM_0 || member->type == MEMBER_BOOL_OR_UNKNOWN)
            put(member, object, &unknown_i64, member->bytes);
        else
            memset(place_of(member, object), 0, member->bytes);
        if (member->count_bytes) put_count(member, object, 0);
    }
}

// ---- writing ----

static void number_write(struct json_writer *w, const struct member *member, const void *object) {
    if (member->type == MEMBER_DOUBLE)
        json_write_double(w, member->key, double_of(member, object));
    else if (member->type == MEMBER_U64)
        json_write_u64(w, member->key, u64_of(member, object));
    else
        json_write_i64(w, member->key, integer_of(member, object));
}

static void items_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const char *items = items_of(member, object);
    json_array_begin(w, member->key);
    for (size_t i = 0; i < count_of(member, object); ++i)
        members_write_object(w, NULL, member->table, items + i * member->table->bytes, context);
    json_array_end(w);
}

static void texts_write(struct json_writer *w, const struct member *member, const void *object) {
    const char *const *texts = texts_of(member, object);
    json_array_begin(w, member->key);
    for (size_t i = 0; i < count_of(member, object); ++i) json_write_string(w, NULL, texts[i]);
    json_array_end(w);
}

static void value_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const char *key = member->key;
    switch (member->type) {
    case MEMBER_TEXT: json_write_string(w, key, str_or(text_of(member, object), "")); break;
    case MEMBER_CHARS: json_write_string(w, key, const_place_of(member, object)); break;
    case MEMBER_BOOL:
    case MEMBER_BOOL_OR_UNKNOWN: json_write_bool(w, key, is_true(member, object)); break;
    case MEMBER_NAME:
        json_write_string(w, key, member_name(member->names, member->name_count, int_of(member, object)));
        break;
    case MEMBER_PROBLEM:
        json_write_string(w, key, ((const struct problem *)const_place_of(member, object))->name);
        break;
    case MEMBER_OBJECT:
        members_write_object(w, key, member->table, const_place_of(member, object), context);
        break;
    case MEMBER_OBJECT_POINTER:
        members_write_object(w, key, member->table, pointer_of(member, object), context);
        break;
    case MEMBER_ITEMS: items_write(w, member, object, context); break;
    case MEMBER_TEXTS: texts_write(w, member, object); break;
    default: number_write(w, member, object); break;
    }
}

void members_write(struct json_writer *w, const struct member_table *table, const void *object,
                   const void *context) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        if (member->type == MEMBER_BY_HAND) {
            if (member->write) member->write(w, member, object, context);
        } else if (member->flags & MEMBER_WRITTEN || is_known(member, object)) {
            value_write(w, member, object, context);
        }
    }
}

void members_write_object(struct json_writer *w, const char *key, const struct member_table *table,
                          const void *object, const void *context) {
    json_object_begin(w, key);
    members_write(w, table, object, context);
    json_object_end(w);
}

// ---- reading ----

// "from 0 to 9", "above 0 and at most 9", "at least 0".
static void describe_limits(const struct member *member, char ret_text[LIMITS_BYTES]) {
    char low[32], high[32];
    snprintf(low, sizeof low, "%.10g", member->low);
    snprintf(high, sizeof high, "%.10g", member->high);
    if (member->has_low && member->has_high && !member->is_above)
        snprintf(ret_text, LIMITS_BYTES, "from %s to %s", low, high);
    else if (member->has_low && member->has_high)
        snprintf(ret_text, LIMITS_BYTES, "above %s and %s %s", low, member->is_below ? "below" : "at most",
                 high);
    else if (member->has_low)
        snprintf(ret_text, LIMITS_BYTES, "%s %s", member->is_above ? "above" : "at least", low);
    else
        snprintf(ret_text, LIMITS_BYTES, "%s %s", member->is_below ? "below" : "at most", high);
}

static int check_limits(const struct json_at *at, const struct member *member, double value,
                        struct err *err) {
    char limits[LIMITS_BYTES];
    if (is_within(member, value)) return 0;
    describe_limits(member, limits);
    return err_set(err, ERR_DATA, "%s: key '%s' is %.10g; it must be %s", at->where, member->key, value,
                   limits);
}

static int double_read(const struct json_at *at, const struct member *member, void *object, struct err *err) {
    double value = 0;
    const int found = json_find_double(at, member->key, &value, err);
    if (found <= 0) return found;
    TRY(check_limits(at, member, value, err));
    put(member, object, &value, sizeof value);
    return 0;
}

static int u64_read(const struct json_at *at, const struct member *member, void *object, struct err *err) {
    uint64_t value = 0;
    const int found = json_find_u64(at, member->key, &value, err);
    if (found <= 0) return found;
    TRY(check_limits(at, member, (double)value, err));
    put(member, object, &value, sizeof value);
    return 0;
}

static int u32_read(const struct json_at *at, const struct member *member, void *object, struct err *err) {
    uint32_t value = 0;
    const int found = field_find_u32(at, member->key, &value, err);
    if (found <= 0) return found;
    TRY(check_limits(at, member, value, err));
    put(member, object, &value, sizeof value);
    return 0;
}

// MEMBER_I64, MEMBER_INT
static int integer_read(const struct json_at *at, const struct member *member, void *object,
                        struct err *err) {
    const bool is_int = member->type == MEMBER_INT;
    const int64_t low = member->flags & MEMBER_FROM_0 ? 0 : is_int ? INT_MIN : INT64_MIN;
    int64_t value = 0;
    const int found = field_find_i64(at, member->key, low, &value, err);
    if (found <= 0) return found;
    if (is_int && value > INT_MAX)
        return err_set(err, ERR_DATA, "%s: key '%s' is %lld; at most %d is possible", at->where, member->key,
                       (long long)value, INT_MAX);
    TRY(check_limits(at, member, (double)value, err));
    const int narrow = (int)value;
    put(member, object, is_int ? (const void *)&narrow : &value, member->bytes);
    return 0;
}

static int bool_read(const struct json_at *at, const struct member *member, void *object, struct err *err) {
    bool value = false;
    const int found = json_find_bool(at, member->key, &value, err);
    if (found <= 0) return found;
    const int as_int = value;
    put(member, object, member->bytes == sizeof value ? (const void *)&value : &as_int, member->bytes);
    return 0;
}

static int name_read(const struct json_at *at, const struct member *member, void *object, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, member->key, &name, err));
    if (!name) return 0;
    const int value = str_equal(name, member->former_name)
                          ? member->former_value
                          : member_value(member->names, member->name_count, name);
    if (value < (member->flags & MEMBER_ZERO_NAMED ? 0 : 1))
        return field_refuse_name(at, member->key, name, err);
    put(member, object, &value, sizeof value);
    return 0;
}

static int object_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    const json_t *value = NULL;
    struct field_place place;
    TRY(json_find_object(at, member->key, &value, err));
    if (!value) return 0;
    field_enter(&place, at, member->key, value);
    if (member->type == MEMBER_OBJECT)
        return members_read(&place.at, member->table, arena, place_of(member, object), context, err);
    void *made = arena_alloc(arena, member->table->bytes);
    members_forget(member->table, made);
    TRY(members_read(&place.at, member->table, arena, made, context, err));
    put(member, object, &made, sizeof made);
    return 0;
}

static int items_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    const size_t bytes = member->table->bytes;
    const json_t *array = NULL;
    size_t count = 0;
    struct field_place place;
    TRY(field_find_items(at, member->key, member->limit, &array, &count, err));
    if (!array) return 0;
    char *items = member->is_inline ? place_of(member, object) : arena_array(arena, count, bytes);
    for (size_t i = 0; i < count; ++i) {
        field_enter_item(&place, at, member->key, i, json_array_get(array, i));
        members_forget(member->table, items + i * bytes);
        TRY(members_read(&place.at, member->table, arena, items + i * bytes, context, err));
    }
    if (!member->is_inline) put(member, object, &items, sizeof items);
    put_count(member, object, count);
    return 0;
}

static int texts_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, struct err *err) {
    const json_t *array = NULL;
    size_t count = 0;
    TRY(field_find_items(at, member->key, member->limit, &array, &count, err));
    if (!array) return 0;
    const char **texts = arena_array(arena, count, sizeof *texts);
    for (size_t i = 0; i < count; ++i) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text) return err_set(err, ERR_DATA, "%s: %s[%zu] must be a string", at->where, member->key, i);
        texts[i] = arena_strdup(arena, text);
    }
    put(member, object, &texts, sizeof texts);
    put_count(member, object, count);
    return 0;
}

static int value_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    void *place = place_of(member, object);
    switch (member->type) {
    case MEMBER_TEXT: return field_find_text(at, member->key, arena, place, err);
    case MEMBER_CHARS: return field_find_chars(at, member->key, place, member->bytes, err);
    case MEMBER_DOUBLE: return double_read(at, member, object, err);
    case MEMBER_U32: return u32_read(at, member, object, err);
    case MEMBER_U64: return u64_read(at, member, object, err);
    case MEMBER_I64:
    case MEMBER_INT: return integer_read(at, member, object, err);
    case MEMBER_BOOL:
    case MEMBER_BOOL_OR_UNKNOWN: return bool_read(at, member, object, err);
    case MEMBER_NAME: return name_read(at, member, object, err);
    case MEMBER_PROBLEM: return field_get_problem(at, member->key, place, err);
    case MEMBER_OBJECT:
    case MEMBER_OBJECT_POINTER: return object_read(at, member, arena, object, context, err);
    case MEMBER_ITEMS: return items_read(at, member, arena, object, context, err);
    case MEMBER_TEXTS: return texts_read(at, member, arena, object, err);
    case MEMBER_BY_HAND: return member->read ? member->read(at, member, arena, object, context, err) : 0;
    }
    return 0;
}

// Where the document has a member by its former key, *member becomes *former, a row of that key.
static int former_find(const struct json_at *at, const struct member **member, struct member *former,
                       struct err *err) {
    if (!(*member)->former || !json_object_get(at->value, (*member)->former)) return 0;
    if (json_object_get(at->value, (*member)->key))
        return err_set(err, ERR_DATA, "%s: key '%s' is there, and its former name '%s' too", at->where,
                       (*member)->key, (*member)->former);
    *former = **member;
    former->key = former->former;
    *member = former;
    return 0;
}

int members_read(const struct json_at *at, const struct member_table *table, struct arena *arena,
                 void *object, void *context, struct err *err) {
    if (!json_is_object(at->value)) return err_set(err, ERR_DATA, "%s: must be an object", at->where);
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        struct member former;
        TRY(former_find(at, &member, &former, err));
        const bool is_owners = member->type == MEMBER_BY_HAND && !member->read;
        const json_t *value = json_object_get(at->value, member->key);
        if (!is_owners && member->flags & MEMBER_REQUIRED && (!value || json_is_null(value)))
            return err_set(err, ERR_DATA, "%s: key '%s' is %s", at->where, member->key,
                           value ? "null" : "missing");
        TRY(value_read(at, member, arena, object, context, err));
    }
    return table->check ? table->check(at, object, err) : 0;
}

// ---- copying ----

static void list_own(const struct member *member, struct arena *arena, void *object) {
    const size_t count = count_of(member, object);
    const size_t bytes = member->type == MEMBER_TEXTS ? sizeof(char *) : member->table->bytes;
    char *items = place_of(member, object);
    if (!member->is_inline) {
        items = arena_array(arena, count, bytes);
        if (count) memcpy(items, pointer_of(member, object), count * bytes);
        put(member, object, &items, sizeof items);
    }
    for (size_t i = 0; i < count; ++i) {
        if (member->type == MEMBER_TEXTS)
            ((const char **)(void *)items)[i] = arena_strdup(arena, ((const char **)(void *)items)[i]);
        else
            members_own(member->table, arena, items + i * bytes);
    }
}

void members_own(const struct member_table *table, struct arena *arena, void *object) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        if (member->type == MEMBER_TEXT) {
            const char *text = arena_strdup(arena, text_of(member, object));
            put(member, object, &text, sizeof text);
        } else if (member->type == MEMBER_OBJECT) {
            members_own(member->table, arena, place_of(member, object));
        } else if (member->type == MEMBER_OBJECT_POINTER && pointer_of(member, object)) {
            void *copy = arena_alloc(arena, member->table->bytes);
            memcpy(copy, pointer_of(member, object), member->table->bytes);
            members_own(member->table, arena, copy);
            put(member, object, &copy, sizeof copy);
        } else if (member->type == MEMBER_ITEMS || member->type == MEMBER_TEXTS) {
            list_own(member, arena, object);
        }
    }
}

void members_fill(const struct member_table *table, struct arena *arena, void *object, const void *more) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        if (is_known(member, object) || !is_known(member, more)) continue;
        if (member->type == MEMBER_TEXT) {
            const char *text = arena_strdup(arena, text_of(member, more));
            put(member, object, &text, sizeof text);
        } else if (is_integer(member->type) || member->type == MEMBER_DOUBLE || member->type == MEMBER_BOOL) {
            put(member, object, const_place_of(member, more), member->bytes);
        }
    }
}
