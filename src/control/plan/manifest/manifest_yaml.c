// SPDX-License-Identifier: Apache-2.0
//
// Loads a YAML document of reasonable size, in two passes. The pass over the events rejects deep nesting
// before a tree is built (libyaml is slow on deep flow collections); the pass over the tree rejects aliases
// that multiply or loop, and duplicate keys. manifest_schema.c interprets the document.
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest_schema_internal.h"

static int place_fail(const char *path, const yaml_mark_t *mark, struct err *err, const char *sentence) {
    return err_set(err, ERR_CONFIG, "%s:%zu:%zu: %s", path, mark->line + 1, mark->column + 1, sentence);
}

static int parser_fail(const yaml_parser_t *parser, const char *text, size_t length, const char *path,
                       struct err *err) {
    if (parser->error == YAML_MEMORY_ERROR) return err_set(err, ERR_INTERNAL, "%s: out of memory", path);
    if (parser->error == YAML_READER_ERROR) { // bytes that are no text have an offset instead of a mark
        yaml_mark_t mark = {0};
        for (size_t i = 0; i < length && i < parser->problem_offset; ++i) {
            ++mark.column;
            if (text[i] == '\n') {
                ++mark.line;
                mark.column = 0;
            }
        }
        return place_fail(path, &mark, err,
                          "not text: save the manifest as UTF-8 without control characters");
    }
    struct strbuf sentence = {0};
    strbuf_addf(&sentence, "not valid YAML: %s", parser->problem ? parser->problem : "unknown problem");
    if (parser->context) strbuf_addf(&sentence, " (%s)", parser->context);
    strbuf_add(&sentence, "; check the indentation (spaces, no tabs), quotes and brackets near here");
    int result = place_fail(path, &parser->problem_mark, err, strbuf_text(&sentence));
    strbuf_fini(&sentence);
    return result;
}

static int events_check(const char *text, size_t length, const char *path, struct err *err) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return err_set(err, ERR_INTERNAL, "%s: out of memory", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int result = 0, depth = 0, document_count = 0;
    bool is_end = false;
    while (result == 0 && !is_end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            result = parser_fail(&parser, text, length, path, err);
            break;
        }
        if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT) ++depth;
        if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) --depth;
        if (event.type == YAML_DOCUMENT_START_EVENT) ++document_count;
        if (depth > MANIFEST_DEPTH_MAX) {
            result =
                place_fail(path, &event.start_mark, err, "nested too deeply; a manifest needs four levels");
        } else if (document_count > 1) {
            result =
                place_fail(path, &event.start_mark, err,
                           "a second document begins here; a manifest is one document, remove the '---'");
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return result;
}

// Walks the tree as the binder will: follows an alias each time it occurs.
struct walk {
    yaml_document_t *document;
    const char *path;
    size_t visit_count;
    struct err *err;
};

static int duplicate_check(const struct walk *walk, const yaml_node_t *mapping) {
    const yaml_node_pair_t *start = mapping->data.mapping.pairs.start, *top = mapping->data.mapping.pairs.top;
    if ((size_t)(top - start) > MANIFEST_VISITS_MAX / 10) {
        return place_fail(walk->path, &mapping->start_mark, walk->err, "too many keys in one mapping");
    }
    for (const yaml_node_pair_t *pair = start; pair < top; ++pair) {
        const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
        if (!key || key->type != YAML_SCALAR_NODE) {
            return place_fail(walk->path, key ? &key->start_mark : &mapping->start_mark, walk->err,
                              "a key must be a plain name");
        }
        const char *name = (const char *)key->data.scalar.value;
        if (strlen(name) != key->data.scalar.length) {
            return place_fail(walk->path, &key->start_mark, walk->err, "a key holds a zero byte");
        }
        for (const yaml_node_pair_t *before = start; before < pair; ++before) {
            const yaml_node_t *other = yaml_document_get_node(walk->document, before->key);
            if (strcmp(name, (const char *)other->data.scalar.value) != 0) continue;
            return err_set(walk->err, ERR_CONFIG, "%s:%zu:%zu: %s: given twice (first in line %zu); keep one",
                           walk->path, key->start_mark.line + 1, key->start_mark.column + 1, name,
                           other->start_mark.line + 1);
        }
    }
    return 0;
}

static int tree_check(struct walk *walk, int index, int depth) {
    const yaml_node_t *node = yaml_document_get_node(walk->document, index);
    if (!node) return 0;
    if (depth > MANIFEST_DEPTH_MAX || ++walk->visit_count > MANIFEST_VISITS_MAX) {
        return place_fail(
            walk->path, &node->start_mark, walk->err,
            "too much here (aliases that loop or multiply, or thousands of values); write it out plainly");
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; ++item) {
            TRY(tree_check(walk, *item, depth + 1));
        }
    } else if (node->type == YAML_MAPPING_NODE) {
        TRY(duplicate_check(walk, node));
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; ++pair) {
            TRY(tree_check(walk, pair->value, depth + 1));
        }
    }
    return 0;
}

int schema_load(const char *text, size_t length, const char *path, yaml_document_t *ret, struct err *err) {
    if (length > MANIFEST_BYTES_MAX) {
        return err_set(err, ERR_CONFIG, "%s: larger than the limit of %zu bytes for a manifest", path,
                       MANIFEST_BYTES_MAX);
    }
    TRY(events_check(text, length, path, err));
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return err_set(err, ERR_INTERNAL, "%s: out of memory", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    yaml_document_t document;
    int result = 0;
    if (!yaml_parser_load(&parser, &document)) {
        result = parser_fail(&parser, text, length, path, err);
        goto out;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    struct walk walk = {.document = &document, .path = path, .err = err};
    if (!root || (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0))
        result = place_fail(path, &(yaml_mark_t){0}, err,
                            "the manifest is empty; begin with 'version: 1', or let 'assay init' write one");
    else if (root->type != YAML_MAPPING_NODE)
        result = place_fail(path, &root->start_mark, err,
                            "the manifest must be a mapping of keys such as 'version: 1' and 'kernels:'");
    // node 1 is the root
    else
        result = tree_check(&walk, 1, 0);
    if (result < 0)
        yaml_document_delete(&document);
    else
        *ret = document;
out:
    yaml_parser_delete(&parser);
    return result;
}
