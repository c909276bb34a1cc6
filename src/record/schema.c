// SPDX-License-Identifier: Apache-2.0
//
// Tables of members as JSON Schema and as Markdown.
#include "record/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// ---- JSON Schema: each function writes into an open object ----

static void write_type(struct json_writer *w, const char *type) {
    json_write_string(w, "type", type);
}

static void write_reference(struct json_writer *w, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "#/$defs/%s", name);
    json_write_string(w, "$ref", path);
}

static void write_number(struct json_writer *w, const struct member *member, const char *type) {
    const bool is_unsigned = member->type == MEMBER_U32 || member->flags & MEMBER_FROM_0;
    write_type(w, type);
    if (member->has_low)
        json_write_double(w, member->is_above ? "exclusiveMinimum" : "minimum", member->low);
    else if (is_unsigned)
        json_write_i64(w, "minimum", 0);
    if (member->has_high)
        json_write_double(w, member->is_below ? "exclusiveMaximum" : "maximum", member->high);
    else if (member->type == MEMBER_U32)
        json_write_i64(w, "maximum", UINT32_MAX);
}

static void write_names(struct json_writer *w, const struct member *member) {
    json_array_begin(w, "enum");
    for (int i = member->flags & MEMBER_ZERO_NAMED ? 0 : 1; i < member->name_count; ++i)
        if (member->names[i]) json_write_string(w, NULL, member->names[i]);
    json_array_end(w);
}

// item: what the items are; NULL: texts.
static void write_list(struct json_writer *w, const struct member_table *item, size_t limit) {
    write_type(w, "array");
    json_object_begin(w, "items");
    if (item)
        write_reference(w, item->name);
    else
        write_type(w, "string");
    json_object_end(w);
    if (limit) json_write_u64(w, "maxItems", limit);
}

static void write_by_hand(struct json_writer *w, const struct member *member) {
    if (!member->names) {
        if (member->limit)
            write_list(w, member->table, member->limit);
        else
            write_reference(w, member->table->name);
        return;
    }
    write_type(w, "object");
    json_write_bool(w, "additionalProperties", false);
    json_object_begin(w, "patternProperties");
    json_object_begin(w, "^[0-9]+$");
    write_names(w, member);
    json_object_end(w);
    json_object_end(w);
}

// A sentence of the page, without the links of Markdown: an editor shows it beside the key.
static void write_description(struct json_writer *w, const char *sentence) {
    struct strbuf text = {0};
    if (!sentence) return;
    while (*sentence) {
        const char *middle = *sentence == '[' ? strstr(sentence, "](") : NULL;
        const char *end = middle ? strchr(middle, ')') : NULL;
        const bool is_link = end && !memchr(sentence + 1, '[', (size_t)(middle - sentence));
        const char *from = is_link ? sentence + 1 : sentence;
        strbuf_add_bytes(&text, from, is_link ? (size_t)(middle - from) : 1);
        sentence = is_link ? end + 1 : sentence + 1;
    }
    json_write_string(w, "description", strbuf_text(&text));
    strbuf_fini(&text);
}

// The members of an object that a row has as JSON.
static void write_text(struct json_writer *w, const char *text) {
    json_t *root = NULL;
    struct err err = {0};
    if (json_read_text(text, strlen(text), "a schema", &root, &err) < 0) BUG("%s", err.text);
    json_write_members(w, root);
    json_decref(root);
}

static void write_schema(struct json_writer *w, const struct member *member) {
    if (member->schema) {
        write_text(w, member->schema);
        return;
    }
    switch (member->type) {
    case MEMBER_TEXT:
    case MEMBER_CHARS: write_type(w, "string"); break;
    case MEMBER_DOUBLE: write_number(w, member, "number"); break;
    case MEMBER_U32:
    case MEMBER_I64:
    case MEMBER_INT: write_number(w, member, "integer"); break;
    case MEMBER_U64: write_reference(w, "u64"); break;
    case MEMBER_BOOL:
    case MEMBER_BOOL_OR_UNKNOWN: write_type(w, "boolean"); break;
    case MEMBER_NAME: write_names(w, member); break;
    case MEMBER_PROBLEM:
        write_type(w, "string");
        json_write_i64(w, "maxLength", PROBLEM_NAME_BYTES - 1);
        break;
    case MEMBER_OBJECT:
    case MEMBER_OBJECT_POINTER: write_reference(w, member->table->name); break;
    case MEMBER_ITEMS: write_list(w, member->table, member->limit); break;
    case MEMBER_TEXTS: write_list(w, NULL, member->limit); break;
    case MEMBER_BY_HAND: write_by_hand(w, member); break;
    }
}

