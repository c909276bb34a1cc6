// SPDX-License-Identifier: Apache-2.0
//
// The schema of a manifest: tables of fields (key, kind, member to fill, limits, what it means), applied to
// the nodes of a YAML document. Every failure names file, line, column and the whole key. The same tables are
// the JSON Schema for editors and the tables of docs/manifest.md (manifest_members.c).
#ifndef CONTROL_PLAN_MANIFEST_MANIFEST_SCHEMA_INTERNAL_H
#define CONTROL_PLAN_MANIFEST_MANIFEST_SCHEMA_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/manifest_types.h"
#include "record/member.h"

#define MANIFEST_BYTES_MAX ((size_t)1 << 20)
#define MANIFEST_DEPTH_MAX 16 // nesting of lists and mappings
// Nodes reached from the root, each alias counted in full: stops "billion laughs".
#define MANIFEST_VISITS_MAX 20000
#define MANIFEST_COUNT_MAX  1000000 // a number without a tighter limit

// A document being read. Strings that outlive it are copied into the arena.
struct schema_reader {
    yaml_document_t *document;
    const char *path; // of the file, for messages
    const char *dir;  // its folder; absolute
    struct arena *arena;
    const struct operator_set *operators; // that names may mean
    const struct manifest_asker *asker;   // of Python files that declare operators; NULL: there are none
    bool is_answer;                       // the document is that of such a file, and has no places to name
    struct err *err;
};

enum schema_kind {
    SCHEMA_INVALID = 0,
    SCHEMA_TEXT,   // const char *
    SCHEMA_TEXTS,  // const char ** and a size_t count: a list of texts, or one text
    SCHEMA_NUMBER, // double in [min, max]
    SCHEMA_U32,    // uint32_t in [min, max]
    SCHEMA_U64,    // uint64_t, a whole number of at least min
    SCHEMA_BOOL,   // bool
    SCHEMA_SWITCH, // bool, by two words: the first is false, the second true
    SCHEMA_CHOICE, // an enum: the place of one of the words
    SCHEMA_WORD,   // const char *, one of the words
    SCHEMA_STRUCT, // a mapping, by its table
    SCHEMA_BOUND,  // bind() reads it
    SCHEMA_COUNT
};

// What bind() reads with a table.
enum schema_shape {
    SCHEMA_ONE = 0,       // a mapping
    SCHEMA_NAMED,         // a mapping from names to such mappings
    SCHEMA_NAMED_OR_TEXT, // the same; a text may stand in place of a mapping
    SCHEMA_LISTED,        // a list of such mappings
};

struct schema_table;
struct schema_field {
    const char *key;
    const char *former; // a key of earlier manifests, which is read as this one; NULL: none
    enum schema_kind kind;
    bool is_required;
    size_t offset, count_offset; // in the target
    double min, max;
    const char *example; // "regression_pct: 3", for messages
    // For the page and for editors. meaning: NULL, that of the table's figure of the same key. fallback: what
    // holds without the key. type: what the value is, where the kind does not say it.
    const char *meaning, *fallback, *type;
    const char *const *words;             // up to NULL ...
    const char *(*word_at)(size_t index); // ... or by their place
    const char *hint;                     // what a message says after them; NULL: nothing
    // Its table, and what else is known of a bound value.
    const struct schema_table *table;
    enum schema_shape shape;
    const char *names; // SCHEMA_NAMED: the pattern of the names
    const char *json;
    // key: the whole key ("suites.pr"), in the arena. target: at the field's offset.
    int (*bind)(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target);
};

// The keys of a mapping.
struct schema_table {
    const char *name; // in the schema's $defs, and on the page
    const struct schema_field *fields;
    size_t count;
    const struct member_table *figures; // its numbers and names are keys, too; NULL: none
    const char *rule;                   // which keys go together, as JSON Schema; NULL: any
};
#define SCHEMA_IS_FIGURE(member_) ((member_).type == MEMBER_DOUBLE || (member_).type == MEMBER_NAME)
// After the list its name, and what else is known of it.
#define SCHEMA_TABLE(list_, ...)                                                                             \
    { .fields = (list_), .count = sizeof(list_) / sizeof *(list_), .name = __VA_ARGS__ }

// Entries of a table: the member of `type` that a key of the same name fills, and a value to show as an
// example. What follows it are other members of the field.
#define SCHEMA_FIELD(type_, member_, kind_, min_, max_, ...)                                                 \
    SCHEMA_FIELD_AS(#member_, type_, member_, kind_, min_, max_, __VA_ARGS__)
#define SCHEMA_FIELD_AS(key_, type_, member_, kind_, min_, max_, ...)                                        \
    {                                                                                                        \
        .key = key_, .kind = (kind_), .offset = offsetof(type_, member_), .min = (min_), .max = (max_),      \
        .example = key_ ": " __VA_ARGS__                                                                     \
    }
#define SCHEMA_LIST(key_, type_, member_, count_, ...)                                                       \
    {                                                                                                        \
        .key = key_, .kind = SCHEMA_TEXTS, .offset = offsetof(type_, member_),                               \
        .count_offset = offsetof(type_, count_), .example = key_ ": " __VA_ARGS__                            \
    }
#define SCHEMA_NAME_PATTERN "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$" // as schema_is_name says

// The word at a place, up to NULL; the caller has asked for those before it.
const char *schema_word(const struct schema_field *field, size_t index);

// Loads text into *ret (yaml_document_delete it on success): one document, limited in size, depth and
// aliases, without duplicate keys, its root a mapping.
int schema_load(const char *text, size_t length, const char *path, yaml_document_t *ret, struct err *err);

// "assay.yaml:12:5: gate.suite: <sentence>"; returns -ERR_CONFIG. key may be "".
int schema_fail(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

// Applies a table to a mapping: field by field, whatever the order in the file, so that a field may rely on
// those before it. key: of the mapping itself, "" for the root.
int schema_bind(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                const struct schema_table *table, void *target);

// Mappings from names of the user's choice (kernels, suites, config, problems).
size_t schema_pair_count(const yaml_node_t *mapping);
yaml_node_t *schema_pair(const struct schema_reader *reader, const yaml_node_t *mapping, size_t index,
                         const char **ret_name, yaml_node_t **ret_value);
// Lists of mappings: their items. ERR_CONFIG when the node is no list.
int schema_expect_list(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                       const char *example);
size_t schema_item_count(const yaml_node_t *list);
yaml_node_t *schema_item(const struct schema_reader *reader, const yaml_node_t *list, size_t index);
int schema_expect_mapping(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                          const char *example);
int schema_text(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                const char **ret);
// One of words that only this document knows, up to NULL.
struct schema_words {
    const char *const *list;
    const char *hint; // as of a field
};
int schema_choose(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                  const struct schema_words *words, const char **ret);
int schema_integer(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                   long long *ret);
// "a" "b" -> "a.b"
const char *schema_join(const struct schema_reader *reader, const char *key, const char *name);
// The value of a key of a mapping; NULL when absent, or when `mapping` is NULL or no mapping.
yaml_node_t *schema_find(const struct schema_reader *reader, const yaml_node_t *mapping, const char *name);
// Names that reports and file names can carry: letters, digits, '_', '.', '-', beginning with a letter, digit
// or '_'.
bool schema_is_name(const char *text);

#endif
