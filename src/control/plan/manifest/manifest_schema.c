// SPDX-License-Identifier: Apache-2.0
//
// Binds a node to the field that it fills. Kinds and limits are checked here; manifest.c checks references
// between sections.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_schema_internal.h"

int schema_fail(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                const char *format, ...) {
    struct strbuf sentence = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&sentence, format, args);
    va_end(args);
    const yaml_mark_t start = {0};
    const yaml_mark_t *mark = node ? &node->start_mark : &start;
    char place[48] = "";
    if (!reader->is_answer) snprintf(place, sizeof place, ":%zu:%zu", mark->line + 1, mark->column + 1);
    int result = err_set(reader->err, ERR_CONFIG, "%s%s: %s%s%s", reader->path, place, key, *key ? ": " : "",
                         strbuf_text(&sentence));
    strbuf_fini(&sentence);
    return result;
}

const char *schema_join(const struct schema_reader *reader, const char *key, const char *name) {
    return *key ? arena_format(reader->arena, "%s.%s", key, name) : arena_strdup(reader->arena, name);
}

bool schema_is_name(const char *text) {
    if (!isalnum((unsigned char)text[0]) && text[0] != '_') return false;
    for (const char *p = text; *p; ++p) {
        if (!isalnum((unsigned char)*p) && !strchr("_.-", *p)) return false;
    }
    return strlen(text) <= 64; // they become file names
}

static const char *kind_word(const yaml_node_t *node) {
    if (node->type == YAML_SEQUENCE_NODE) return "a list";
    if (node->type == YAML_MAPPING_NODE) return "a mapping";
    return "a text";
}

static const char *scalar_text(const yaml_node_t *node) {
    return (const char *)node->data.scalar.value;
}

