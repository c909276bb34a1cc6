// SPDX-License-Identifier: Apache-2.0
//
// Reads one member of a document: checks type and bounds, and names its place in messages. All readers of
// record/ share it.
#include "record/field.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

void field_enter(struct field_place *place, const struct json_at *parent, const char *key,
                 const json_t *value) {
    snprintf(place->where, sizeof place->where, "%s: %s", parent->where, key);
    place->at = (struct json_at){.value = value, .where = place->where};
}

void field_enter_item(struct field_place *place, const struct json_at *parent, const char *key, size_t index,
                      const json_t *value) {
    snprintf(place->where, sizeof place->where, "%s: %s[%zu]", parent->where, key, index);
    place->at = (struct json_at){.value = value, .where = place->where};
}

static int narrow_u32(const struct json_at *at, const char *key, uint64_t wide, uint32_t *ret,
                      struct err *err) {
    if (wide > UINT32_MAX) {
        return err_set(err, ERR_DATA, "%s: key '%s' is %llu; at most %lu is possible", at->where, key,
                       (unsigned long long)wide, (unsigned long)UINT32_MAX);
    }
    *ret = (uint32_t)wide;
    return 0;
}

int field_get_u32(const struct json_at *at, const char *key, uint32_t *ret, struct err *err) {
    uint64_t wide = 0;
    TRY(json_get_u64(at, key, &wide, err));
    return narrow_u32(at, key, wide, ret, err);
}

int field_find_u32(const struct json_at *at, const char *key, uint32_t *ret, struct err *err) {
    uint64_t wide = 0;
    int found = json_find_u64(at, key, &wide, err);
    if (found <= 0) return found;
    TRY(narrow_u32(at, key, wide, ret, err));
    return 1;
}

int field_find_i64(const struct json_at *at, const char *key, int64_t low, int64_t *ret, struct err *err) {
    int64_t value = 0;
    int found = json_find_i64(at, key, &value, err);
    if (found <= 0) return found;
    if (value < low) {
        return err_set(err, ERR_DATA, "%s: key '%s' is %lld; it must be at least %lld", at->where, key,
                       (long long)value, (long long)low);
    }
    *ret = value;
    return 1;
}

static int copy_text(const struct json_at *at, const char *key, struct arena *arena, const char *text,
                     const char **ret, struct err *err) {
    size_t length = strlen(text);
    if (length > FIELD_TEXT_BYTES_MAX) {
        return err_set(err, ERR_DATA, "%s: key '%s' has %zu bytes of text; the limit is %zu", at->where, key,
                       length, FIELD_TEXT_BYTES_MAX);
    }
    *ret = arena_strndup(arena, text, length);
    return 0;
}

int field_find_text(const struct json_at *at, const char *key, struct arena *arena, const char **ret,
                    struct err *err) {
    const char *text = NULL;
    int found = json_find_string(at, key, &text, err);
    if (found <= 0) return found;
    TRY(copy_text(at, key, arena, text, ret, err));
    return 1;
}

int field_find_chars(const struct json_at *at, const char *key, char *ret, size_t capacity, struct err *err) {
    const char *text = NULL;
    int found = json_find_string(at, key, &text, err);
    if (found <= 0) return found;
    size_t length = strlen(text);
    if (length >= capacity) {
        length = capacity - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
    }
    memcpy(ret, text, length);
    ret[length] = 0;
    return 1;
}

static int check_items(const struct json_at *at, const char *key, size_t limit, const json_t *items,
                       size_t *ret_count, struct err *err) {
    size_t count = json_array_size(items);
    if (count > limit) {
        return err_set(err, ERR_DATA, "%s: key '%s' has %zu items; the limit is %zu", at->where, key, count,
                       limit);
    }
    *ret_count = count;
    return 0;
}

int field_find_items(const struct json_at *at, const char *key, size_t limit, const json_t **ret,
                     size_t *ret_count, struct err *err) {
    const json_t *items = NULL;
    int found = json_find_array(at, key, &items, err);
    if (found < 0) return found;
    TRY(check_items(at, key, limit, items, ret_count, err));
    *ret = items;
    return found;
}

int field_get_items(const struct json_at *at, const char *key, size_t limit, const json_t **ret,
                    size_t *ret_count, struct err *err) {
    const json_t *items = NULL;
    TRY(json_get_array(at, key, &items, err));
    TRY(check_items(at, key, limit, items, ret_count, err));
    *ret = items;
    return 0;
}

int field_get_problem(const struct json_at *at, const char *key, struct problem *ret, struct err *err) {
    const char *name = NULL;
    struct err why = {0};
    TRY(json_get_string(at, key, &name, err));
    if (problem_name_check(name, &why) < 0)
        return err_set(err, ERR_DATA, "%s: key '%s': %s", at->where, key, why.text);
    *ret = (struct problem){0};
    memcpy(ret->name, name, strlen(name) + 1);
    return 0;
}

int field_bind_problem(const struct json_at *at, const char *key, size_t index,
                       const struct operator_set *operators, struct problem *problem, struct err *err) {
    struct err why = {0};
    if (problem_bind(operators, problem, &why) == 0) return 0;
    return err_set(err, ERR_DATA, "%s: %s[%zu]: key 'problem': %s", at->where, key, index, why.text);
}

int field_refuse_name(const struct json_at *at, const char *key, const char *name, struct err *err) {
    return err_set(err, ERR_DATA, "%s: key '%s' has the unknown value '%s'", at->where, key,
                   str_shown(name).text);
}

int field_check_version(const struct json_at *at, const char *key, uint32_t version, struct err *err) {
    uint64_t found = 0;
    TRY(json_get_u64(at, key, &found, err));
    if (found == version) return 0;
    return err_set(err, ERR_DATA,
                   "%s: key '%s' is %llu, but this program reads version %lu; use the assay that wrote it",
                   at->where, key, (unsigned long long)found, (unsigned long)version);
}
