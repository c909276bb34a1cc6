// SPDX-License-Identifier: Apache-2.0
//
// Criterion.rs's sample.json: how many iterations each sample has, and how long all of them took, in ns. The
// file has no name of its own; both files of a comparison have the same one. A folder, target/criterion,
// holds a new/sample.json for each benchmark, whose name is the path to it.
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "format/external_format.h"
#include "format/format.h"
#include "record/field.h"

#define NAME      "criterion"
#define FOLDERS   "criterion_samples" // our document of a folder
#define DEPTH_MAX 16

static bool is_sample(const json_t *root) {
    return json_is_array(json_object_get(root, "iters")) && json_is_array(json_object_get(root, "times"));
}

static bool is_mine(const json_t *root) {
    return is_sample(root) || json_is_array(json_object_get(root, FOLDERS));
}

static int add_samples(const struct json_at *at, const char *name, struct result *result, struct err *err) {
    const json_t *iterations = NULL, *times = NULL;
    size_t iteration_count = 0, count = 0;
    TRY(field_get_items(at, "iters", EXTERNAL_TIMES_MAX, &iterations, &iteration_count, err));
    TRY(field_get_items(at, "times", EXTERNAL_TIMES_MAX, &times, &count, err));
    if (iteration_count != count)
        return err_set(err, ERR_DATA, "%s: %zu times of %zu counts of iterations", at->where, count,
                       iteration_count);
    struct result_case *item = external_case_add(result, name, count);
    for (size_t i = 0; i < count; ++i) {
        const double launches = json_number_value(json_array_get(iterations, i));
        const double time_ns = json_number_value(json_array_get(times, i));
        external_mean_add(item, time_ns / launches, launches,
                          "one of its samples has no time, or no iterations");
    }
    return 0;
}

static int sample_parse(const struct json_at *at, struct result *result, struct err *err) {
    return add_samples(at, "benchmark", result, err);
}

static int named_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *name = NULL;
    const json_t *sample = NULL;
    struct field_place place;
    TRY(json_get_string(at, "name", &name, err));
    TRY(json_get_object(at, "sample", &sample, err));
    field_enter(&place, at, "sample", sample);
    return add_samples(&place.at, name, result, err);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return is_sample(source->root) ? external_read(NAME, source, NULL, sample_parse, ret, err)
                                   : external_read(NAME, source, FOLDERS, named_parse, ret, err);
}

// ---- a folder ----

struct tree {
    const char *root;
    struct json_writer w;
    size_t count;
};

static int add_file(struct tree *tree, const char *name, const char *path, struct err *err) {
    json_t *sample = NULL;
    TRY(json_read_file(path, &sample, err));
    int code = 0;
    if (!is_sample(sample)) code = err_set(err, ERR_DATA, "%s: this is no sample.json of Criterion", path);
    if (code == 0 && ++tree->count > RESULT_CASES_MAX)
        code = err_set(err, ERR_DATA, "%s: more than %d benchmarks", tree->root, RESULT_CASES_MAX);
    if (code == 0) {
        json_object_begin(&tree->w, NULL);
        json_write_string(&tree->w, "name", name);
        json_write_value(&tree->w, "sample", sample);
        json_object_end(&tree->w);
    }
    json_decref(sample);
    return code;
}

static int keep_folders(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int add_tree(struct tree *tree, const char *name, const char *path, size_t depth, struct err *err);

// Symbolic links are not followed.
static int add_entry(struct tree *tree, const char *name, const char *path, const char *entry, size_t depth,
                     struct err *err) {
    char *below = path_join(path, entry), *full = mem_format("%s%s%s", name, *name ? "/" : "", entry);
    struct stat status;
    int code = 0;
    if (lstat(below, &status) == 0 && S_ISDIR(status.st_mode))
        code = add_tree(tree, full, below, depth + 1, err);
    free(below);
    free(full);
    return code;
}

// Benchmarks in the order of their names.
static int add_tree(struct tree *tree, const char *name, const char *path, size_t depth, struct err *err) {
    char *sample = path_join(path, "new/sample.json");
    struct dirent **entries = NULL;
    int code = file_exists(sample) ? add_file(tree, *name ? name : "benchmark", sample, err) : 0;
    const int count = depth < DEPTH_MAX ? scandir(path, &entries, keep_folders, alphasort) : 0;
    for (int i = 0; i < count; ++i) {
        if (code == 0) code = add_entry(tree, name, path, entries[i]->d_name, depth, err);
        free(entries[i]);
    }
    free(entries);
    free(sample);
    return code;
}

static int from_folder(const char *path, struct strbuf *ret_json, struct err *err) {
    struct tree tree = {.root = path, .w = json_writer_make(ret_json, 0)};
    char *sample = path_join(path, "sample.json");
    json_object_begin(&tree.w, NULL);
    json_array_begin(&tree.w, FOLDERS);
    int code =
        file_exists(sample) ? add_file(&tree, "benchmark", sample, err) : add_tree(&tree, "", path, 0, err);
    json_array_end(&tree.w);
    json_object_end(&tree.w);
    free(sample);
    if (code == 0 && !tree.count)
        code = err_set(err, ERR_NO_INPUT,
                       "cannot read '%s': it is a folder, not a file, and none of Criterion's: there is no "
                       "new/sample.json below it",
                       path);
    return code;
}

const struct format format_criterion = {
    .name = NAME,
    .title = "a sample.json of Criterion",
    .summary = "Criterion.rs's folder target/criterion, or one sample.json of it",
    .is_mine = is_mine,
    .read = read_document,
    .from_folder = from_folder,
};