static bool is_plain(const yaml_node_t *node) {
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_null(const yaml_node_t *node) {
    if (node->type != YAML_SCALAR_NODE || !is_plain(node)) return false;
    const char *text = scalar_text(node);
    return !*text || str_equal(text, "~") || str_equal(text, "null");
}

int schema_text(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                const char **ret) {
    if (node->type != YAML_SCALAR_NODE) {
        return schema_fail(reader, node, key, "must be a text, not %s", kind_word(node));
    }
    const char *text = scalar_text(node);
    if (is_null(node) || !*text)
        return schema_fail(reader, node, key, "has no value; give one or remove the key");
    if (strlen(text) != node->data.scalar.length) return schema_fail(reader, node, key, "holds a zero byte");
    *ret = arena_strdup(reader->arena, text);
    return 0;
}

// Returns the text of a plain scalar: only plain scalars can be numbers or booleans.
static int plain_text(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                      const char *kind, const char **ret) {
    if (node->type != YAML_SCALAR_NODE) {
        return schema_fail(reader, node, key, "must be %s, not %s", kind, kind_word(node));
    }
    if (!is_plain(node)) {
        return schema_fail(reader, node, key, "must be %s, not a text; remove the quotes", kind);
    }
    return schema_text(reader, node, key, ret);
}

int schema_integer(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                   long long *ret) {
    const char *text;
    TRY(plain_text(reader, node, key, "a whole number", &text));
    if (str_parse_i64(text, ret) < 0) {
        return schema_fail(reader, node, key, "must be a whole number, not '%s'", text);
    }
    return 0;
}

static int number_set(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                      const struct schema_field *field, double *ret) {
    const char *text;
    double value;
    TRY(plain_text(reader, node, key, "a number", &text));
    if (str_parse_double(text, &value) < 0) {
        return schema_fail(reader, node, key, "must be a number, not '%s'; for example '%s'", text,
                           field->example);
    }
    if (!(value >= field->min && value <= field->max)) {
        return schema_fail(reader, node, key, "must lie between %g and %g, not %s; for example '%s'",
                           field->min, field->max, text, field->example);
    }
    *ret = value;
    return 0;
}

// SCHEMA_U32 and SCHEMA_U64; the latter has no upper limit.
static int integer_set(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                       const struct schema_field *field, void *ret) {
    long long value;
    TRY(schema_integer(reader, node, key, &value));
    if (field->kind == SCHEMA_U64) {
        if ((double)value < field->min)
            return schema_fail(reader, node, key, "must be at least %.0f, not %lld; for example '%s'",
                               field->min, value, field->example);
        *(uint64_t *)ret = (uint64_t)value;
        return 0;
    }
    if ((double)value < field->min || (double)value > field->max)
        return schema_fail(reader, node, key, "must lie between %.0f and %.0f, not %lld; for example '%s'",
                           field->min, field->max, value, field->example);
    *(uint32_t *)ret = (uint32_t)value;
    return 0;
}

static int texts_set(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                     const struct schema_field *field, char *target) {
    const bool is_list = node->type == YAML_SEQUENCE_NODE;
    const size_t count = is_list ? schema_item_count(node) : 1;
    if (node->type == YAML_MAPPING_NODE)
        return schema_fail(reader, node, key, "must be a list, not a mapping; for example '%s'",
                           field->example);
    const char **texts = arena_array(reader->arena, count ? count : 1, sizeof *texts);
    for (size_t i = 0; i < count; ++i) {
        const yaml_node_t *item = is_list ? schema_item(reader, node, i) : node;
        const char *item_key = is_list ? arena_format(reader->arena, "%s[%zu]", key, i) : key;
        TRY(schema_text(reader, item, item_key, &texts[i]));
        if (strpbrk(texts[i], "\n\r")) return schema_fail(reader, item, item_key, "must be one line");
    }
    memcpy(target + field->offset, &texts, sizeof texts);
    memcpy(target + field->count_offset, &count, sizeof count);
    return 0;
}

const char *schema_word(const struct schema_field *field, size_t index) {
    return field->word_at ? field->word_at(index) : field->words ? field->words[index] : NULL;
}

// "is attention, gemm or scale, not 'gem', did you mean 'gemm'?"
static int word_fail(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                     const struct schema_field *field, const char *text) {
    struct strbuf list = {0};
    size_t count = 0;
    while (schema_word(field, count)) ++count;
    const char **words = arena_array(reader->arena, count, sizeof *words);
    for (size_t i = 0; i < count; ++i) {
        words[i] = schema_word(field, i);
        strbuf_addf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    }
    const char *nearest = str_nearest(text, words, count), *tail = "";
    if (nearest)
        tail = arena_format(reader->arena, ", did you mean '%s'?", nearest);
    else if (field->hint)
        tail = arena_format(reader->arena, "; %s", field->hint);
    const int result =
        schema_fail(reader, node, key, "is %s, not '%s'%s", strbuf_text(&list), str_shown(text).text, tail);
    strbuf_fini(&list);
    return result;
}

// SCHEMA_SWITCH, SCHEMA_CHOICE, SCHEMA_WORD
static int word_set(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                    const struct schema_field *field, void *ret) {
    const char *text, *word;
    int place = 0;
    TRY(schema_text(reader, node, key, &text));
    while ((word = schema_word(field, (size_t)place)) && !str_equal(word, text)) ++place;
    if (!word) return word_fail(reader, node, key, field, text);
    if (field->kind == SCHEMA_SWITCH)
        *(bool *)ret = place > 0;
    else if (field->kind == SCHEMA_CHOICE)
        memcpy(ret, &place, sizeof place);
    else
        *(const char **)ret = text;
    return 0;
}

int schema_choose(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                  const struct schema_words *words, const char **ret) {
    const struct schema_field field = {.kind = SCHEMA_WORD, .words = words->list, .hint = words->hint};
    return word_set(reader, node, key, &field, ret);
}

static int field_set(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                     const struct schema_field *field, char *target) {
    void *at = target + field->offset;
    const char *text;
    switch (field->kind) {
    case SCHEMA_TEXT: return schema_text(reader, node, key, at);
    case SCHEMA_TEXTS: return texts_set(reader, node, key, field, target);
    case SCHEMA_NUMBER: return number_set(reader, node, key, field, at);
    case SCHEMA_U32:
    case SCHEMA_U64: return integer_set(reader, node, key, field, at);
    case SCHEMA_BOOL:
        TRY(plain_text(reader, node, key, "true or false", &text));
        *(bool *)at = str_equal(text, "true");
        if (*(bool *)at || str_equal(text, "false")) return 0;
        return schema_fail(reader, node, key, "must be true or false, not '%s'", text);
    case SCHEMA_SWITCH:
    case SCHEMA_CHOICE:
    case SCHEMA_WORD: return word_set(reader, node, key, field, at);
    case SCHEMA_STRUCT: return schema_bind(reader, node, key, field->table, at);
    case SCHEMA_BOUND: return field->bind(reader, node, key, at);
    case SCHEMA_INVALID:
    case SCHEMA_COUNT: break;
    }
    BUG("field '%s' has no kind", field->key);
}

static int unknown_fail(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        const char *name, const struct schema_field *fields, size_t field_count) {
    const char **known = arena_array(reader->arena, field_count, sizeof *known);
    struct strbuf list = {0};
    for (size_t i = 0; i < field_count; ++i) {
        known[i] = fields[i].key;
        comma_add(&list, fields[i].key);
    }
    const char *nearest = str_nearest(name, known, field_count);
    const char *whole = schema_join(reader, key, name);
    int result = nearest
                     ? schema_fail(reader, node, whole, "unknown key, did you mean '%s'?", nearest)
                     : schema_fail(reader, node, whole, "unknown key; known here: %s", strbuf_text(&list));
    strbuf_fini(&list);
    return result;
}

int schema_expect_mapping(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                          const char *example) {
    if (node->type == YAML_MAPPING_NODE) return 0;
    if (is_null(node)) return schema_fail(reader, node, key, "has no value; for example '%s'", example);
    return schema_fail(reader, node, key, "must be a mapping, not %s; for example '%s'", kind_word(node),
                       example);
}

int schema_expect_list(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                       const char *example) {
    if (node->type == YAML_SEQUENCE_NODE) return 0;
    return schema_fail(reader, node, key, "must be a list, not %s; for example '%s'",
                       is_null(node) ? "nothing" : kind_word(node), example);
}

size_t schema_item_count(const yaml_node_t *list) {
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

yaml_node_t *schema_item(const struct schema_reader *reader, const yaml_node_t *list, size_t index) {
    return yaml_document_get_node(reader->document, list->data.sequence.items.start[index]);
}

size_t schema_pair_count(const yaml_node_t *mapping) {
    return (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

yaml_node_t *schema_pair(const struct schema_reader *reader, const yaml_node_t *mapping, size_t index,
                         const char **ret_name, yaml_node_t **ret_value) {
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + index;
    yaml_node_t *key = yaml_document_get_node(reader->document, pair->key);
    *ret_name = arena_strdup(reader->arena, scalar_text(key));
    *ret_value = yaml_document_get_node(reader->document, pair->value);
    return key;
}

yaml_node_t *schema_find(const struct schema_reader *reader, const yaml_node_t *mapping, const char *name) {
    if (!mapping || mapping->type != YAML_MAPPING_NODE) return NULL;
    for (size_t i = 0; i < schema_pair_count(mapping); ++i) {
        const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + i;
        const yaml_node_t *key = yaml_document_get_node(reader->document, pair->key);
        if (str_equal(scalar_text(key), name)) return yaml_document_get_node(reader->document, pair->value);
    }
    return NULL;
}

static struct schema_field figure_field(const struct schema_reader *reader, const struct member *figure) {
    const char **words = arena_array(reader->arena, (size_t)figure->name_count + 1, sizeof *words);
    for (int i = 0; i < figure->name_count; ++i) words[i] = figure->names[i];
    return (struct schema_field){
        .key = figure->key,
        .former = figure->former,
        .kind = figure->type == MEMBER_NAME ? SCHEMA_CHOICE : SCHEMA_NUMBER,
        .offset = figure->offset,
        .min = figure->low,
        .max = figure->high,
        .words = words,
        .example = arena_format(reader->arena, "%s: %s", figure->key, figure->example),
    };
}

// The table's fields and, as fields, its figures.
static struct schema_field *all_fields(const struct schema_reader *reader, const struct schema_table *table,
                                       size_t *ret_count) {
    const size_t figure_count = table->figures ? table->figures->count : 0;
    struct schema_field *fields = arena_array(reader->arena, figure_count + table->count, sizeof *fields);
    *ret_count = 0;
    for (size_t i = 0; i < figure_count; ++i)
        if (SCHEMA_IS_FIGURE(table->figures->members[i]))
            fields[(*ret_count)++] = figure_field(reader, &table->figures->members[i]);
    for (size_t i = 0; i < table->count; ++i) fields[(*ret_count)++] = table->fields[i];
    return fields;
}

// Whether a key of the mapping is one of the fields, and not there by two names.
static int check_key(const struct schema_reader *reader, yaml_node_t *node, const char *key, size_t pair,
                     const struct schema_field *fields, size_t field_count) {
    const char *name;
    yaml_node_t *value, *key_node = schema_pair(reader, node, pair, &name, &value);
    size_t f = 0;
    while (f < field_count && !str_equal(fields[f].key, name) && !str_equal(fields[f].former, name)) ++f;
    if (f == field_count) return unknown_fail(reader, key_node, key, name, fields, field_count);
    if (str_equal(fields[f].key, name) || !schema_find(reader, node, fields[f].key)) return 0;
    return schema_fail(reader, key_node, schema_join(reader, key, name),
                       "is the former name of '%s', which is there too", fields[f].key);
}

int schema_bind(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                const struct schema_table *table, void *target) {
    size_t field_count;
    const struct schema_field *fields = all_fields(reader, table, &field_count);
    TRY(schema_expect_mapping(reader, node, key, fields[0].example));
    for (size_t i = 0; i < schema_pair_count(node); ++i)
        TRY(check_key(reader, node, key, i, fields, field_count));
    for (size_t f = 0; f < field_count; ++f) {
        const char *name = fields[f].key;
        yaml_node_t *value = schema_find(reader, node, name);
        if (!value && fields[f].former) value = schema_find(reader, node, name = fields[f].former);
        if (value)
            TRY(field_set(reader, value, schema_join(reader, key, name), &fields[f], target));
        else if (fields[f].is_required)
            return schema_fail(reader, node, schema_join(reader, key, fields[f].key),
                               "is missing; for example '%s'", fields[f].example);
    }
    return 0;
}
