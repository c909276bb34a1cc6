// SPDX-License-Identifier: Apache-2.0
//
// The section `operators:` of a manifest: an operator a key, a mapping or a Python file that says the same.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "op/declared/declared.h"

#define OPERATORS_EXAMPLE "operators: {twice: {inputs: {x: \"fp32[64]\"}, outputs: {y: \"fp32[64]\"}}}"
#define PYTHON_ENDING     ".py"

// An operator that is being read, and the suites that its file brings.
struct reading {
    struct manifest *manifest;
    struct declared *declared;
    const struct operator_def *op;
};

static void add_suite(struct manifest *manifest, const struct manifest_suite *suite) {
    struct manifest_suite *grown = arena_array(&manifest->arena, manifest->suite_count + 1, sizeof *grown);
    for (size_t i = 0; i < manifest->suite_count; ++i) grown[i] = manifest->suites[i];
    grown[manifest->suite_count++] = *suite;
    manifest->suites = grown;
}

// A suite of the problems that the file names; its tolerance is of all problems of the operator.
static int bind_suite(const struct schema_reader *reader, yaml_node_t *node, struct reading *reading) {
    const struct operator_set of_file = {&reading->op, 1};
    struct schema_reader inner = *reader;
    struct manifest_suite suite = {.name = reading->op->name};
    inner.operators = &of_file;
    TRY(schema_bind(&inner, node, "", &manifest_suite_table, &suite));
    reading->declared->tolerance = suite.tolerance;
    suite.tolerance = NULL;
    if (suite.problem_count) add_suite(reading->manifest, &suite);
    return 0;
}

static int bind_function(const struct schema_reader *reader, yaml_node_t *root, const char *key,
                         const char **ret) {
    yaml_node_t *function = schema_find(reader, root, key);
    return function ? schema_text(reader, function, "", ret) : 0;
}

static int bind_answer(const struct schema_reader *reader, yaml_node_t *root, struct reading *reading) {
    const char *sentence;
    yaml_node_t *error = schema_find(reader, root, "error"), *op = schema_find(reader, root, "operator"),
                *suite = schema_find(reader, root, "suite");
    struct declared_reference *reference = &reading->declared->reference;
    TRY(bind_function(reader, root, "plain", &reference->plain));
    TRY(bind_function(reader, root, "accept", &reference->accept));
    TRY(bind_function(reader, root, "module", &reading->declared->module));
    TRY(bind_function(reader, root, "report", &reference->function));
    TRY(bind_function(reader, root, "random", &reference->random));
    const struct declared_reference own = *reference; // whatever the answer says of it
    if (error) {
        TRY(schema_text(reader, error, "", &sentence));
        return schema_fail(reader, error, "", "%s", sentence);
    }
    if (!op) return schema_fail(reader, root, "", "what it declares was not understood");
    TRY(manifest_bind_operator(reader, op, "", reading->declared, &reading->op));
    *reference = own;
    return suite ? bind_suite(reader, suite, reading) : 0;
}

// JSON is YAML, so that what a file declares is read, and refused, as what a manifest declares.
static int bind_file(const struct schema_reader *reader, const char *answer, struct reading *reading) {
    struct schema_reader inner = *reader;
    yaml_document_t document;
    inner.path = reading->declared->reference.source;
    inner.is_answer = true;
    inner.document = &document;
    TRY(schema_load(answer, strlen(answer), inner.path, &document, reader->err));
    const int code = bind_answer(&inner, yaml_document_get_root_node(&document), reading);
    yaml_document_delete(&document);
    return code;
}

static struct declared_reference file_reference(const struct schema_reader *reader, const char *file) {
    return (struct declared_reference){.source = file, .dir = reader->dir, .function = "reference"};
}

static bool is_file(const yaml_node_t *node) {
    return node->type == YAML_SCALAR_NODE && *node->data.scalar.value;
}

// The file becomes the source of the declaration's reference.
static int find_file(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                     struct declared *declared) {
    const char *file = (const char *)node->data.scalar.value;
    if (!str_ends(file, PYTHON_ENDING))
        return schema_fail(reader, node, key,
                           "is a mapping, or a Python file that declares it, such as 'ops/%s.py', not '%s'",
                           declared->name, str_shown(file).text);
    TRY(schema_text(reader, node, key, &file));
    TRY(manifest_check_source(reader, node, key, file));
    if (!reader->asker)
        return schema_fail(reader, node, key, "is a Python file, and an operator is a mapping here");
    declared->reference = file_reference(reader, file);
    return 0;
}

// One interpreter says what all files declare. ret_answers: in the order of the section, of files alone.
static int ask_files(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                     struct manifest *manifest, const char **ret_answers) {
    const size_t count = schema_pair_count(node);
    const struct declared **files = arena_array(reader->arena, count, sizeof *files);
    size_t file_count = 0;
    for (size_t i = 0; i < count; ++i) {
        struct declared *declared = manifest->declared[i];
        yaml_node_t *value;
        schema_pair(reader, node, i, &declared->name, &value);
        if (!is_file(value)) continue;
        TRY(find_file(reader, value, schema_join(reader, key, declared->name), declared));
        files[file_count++] = declared;
    }
    if (!file_count) return 0;
    return reader->asker->ask(reader->asker, manifest, files, file_count, ret_answers, reader->err);
}

