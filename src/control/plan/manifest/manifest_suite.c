// SPDX-License-Identifier: Apache-2.0
//
// The section `suites:` of a manifest: own problems, or a part of another suite. Problems are parsed here;
// whether `from` and `only` name something is checked in manifest.c, when all suites are known.
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "op/example.h"
#include "op/operator.h"

#define PROBLEM_EXAMPLE "problem: " OP_EXAMPLE_PROBLEM

// A problem that names its inputs or its memory layout.
struct own_problem {
    const char *problem, *distribution;
    int memory_layout; // without the invalid one
};

static const char *memory_layout_at(size_t index) {
    return index + 1 < MEMORY_LAYOUT_COUNT ? memory_layout_names[index + 1] : NULL;
}

static const struct schema_field own_problem_fields[] = {
    {.key = "problem",
     .kind = SCHEMA_TEXT,
     .is_required = true,
     .offset = offsetof(struct own_problem, problem),
     .example = PROBLEM_EXAMPLE,
     .meaning = "Name of the problem."},
    SCHEMA_FIELD(struct own_problem, distribution, SCHEMA_TEXT, 0, 0, "huge_logits", .former = "family",
                 .fallback = "`" OP_DISTRIBUTION_DEFAULT "`",
                 .meaning = "Its input distribution, as of `fuzz --distribution`."),
    SCHEMA_FIELD(struct own_problem, memory_layout, SCHEMA_CHOICE, 0, 0, "padded", .former = "placement",
                 .word_at = memory_layout_at, .fallback = "`dense`",
                 .meaning = "The memory layout of its tensors, as of `fuzz --memory-layout`."),
};
static const struct schema_table own_problem_table = SCHEMA_TABLE(own_problem_fields, "problem");

// The name alone, or a mapping with its inputs and memory layout.
static int bind_problem(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        struct manifest_problem *ret) {
    struct own_problem own = {.distribution = OP_DISTRIBUTION_DEFAULT};
    struct problem problem;
    struct err why = {0};
    if (node->type == YAML_MAPPING_NODE)
        TRY(schema_bind(reader, node, key, &own_problem_table, &own));
    else
        TRY(schema_text(reader, node, key, &own.problem));
    if (problem_parse(reader->operators, own.problem, &problem, &why) < 0 ||
        problem_check_distribution(&problem, own.distribution, &why) < 0)
        return schema_fail(reader, node, key, "%s", why.text);
    ret->problem = arena_strdup(reader->arena, problem.name);
    ret->distribution = arena_strdup(reader->arena, own.distribution);
    ret->memory_layout = (enum memory_layout)(MEMORY_LAYOUT_DENSE + own.memory_layout);
    return 0;
}

static int bind_problems(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest_suite *suite = target;
    const char *example = "problems: {s512: " OP_EXAMPLE_PROBLEM "}";
    TRY(schema_expect_mapping(reader, node, key, example));
    size_t count = schema_pair_count(node);
    if (!count) return schema_fail(reader, node, key, "is empty; for example '%s'", example);
    suite->problems = arena_array(reader->arena, count, sizeof *suite->problems);
    for (size_t i = 0; i < count; ++i) {
        const char *name;
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &name, &value);
        const char *whole = schema_join(reader, key, name);
        if (!schema_is_name(name)) {
            return schema_fail(reader, key_node, whole,
                               "a short name is made of letters, digits, '_', '.' and '-', at most 64");
        }
        suite->problems[i].short_name = name;
        TRY(bind_problem(reader, value, whole, &suite->problems[i]));
    }
    suite->problem_count = count;
    return 0;
}

static const struct schema_field suite_fields[] = {
    SCHEMA_FIELD(struct manifest_suite, from, SCHEMA_TEXT, 0, 0, "ci", .type = "suite",
                 .meaning = "A shipped suite or another one of this file. A suite may have the name of the "
                            "shipped suite that it comes from."),
    SCHEMA_LIST("only", struct manifest_suite, only, only_count, "[s512, mission]", .fallback = "all",
                .type = "list of short names", .meaning = "The problems to take from it, in its order."),
    {.key = "problems",
     .kind = SCHEMA_BOUND,
     .bind = bind_problems,
     .table = &own_problem_table,
     .shape = SCHEMA_NAMED_OR_TEXT,
     .names = SCHEMA_NAME_PATTERN,
     .type = "mapping short name: problem",
     .example = "problems: {s512: " OP_EXAMPLE_PROBLEM "}",
     .meaning =
         "Instead of `from`. A problem is a name, or `{problem: NAME, distribution: D, memory_layout: L}` "
         "with the inputs and the memory layout of `fuzz --distribution` and `--memory-layout`."},
    SCHEMA_LIST("distributions", struct manifest_suite, distributions, distribution_count, "[normal, mixed]",
                .former = "families", .type = "list of input distributions",
                .meaning = "Measures every problem with each: `distributions: [normal, mixed]`. `s512` with "
                           "`mixed` is called `s512.mixed`."),
    MANIFEST_TOLERANCE_FIELD(
        struct manifest_suite,
        "For kernels without a tolerance of their own, see [above](#a-tolerance-of-ones-own)."),
};
const struct schema_table manifest_suite_table =
    SCHEMA_TABLE(suite_fields, "suite",
                 .rule = "{\"oneOf\": [{\"required\": [\"from\"]}, {\"required\": [\"problems\"]}]}");

int manifest_bind_suites(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest *manifest = target;
    TRY(schema_expect_mapping(reader, node, key, "suites: {pr: {from: ci, only: [s512, mission]}}"));
    const size_t count = schema_pair_count(node), before = manifest->suite_count;
    const struct manifest_suite *of_files = manifest->suites;
    manifest->suites = arena_array(reader->arena, count + before + 1, sizeof *manifest->suites);
    for (size_t i = 0; i < count; ++i) {
        struct manifest_suite *suite = &manifest->suites[i];
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &suite->name, &value);
        const char *whole = schema_join(reader, key, suite->name);
        if (!schema_is_name(suite->name)) {
            return schema_fail(reader, key_node, whole,
                               "a suite's name is made of letters, digits, '_', '.' and '-', at most 64");
        }
        TRY(schema_bind(reader, value, whole, &manifest_suite_table, suite));
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
    for (size_t i = 0; i < before; ++i) // those of Python files, unless this file has one of that name
        if (!schema_find(reader, node, of_files[i].name))
            manifest->suites[manifest->suite_count++] = of_files[i];
    return 0;
}
