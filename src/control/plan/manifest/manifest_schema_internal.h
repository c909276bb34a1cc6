// SPDX-License-Identifier: Apache-2.0
//
// The schema of a manifest: tables of fields (key, kind, member to fill, limits), applied to the nodes of a
// YAML document. Every failure names file, line, column and the whole key.
#ifndef CONTROL_PLAN_MANIFEST_MANIFEST_SCHEMA_INTERNAL_H
#define CONTROL_PLAN_MANIFEST_MANIFEST_SCHEMA_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/err.h"

#define MANIFEST_BYTES_MAX ((size_t)1 << 20)
#define MANIFEST_DEPTH_MAX 16 // nesting of lists and mappings
// Nodes reached from the root, each alias counted in full: stops "billion laughs".
#define MANIFEST_VISITS_MAX 20000
#define MANIFEST_COUNT_MAX  1000000 // a number without a tighter limit

// A document being read. Strings that outlive it are copied into the arena.
struct schema_reader {
    yaml_document_t *document;
    const char *path; // of the file, for messages
    struct arena *arena;
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
    SCHEMA_BOUND,  // bind() reads it
    SCHEMA_COUNT
};

struct schema_field {
    const char *key;
    enum schema_kind kind;
    bool is_required;
    size_t offset, count_offset; // in the target
    double min, max;
    const char *example; // "regression_pct: 3", for messages
    // key: the whole key ("suites.pr"), in the arena.
    int (*bind)(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target);
};

// Entries of a table: the member of `type` that a key of the same name fills, and a value to show as an
// example.
#define SCHEMA_FIELD(type, member_, kind_, min_, max_, sample_)                                              \
    SCHEMA_FIELD_AS(#member_, type, member_, kind_, min_, max_, sample_)
#define SCHEMA_FIELD_AS(key_, type, member_, kind_, min_, max_, sample_)                                     \
    {                                                                                                        \
        .key = key_, .kind = (kind_), .offset = offsetof(type, member_), .min = (min_), .max = (max_),       \
        .example = key_ ": " sample_                                                                         \
    }
#define SCHEMA_LIST(key_, type, member_, count_, sample_)                                                    \
    {                                                                                                        \
        .key = key_, .kind = SCHEMA_TEXTS, .offset = offsetof(type, member_),                                \
        .count_offset = offsetof(type, count_), .example = key_ ": " sample_                                 \
    }

// Loads text into *ret (yaml_document_delete it on success): one document, limited in size, depth and
// aliases, without duplicate keys, its root a mapping.
int schema_load(const char *text, size_t length, const char *path, yaml_document_t *ret, struct err *err);

// "assay.yaml:12:5: gate.suite: <sentence>"; returns -ERR_CONFIG. key may be "".
int schema_fail(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

// Applies fields to a mapping. key: of the mapping itself, "" for the root.
int schema_bind(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                const struct schema_field *fields, size_t field_count, void *target);

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