int manifest_bind_operators(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                            void *target) {
    struct manifest *manifest = target;
    TRY(schema_expect_mapping(reader, node, key, OPERATORS_EXAMPLE));
    const size_t count = schema_pair_count(node);
    if (count > DECLARED_OPERATORS_MAX)
        return schema_fail(reader, node, key, "%zu operators, and a manifest has at most %d", count,
                           DECLARED_OPERATORS_MAX);
    struct declared *declared = arena_array(reader->arena, count, sizeof *declared);
    const struct operator_def **made = arena_array(reader->arena, count, sizeof *made);
    const char **answers = arena_array(reader->arena, count, sizeof *answers);
    manifest->declared = arena_array(reader->arena, count, sizeof *manifest->declared);
    for (size_t i = 0; i < count; ++i) manifest->declared[i] = &declared[i];
    TRY(ask_files(reader, node, key, manifest, answers));
    for (size_t i = 0; i < count; ++i) {
        yaml_node_t *value;
        struct reading reading = {.manifest = manifest, .declared = &declared[i]};
        schema_pair(reader, node, i, &declared[i].name, &value);
        if (is_file(value))
            TRY(bind_file(reader, *answers++, &reading));
        else
            TRY(manifest_bind_operator(reader, value, schema_join(reader, key, declared[i].name),
                                       &declared[i], &reading.op));
        made[i] = reading.op;
    }
    manifest->operators = (struct operator_set){made, count};
    return 0;
}

// Where the file lies below the manifest, it is the same file in every revision.
static void place_file(const struct manifest *manifest, const char *file, struct schema_reader *reader,
                       const char **ret_file) {
    char *absolute = path_absolute(file), *dir = path_dir(absolute);
    const size_t length = strlen(manifest->dir);
    const bool is_below = str_starts(absolute, manifest->dir) && absolute[length] == '/';
    reader->dir = is_below ? manifest->dir : arena_strdup(reader->arena, dir);
    *ret_file = arena_strdup(reader->arena, is_below ? absolute + length + 1 : path_base(file));
    free(absolute);
    free(dir);
}

// "19_relu" of "level1/19_ReLU.py".
static const char *operator_name(struct arena *arena, const char *file) {
    const char *base = path_base(file);
    return declared_name_of(arena, base, strlen(base) - strlen(PYTHON_ENDING));
}

int manifest_add_declared(struct manifest *manifest, struct declared *declared, const struct operator_def *op,
                          const struct manifest_suite *suite, struct err *err) {
    const size_t count = manifest->operators.declared_count;
    struct declared **all = arena_array(&manifest->arena, count + 1, sizeof *all);
    if (operator_find(&manifest->operators, op->name))
        return err_set(err, ERR_USAGE, "%s has another operator '%s'; rename that one", manifest->path,
                       op->name);
    for (size_t i = 0; i < count; ++i) all[i] = manifest->declared[i];
    all[count] = declared;
    manifest->declared = all;
    declared_add(&manifest->arena, &manifest->operators, op);
    if (suite) add_suite(manifest, suite);
    return 0;
}

void manifest_add_kernel(struct manifest *manifest, const struct manifest_kernel *kernel) {
    struct manifest_kernel *grown = arena_array(&manifest->arena, manifest->kernel_count + 1, sizeof *grown);
    grown[0] = *kernel;
    for (size_t i = 0; i < manifest->kernel_count; ++i) grown[i + 1] = manifest->kernels[i];
    manifest->kernels = grown;
    ++manifest->kernel_count;
}

int manifest_add_operator(struct manifest *manifest, const char *file, const struct manifest_asker *asker,
                          const char **ret_name, struct err *err) {
    struct schema_reader reader = {
        .path = file, .arena = &manifest->arena, .asker = asker, .is_answer = true, .err = err};
    struct declared *declared = arena_alloc(reader.arena, sizeof *declared);
    struct reading reading = {.manifest = manifest, .declared = declared};
    const struct operator_set before = manifest->operators;
    const char *placed, *answer;
    if (!file_exists(file)) return err_set(err, ERR_NO_INPUT, "%s: there is no such file", file);
    place_file(manifest, file, &reader, &placed);
    *ret_name = declared->name = operator_name(reader.arena, file);
    for (size_t i = 0; i < before.declared_count; ++i) {
        if (!str_equal(before.declared[i]->name, declared->name)) continue;
        if (str_equal(manifest->declared[i]->reference.source, placed)) return 0;
        return err_set(err, ERR_USAGE, "%s: %s has another operator '%s'; rename one of them", file,
                       manifest->path, declared->name);
    }
    declared->reference = file_reference(&reader, placed);
    TRY(asker->ask(asker, manifest, &(const struct declared *){declared}, 1, &answer, err));
    TRY(bind_file(&reader, answer, &reading));
    return manifest_add_declared(manifest, declared, reading.op, NULL, err);
}
