// SPDX-License-Identifier: Apache-2.0
//
// See operator_source.h.
#include "control/flow/operator_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "control/exec/python_declare.h"
#include "control/flow/solution_build.h"
#include "control/plan/dataset/dataset.h"
#include "control/plan/device_kind.h"
#include "control/plan/peer.h"

bool operator_source_is_given(const struct session_options *options) {
    return options->operator_file || options->dataset;
}

// ---- a definition of a set ----

// The workloads as problems of the suite of the operator's name, each with the first part of its uuid; two of
// one problem are one.
static const struct manifest_suite *suite_of(struct arena *arena, const struct dataset_operator *op) {
    struct manifest_suite *suite = arena_alloc(arena, sizeof *suite);
    struct manifest_problem *problems = arena_array(arena, op->workload_count, sizeof *problems);
    *suite = (struct manifest_suite){.name = op->op->name, .problems = problems};
    for (size_t i = 0; i < op->workload_count; ++i) {
        const struct dataset_workload *workload = &op->workloads[i];
        bool is_there = false;
        for (size_t k = 0; k < suite->problem_count; ++k)
            is_there |= str_equal(problems[k].problem, workload->problem);
        if (is_there) continue;
        problems[suite->problem_count++] =
            (struct manifest_problem){.short_name = dataset_short_name(arena, op, i),
                                      .problem = workload->problem,
                                      .distribution = OP_DISTRIBUTION_DEFAULT,
                                      .memory_layout = MEMORY_LAYOUT_DENSE,
                                      .tolerance = workload->tolerance};
    }
    return suite->problem_count ? suite : NULL;
}

static const char *backend_named(const struct session_options *options) {
    const struct device_kind *kind = options->is_device_default ? NULL : device_kind_of(options->device);
    return kind ? kind->backend : NULL;
}

static bool has_solution(const struct dataset *dataset, const char *name) {
    for (size_t i = 0; i < dataset->file_count; ++i)
        if (dataset->files[i].kind == DATASET_SOLUTION && str_equal(dataset->files[i].name, name))
            return true;
    return false;
}

// Those of a list of kernels that are solutions; what else is in it somebody else finds.
static int add_solutions(const struct session_options *options, const struct dataset *dataset,
                         const struct dataset_operator *op, const char *list, struct manifest *manifest,
                         struct err *err) {
    struct dataset_kernel solution;
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);) {
        const char *name = arena_strndup(&manifest->arena, item.text, item.length);
        if (!has_solution(dataset, name) && !str_equal(name, options->solution)) continue;
        if (peer_is_reference(name)) continue;
        TRY(dataset_solution(dataset, op, name, backend_named(options), &solution, err));
        if (solution.is_source) TRY(solution_build(manifest, &manifest->arena, &solution, err));
        manifest_add_kernel(manifest, &solution.kernel);
    }
    return 0;
}

static int add_definition(const struct session_options *options, const char *dir, struct manifest *manifest,
                          const char **ret_name, struct err *err) {
    struct dataset dataset;
    struct dataset_operator *op = arena_alloc(&manifest->arena, sizeof *op); // the declaration points into it
    const struct dataset_file *file;
    TRY(dataset_open(&manifest->arena, dir, &dataset, err));
    TRY(dataset_find(&dataset, DATASET_DEFINITION, options->definition, &file, err));
    TRY(dataset_describe(&dataset, file, options->inputs, op, err));
    TRY(dataset_store(&dataset, op, err));
    TRY(manifest_add_declared(manifest, op->declared, op->op, suite_of(&manifest->arena, op), err));
    *ret_name = op->op->name;
    const char *const lists[] = {options->kernel, options->candidate, options->others};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        TRY(add_solutions(options, &dataset, op, lists[i], manifest, err));
    return 0;
}

// ---- any ----

int operator_source_add(const struct session_options *options, struct manifest *manifest,
                        const char **ret_name, struct err *err) {
    if (options->dataset) return add_definition(options, options->dataset, manifest, ret_name, err);
    if (!options->operator_file) return 0;
    return manifest_add_operator(manifest, options->operator_file, PYTHON_ASKER(NULL), ret_name, err);
}

// What a path of the working tree is in the revision; NULL: it is not there. The caller frees.
static char *path_in_revision(const char *path, const char *here, const char *there) {
    char *absolute = path_absolute(path), *ret = NULL;
    const size_t length = strlen(here);
    if (str_starts(absolute, here) && absolute[length] == '/') ret = path_join(there, absolute + length + 1);
    if (ret && !file_exists(ret)) {
        free(ret);
        ret = NULL;
    }
    free(absolute);
    return ret;
}

int operator_source_add_revision(const struct session_options *options, struct manifest *manifest,
                                 const char *here, const char *there, struct err *err) {
    const char *named = str_or(options->dataset, options->operator_file), *unused;
    char *path = named ? path_in_revision(named, here, there) : NULL;
    int code = 0;
    if (path && options->dataset)
        code = add_definition(options, path, manifest, &unused, err);
    else if (path)
        code = manifest_add_operator(manifest, path, PYTHON_ASKER(here), &unused, err);
    free(path);
    return code;
}

static void add_word(struct strbuf *out, const char *option, const char *value) {
    if (!value) return;
    strbuf_addf(out, "%s ", option);
    strbuf_add_shell_word(out, value);
    strbuf_add_char(out, ' ');
}

void operator_source_add_words(const struct session_options *options, struct strbuf *out) {
    add_word(out, "--dataset", options->dataset);
    add_word(out, "--definition", options->definition);
    add_word(out, "--input", options->inputs);
    if (!options->operator_file) return;
    strbuf_add_shell_word(out, options->operator_file);
    strbuf_add_char(out, ' ');
}
