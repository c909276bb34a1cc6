// SPDX-License-Identifier: Apache-2.0
//
// The tables of a manifest's keys as tables of members, which record/schema.h turns into the JSON Schema for
// editors and into the tables of docs/manifest.md. What no table holds, that a key goes with another kind of
// kernel only or that a name is one of this file's, the reader alone knows.
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"

// What the reader takes for a text: YAML's plain 512 and true are texts, too.
#define TEXT_JSON "{\"type\": [\"string\", \"number\", \"boolean\"], \"minLength\": 1}"

static const struct member_table *members_make(struct arena *arena, const struct schema_table *table);

// The words of a field as the names of an enum, whose 0 is no value. NULL: it has none.
static const char *const *make_names(struct arena *arena, const struct schema_field *field, int *ret_count) {
    size_t count = 0;
    while (schema_word(field, count)) ++count;
    if (!count) return NULL;
    const char **names = arena_array(arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; ++i) names[i + 1] = schema_word(field, i);
    *ret_count = (int)count + 1;
    return names;
}

// "`fail` or `warn`", "`cpu`, `cuda` or `sim`"
static const char *make_type_text(struct arena *arena, const char *const *names, int count) {
    struct strbuf text = {0};
    for (int i = 1; i < count; ++i)
        strbuf_addf(&text, "%s`%s`", i == 1 ? "" : i + 1 == count ? " or " : ", ", names[i]);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static void set_table(struct arena *arena, const struct schema_field *field, struct member *member) {
    member->table = members_make(arena, field->table);
    member->type = field->shape == SCHEMA_LISTED ? MEMBER_ITEMS : MEMBER_OBJECT;
    member->type_text = field->shape == SCHEMA_LISTED ? "list of mappings" : "mapping";
    if (field->shape == SCHEMA_LISTED) member->limit = (size_t)field->max;
    if (field->shape != SCHEMA_NAMED && field->shape != SCHEMA_NAMED_OR_TEXT) return;
    const char *one = arena_format(arena, "{\"$ref\": \"#/$defs/%s\"}", member->table->name);
    if (field->shape == SCHEMA_NAMED_OR_TEXT)
        one = arena_format(arena, "{\"anyOf\": [" TEXT_JSON ", %s]}", one);
    member->schema = arena_format(arena,
                                  "{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"%s\"}, "
                                  "\"additionalProperties\": %s}",
                                  field->names, one);
}

static void set_number(const struct schema_field *field, struct member *member) {
    const bool is_whole = field->kind != SCHEMA_NUMBER;
    member->type = !is_whole ? MEMBER_DOUBLE : field->kind == SCHEMA_U32 ? MEMBER_U32 : MEMBER_I64;
    member->has_low = true;
    member->low = field->min;
    member->has_high = field->kind != SCHEMA_U64;
    member->high = field->max;
    if (is_whole && field->max >= MANIFEST_COUNT_MAX)
        member->type_text = "whole number"; // no limit to speak of
    if (field->kind == SCHEMA_U64) member->type_text = "whole number";
}

static struct member member_of(struct arena *arena, const struct schema_field *field,
                               const struct member *figure) {
    struct member member = {.key = field->key,
                            .type = MEMBER_BY_HAND,
                            .sentence = field->meaning ? field->meaning
                                        : figure       ? figure->sentence
                                                       : NULL,
                            .flags = field->is_required ? MEMBER_REQUIRED : 0,
                            .fallback = field->fallback};
    if (!member.sentence) BUG("key '%s' of the manifest says nothing of what it means", field->key);
    member.names = make_names(arena, field, &member.name_count);
    if (field->table)
        set_table(arena, field, &member);
    else if (member.names) {
        member.type = MEMBER_NAME;
        member.type_text = make_type_text(arena, member.names, member.name_count);
    } else if (field->kind == SCHEMA_NUMBER || field->kind == SCHEMA_U32 || field->kind == SCHEMA_U64)
        set_number(field, &member);
    else if (field->kind == SCHEMA_BOOL) {
        member.type = MEMBER_BOOL;
        member.type_text = "`true`, `false`";
    } else {
        const bool is_list = field->kind == SCHEMA_TEXTS;
        member.schema = is_list ? "{\"anyOf\": [" TEXT_JSON ", {\"type\": \"array\", \"items\": " TEXT_JSON
                                  "}]}"
                                : TEXT_JSON;
        member.type_text = is_list ? "list of texts, or one text" : "text";
    }
    if (field->json) member.schema = field->json;
    if (field->type) member.type_text = field->type;
    return member;
}

static const struct member *find_figure(const struct schema_table *table, const char *key) {
    for (size_t i = 0; table->figures && i < table->figures->count; ++i)
        if (str_equal(table->figures->members[i].key, key)) return &table->figures->members[i];
    return NULL;
}

// A figure as the page has it: "0" where an absent one is 0.
static struct member figure_member(const struct member *figure) {
    struct member member = *figure;
    member.flags &= ~(unsigned)MEMBER_REQUIRED;
    if (!member.fallback && member.flags & MEMBER_ABSENT_0) member.fallback = "0";
    return member;
}

static const struct member_table *members_make(struct arena *arena, const struct schema_table *table) {
    const size_t figure_count = table->figures ? table->figures->count : 0;
    struct member_table *made = arena_alloc(arena, sizeof *made);
    struct member *members = arena_array(arena, table->count + figure_count, sizeof *members);
    size_t count = 0;
    for (size_t i = 0; i < figure_count; ++i)
        if (SCHEMA_IS_FIGURE(table->figures->members[i]))
            members[count++] = figure_member(&table->figures->members[i]);
    for (size_t i = 0; i < table->count; ++i)
        members[count++] = member_of(arena, &table->fields[i], find_figure(table, table->fields[i].key));
    *made =
        (struct member_table){.name = table->name, .members = members, .count = count, .rule = table->rule};
    return made;
}

const struct member_table *manifest_members(struct arena *arena) {
    return members_make(arena, &manifest_table);
}