static void write_table(struct json_writer *w, const struct member_table *table) {
    write_description(w, table->sentence);
    write_type(w, "object");
    json_write_bool(w, "additionalProperties", false);
    json_array_begin(w, "required");
    for (size_t i = 0; i < table->count; ++i)
        if (table->members[i].flags & MEMBER_REQUIRED) json_write_string(w, NULL, table->members[i].key);
    json_array_end(w);
    json_object_begin(w, "properties");
    for (size_t i = 0; i < table->count; ++i) {
        json_object_begin(w, table->members[i].key);
        write_schema(w, &table->members[i]);
        write_description(w, table->members[i].sentence);
        json_object_end(w);
    }
    json_object_end(w);
    if (table->rule) write_text(w, table->rule);
}

struct defined {
    const struct member_table **tables;
    size_t count, capacity;
};

static bool is_defined(const struct defined *defined, const struct member_table *table) {
    for (size_t i = 0; i < defined->count; ++i)
        if (str_equal(defined->tables[i]->name, table->name)) return true;
    return false;
}

// The tables that `table` names, in the order in which they are first named.
static void write_definitions(struct json_writer *w, const struct member_table *table,
                              struct defined *defined) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member_table *named = table->members[i].table;
        if (!named || is_defined(defined, named)) continue;
        MEM_GROW(defined->tables, defined->capacity, defined->count + 1);
        defined->tables[defined->count++] = named;
        json_object_begin(w, named->name);
        write_table(w, named);
        json_object_end(w);
        write_definitions(w, named, defined);
    }
}

static bool has_u64(const struct member_table *table) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        if ((member->type == MEMBER_U64 && !member->schema) || (member->table && has_u64(member->table)))
            return true;
    }
    return false;
}

static void write_u64(struct json_writer *w) {
    json_object_begin(w, "u64");
    write_text(w, "{\"description\": \"An integer; above 2^63 - 1 a decimal string.\", \"anyOf\": "
                  "[{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\", \"pattern\": "
                  "\"^[0-9]{1,20}$\"}]}");
    json_object_end(w);
}

