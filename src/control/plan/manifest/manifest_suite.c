// SPDX-License-Identifier: Apache-2.0
//
// The section `suites:` of a manifest: own problems, or a part of another suite. Problems are parsed here;
// whether `from` and `only` name something is checked in manifest.c, when all suites are known.
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "op/example.h"
#include "op/operator.h"

static int bind_problems(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest_suite *suite = target;
    const char *example = "problems: {s512: " OP_EXAMPLE_PROBLEM "}";
    TRY(schema_expect_mapping(reader, node, key, example));
    size_t count = schema_pair_count(node);
    if (!count) return schema_fail(reader, node, key, "is empty; for example '%s'", example);
    suite->problems = arena_array(reader->arena, count, sizeof *suite->problems);
    for (size_t i = 0; i < count; ++i) {
        const char *name, *text;
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &name, &value);
        const char *whole = schema_join(reader, key, name);
        if (!schema_is_name(name)) {
            return schema_fail(reader, key_node, whole,
                               "a short name is made of letters, digits, '_', '.' and '-', at most 64");
        }
        TRY(schema_text(reader, value, whole, &text));
        struct problem problem;
        struct err why = {0};
        if (problem_parse(text, &problem, &why) < 0) return schema_fail(reader, value, whole, "%s", why.text);
        suite->problems[i] = (struct manifest_problem){.short_name = name,
                                                       .problem = arena_strdup(reader->arena, problem.name)};
    }
    suite->problem_count = count;
    return 0;
}

static int bind_tolerance(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target) {
    return manifest_bind_tolerance(reader, node, key, &((struct manifest_suite *)target)->tolerance);
}

static const struct schema_field suite_fields[] = {
    SCHEMA_FIELD(struct manifest_suite, from, SCHEMA_TEXT, 0, 0, "ci"),
    SCHEMA_LIST("only", struct manifest_suite, only, only_count, "[s512, mission]"),
    {.key = "problems",
     .kind = SCHEMA_BOUND,
     .bind = bind_problems,
     .example = "problems: {s512: " OP_EXAMPLE_PROBLEM "}"},
    {.key = "tolerance", .kind = SCHEMA_BOUND, .bind = bind_tolerance, .example = MANIFEST_TOLERANCE_EXAMPLE},
};

int manifest_bind_suites(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest *manifest = target;
    TRY(schema_expect_mapping(reader, node, key, "suites: {pr: {from: ci, only: [s512, mission]}}"));
    size_t count = schema_pair_count(node);
    manifest->suites = arena_array(reader->arena, count ? count : 1, sizeof *manifest->suites);
    for (size_t i = 0; i < count; ++i) {
        struct manifest_suite *suite = &manifest->suites[i];
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &suite->name, &value);
        const char *whole = schema_join(reader, key, suite->name);
        if (!schema_is_name(suite->name)) {
            return schema_fail(reader, key_node, whole,
                               "a suite's name is made of letters, digits, '_', '.' and '-', at most 64");
        }
        TRY(schema_bind(reader, value, whole, suite_fields, sizeof suite_fields / sizeof *suite_fields,
                        suite));
        if ((suite->from != NULL) == (suite->problem_count > 0)) {
            return schema_fail(reader, key_node, whole, "needs either 'from' (another suite) or 'problems'");
        }
        if (suite->only && !suite->from) {
            return schema_fail(reader, schema_find(reader, value, "only"), schema_join(reader, whole, "only"),
                               "selects problems of another suite; it needs 'from'");
        }
        if (suite->only && !suite->only_count) {
            return schema_fail(reader, schema_find(reader, value, "only"), schema_join(reader, whole, "only"),
                               "is empty; name at least one problem or remove the key");
        }
    }
    manifest->suite_count = count;
    return 0;
}
