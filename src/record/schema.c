// SPDX-License-Identifier: Apache-2.0
//
// Tables of members as JSON Schema and as Markdown.
#include "record/schema.h"

#include <string.h>

// Adds to an object and gives the reference away. A member that is JSON by itself must be well-formed.
static void put(json_t *object, const char *key, json_t *value) {
    if (!value || json_object_set_new(object, key, value) < 0) BUG("the schema of '%s' cannot be made", key);
}

static json_t *typed(const char *type) {
    json_t *schema = json_object();
    put(schema, "type", json_string(type));
    return schema;
}

static json_t *number_or_integer(double value) {
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *number_schema(const struct member *member, const char *type) {
    json_t *schema = typed(type);
    const bool is_unsigned = member->type == MEMBER_U32 || member->flags & MEMBER_FROM_0;
    if (member->has_low)
        put(schema, member->is_above ? "exclusiveMinimum" : "minimum", number_or_integer(member->low));
    else if (is_unsigned)
        put(schema, "minimum", json_integer(0));
    if (member->has_high)
        put(schema, member->is_below ? "exclusiveMaximum" : "maximum", number_or_integer(member->high));
    else if (member->type == MEMBER_U32)
        put(schema, "maximum", json_integer(UINT32_MAX));
    return schema;
}

static json_t *names_schema(const struct member *member) {
    json_t *schema = json_object(), *names = json_array();
    for (int i = member->flags & MEMBER_ZERO_NAMED ? 0 : 1; i < member->name_count; ++i)
        if (member->names[i] && json_array_append_new(names, json_string(member->names[i])) < 0)
            BUG("the names of '%s' cannot be listed", member->key);
    put(schema, "enum", names);
    return schema;
}

static json_t *reference(const char *name) {
    json_t *schema = json_object();
    char path[128];
    snprintf(path, sizeof path, "#/$defs/%s", name);
    put(schema, "$ref", json_string(path));
    return schema;
}

static json_t *list_schema(json_t *items, size_t limit) {
    json_t *schema = typed("array");
    put(schema, "items", items);
    if (limit) put(schema, "maxItems", json_integer((json_int_t)limit));
    return schema;
}

static json_t *by_hand_schema(const struct member *member) {
    if (member->names) {
        json_t *schema = typed("object"), *values = json_object();
        put(values, "^[0-9]+$", names_schema(member));
        put(schema, "additionalProperties", json_false());
        put(schema, "patternProperties", values);
        return schema;
    }
    json_t *object = reference(member->table->name);
    return member->limit ? list_schema(object, member->limit) : object;
}

static json_t *member_schema(const struct member *member) {
    if (member->schema) return json_loads(member->schema, 0, NULL);
    switch (member->type) {
    case MEMBER_TEXT:
    case MEMBER_CHARS: return typed("string");
    case MEMBER_DOUBLE: return number_schema(member, "number");
    case MEMBER_U32:
    case MEMBER_I64:
    case MEMBER_INT: return number_schema(member, "integer");
    case MEMBER_U64: return reference("u64");
    case MEMBER_BOOL:
    case MEMBER_BOOL_OR_UNKNOWN: return typed("boolean");
    case MEMBER_NAME: return names_schema(member);
    case MEMBER_PROBLEM: {
        json_t *schema = typed("string");
        put(schema, "maxLength", json_integer(PROBLEM_NAME_BYTES - 1));
        return schema;
    }
    case MEMBER_OBJECT:
    case MEMBER_OBJECT_POINTER: return reference(member->table->name);
    case MEMBER_ITEMS: return list_schema(reference(member->table->name), member->limit);
    case MEMBER_TEXTS: return list_schema(typed("string"), member->limit);
    case MEMBER_BY_HAND: return by_hand_schema(member);
    }
    return NULL;
}

static json_t *table_schema(const struct member_table *table) {
    json_t *schema = json_object(), *required = json_array(), *properties = json_object();
    if (table->sentence) put(schema, "description", json_string(table->sentence));
    put(schema, "type", json_string("object"));
    put(schema, "additionalProperties", json_false());
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *member = &table->members[i];
        json_t *one = member_schema(member);
        put(one, "description", json_string(member->sentence));
        put(properties, member->key, one);
        if (member->flags & MEMBER_REQUIRED && json_array_append_new(required, json_string(member->key)) < 0)
            BUG("the required members of '%s' cannot be listed", table->name);
    }
    put(schema, "required", required);
    put(schema, "properties", properties);
    return schema;
}

// Adds the tables that `table` names, in the order in which they are first named.
static void add_definitions(json_t *definitions, const struct member_table *table) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member_table *named = table->members[i].table;
        if (!named || json_object_get(definitions, named->name)) continue;
        put(definitions, named->name, table_schema(named));
        add_definitions(definitions, named);
    }
}

void schema_write(const struct member_table *table, const char *title, struct strbuf *out) {
    json_t *root = json_object(), *definitions = json_object(), *whole = table_schema(table);
    put(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    put(root, "title", json_string(title));
    if (json_object_update(root, whole) < 0) BUG("the schema of '%s' cannot be made", table->name);
    json_decref(whole);
    put(definitions, "u64",
        json_loads("{\"description\": \"An integer; above 2^63 - 1 a decimal string.\", \"anyOf\": "
                   "[{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\", \"pattern\": "
                   "\"^[0-9]{1,20}$\"}]}",
                   0, NULL));
    add_definitions(definitions, table);
    put(root, "$defs", definitions);
    char *text = json_dumps(root, JSON_INDENT(1));
    if (!text) BUG("the schema of '%s' cannot be written", table->name);
    strbuf_addf(out, "%s\n", text);
    free(text);
    json_decref(root);
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

static void table_write(const struct member_table *table, struct strbuf *out) {
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

int schema_fill_page(const struct member_table *table, const char *text, struct strbuf *out,
                     struct err *err) {
    static const char begin[] = "<!-- members: ", end[] = "<!-- end -->\n";
    for (const char *at; (at = strstr(text, begin)) != NULL;) {
        const char *const name = at + strlen(begin), *const line = strchr(name, '\n');
        const size_t length = strcspn(name, " ");
        const struct member_table *named = find_table(table, name, length);
        const char *const stop = line ? strstr(line, end) : NULL;
        if (!named || !stop)
            return err_set(err, ERR_DATA, "members of '%.*s': %s", (int)length, name,
                           named ? "'<!-- end -->' is missing" : "there is no such table");
        strbuf_add_bytes(out, text, (size_t)(line + 1 - text));
        table_write(named, out);
        strbuf_add(out, end);
        text = stop + strlen(end);
    }
    strbuf_add(out, text);
    return 0;
}