void schema_write(const struct member_table *table, const char *title, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    struct defined defined = {.tables = NULL};
    json_object_begin(&w, NULL);
    json_write_string(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_write_string(&w, "title", title);
    write_table(&w, table);
    json_object_begin(&w, "$defs");
    if (has_u64(table)) write_u64(&w);
    write_definitions(&w, table, &defined);
    json_object_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    free((void *)(uintptr_t)defined.tables);
}

// ---- Markdown ----

static const struct member_table *find_table(const struct member_table *table, const char *name,
                                             size_t length) {
    if (strlen(table->name) == length && strncmp(table->name, name, length) == 0) return table;
    for (size_t i = 0; i < table->count; ++i) {
        const struct member_table *named = table->members[i].table;
        const struct member_table *found = named ? find_table(named, name, length) : NULL;
        if (found) return found;
    }
    return NULL;
}

static void add_limits(const struct member *member, struct strbuf *out) {
    if (member->has_low && member->has_high)
        strbuf_addf(out, ", %g to %g", member->low, member->high);
    else if (member->has_low)
        strbuf_addf(out, ", %s %g", member->is_above ? "above" : "at least", member->low);
}

static void add_names(const struct member *member, struct strbuf *out) {
    const char *separator = "";
    for (int i = member->flags & MEMBER_ZERO_NAMED ? 0 : 1; i < member->name_count; ++i) {
        if (!member->names[i]) continue;
        strbuf_addf(out, "%s`%s`", separator, member->names[i]);
        separator = " ";
    }
}

// What the document holds: "integer, at least 0", "list of side", "`cold` `rotate` `warm`".
static void add_type(const struct member *member, struct strbuf *out) {
    if (member->type_text) {
        strbuf_add(out, member->type_text);
        return;
    }
    const bool is_list = member->type == MEMBER_ITEMS || (member->type == MEMBER_BY_HAND && member->limit);
    switch (member->type) {
    case MEMBER_DOUBLE: strbuf_add(out, "number"); break;
    case MEMBER_U32:
    case MEMBER_U64:
    case MEMBER_I64:
    case MEMBER_INT: strbuf_add(out, "integer"); break;
    case MEMBER_BOOL:
    case MEMBER_BOOL_OR_UNKNOWN: strbuf_add(out, "true or false"); break;
    case MEMBER_NAME: add_names(member, out); break;
    case MEMBER_TEXTS: strbuf_add(out, "list of text"); break;
    case MEMBER_OBJECT:
    case MEMBER_OBJECT_POINTER:
    case MEMBER_ITEMS:
    case MEMBER_BY_HAND:
        if (member->names) add_names(member, out);
        if (member->table) strbuf_addf(out, "%s%s", is_list ? "list of " : "", member->table->name);
        break;
    default: strbuf_add(out, "text"); break;
    }
    add_limits(member, out);
}

static void members_page(const struct member_table *table, struct strbuf *out) {
    strbuf_add(out, "| key | | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        struct strbuf type = {0};
        add_type(member, &type);
        const char *comma = member->flags & MEMBER_REQUIRED && type.length ? ", " : "";
        strbuf_addf(out, "| `%s` | %s%s%s | %s |\n", member->key,
                    member->flags & MEMBER_REQUIRED ? "required" : "", comma, strbuf_text(&type),
                    member->sentence);
        strbuf_fini(&type);
    }
}

// For those who write the document: with what holds without the key.
static void keys_page(const struct member_table *table, struct strbuf *out) {
    strbuf_add(out, "| key | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        const char *without = member->flags & MEMBER_REQUIRED ? "required" : "";
        struct strbuf type = {0};
        add_type(member, &type);
        strbuf_addf(out, "| `%s` | %s | %s | %s |\n", member->key, strbuf_text(&type),
                    member->fallback ? member->fallback : without, member->sentence);
        strbuf_fini(&type);
    }
}

static const struct page_form {
    const char *mark;
    void (*write)(const struct member_table *table, struct strbuf *out);
} page_forms[] = {{"<!-- members: ", members_page}, {"<!-- keys: ", keys_page}};

// The first mark in text; NULL: there is none.
static const char *find_mark(const char *text, const struct page_form **ret) {
    const char *first = NULL;
    for (size_t i = 0; i < sizeof page_forms / sizeof *page_forms; ++i) {
        const char *at = strstr(text, page_forms[i].mark);
        if (!at || (first && at > first)) continue;
        first = at;
        *ret = &page_forms[i];
    }
    return first;
}

int schema_fill_page(const struct member_table *table, const char *text, struct strbuf *out,
                     struct err *err) {
    static const char end[] = "<!-- end -->\n";
    const struct page_form *form = NULL;
    for (const char *at; (at = find_mark(text, &form)) != NULL;) {
        const char *const name = at + strlen(form->mark), *const line = strchr(name, '\n');
        const size_t length = strcspn(name, " ");
        const struct member_table *named = find_table(table, name, length);
        const char *const stop = line ? strstr(line, end) : NULL;
        if (!named || !stop)
            return err_set(err, ERR_DATA, "members of '%.*s': %s", (int)length, name,
                           named ? "'<!-- end -->' is missing" : "there is no such table");
        strbuf_add_bytes(out, text, (size_t)(line + 1 - text));
        form->write(named, out);
        strbuf_add(out, end);
        text = stop + strlen(end);
    }
    strbuf_add(out, text);
    return 0;
}
