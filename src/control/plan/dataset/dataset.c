// SPDX-License-Identifier: Apache-2.0
//
// See dataset.h: which files a set has, and a definition of it as an operator.
#include "control/plan/dataset/dataset.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define FILES_MAX    200000
#define DEPTH_MAX    16
#define KNOWN_SHOWN  8
#define DEFINITION   "definition.json" // of a folder that holds one
#define JSON_ENDING  ".json"
#define LINES_ENDING ".jsonl"

// ---- the folder ----

static bool has_part(const char *path, const char *part) {
    const size_t length = strlen(part);
    for (const char *at = path; (at = strstr(at, part)); ++at)
        if ((at == path || at[-1] == '/') && at[length] == '/') return true;
    return false;
}

// What a file is, by its path below the set; false: something else.
static bool kind_of(const char *path, enum dataset_kind *ret) {
    const char *base = path_base(path);
    if (str_ends(path, LINES_ENDING)) {
        *ret = DATASET_WORKLOADS;
        return has_part(path, "workloads") || str_starts(base, "workload");
    }
    if (!str_ends(path, JSON_ENDING)) return false;
    *ret =
        has_part(path, "definitions") || str_equal(base, DEFINITION) ? DATASET_DEFINITION : DATASET_SOLUTION;
    return *ret == DATASET_DEFINITION || has_part(path, "solutions") || str_starts(base, "solution");
}

struct walk {
    struct dataset *dataset;
    size_t capacity, seen;
};

static void add_file(struct walk *walk, const char *path, enum dataset_kind kind) {
    struct dataset *dataset = walk->dataset;
    if (dataset->file_count == walk->capacity) {
        walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
        struct dataset_file *grown = arena_array(dataset->arena, walk->capacity, sizeof *grown);
        for (size_t i = 0; i < dataset->file_count; ++i) grown[i] = dataset->files[i];
        dataset->files = grown;
    }
    dataset->files[dataset->file_count++] =
        (struct dataset_file){.path = arena_strdup(dataset->arena, path), .kind = kind};
}

static int add_folder(struct walk *walk, const char *below, int depth, struct err *err) {
    struct arena *arena = walk->dataset->arena;
    const char *path = *below ? arena_format(arena, "%s/%s", walk->dataset->dir, below) : walk->dataset->dir;
    struct dirent **entries;
    const int count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : 0;
    int code = 0;
    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;
        const char *inner = arena_format(arena, "%s%s%s", below, *below ? "/" : "", name);
        enum dataset_kind kind;
        if (code < 0 || *name == '.') {
        } else if (++walk->seen > FILES_MAX) {
            code = err_set(err, ERR_DATA, "%s: more than %d files; name the folder of a set",
                           walk->dataset->dir, FILES_MAX);
        } else if (entries[i]->d_type == DT_DIR) {
            code = add_folder(walk, inner, depth + 1, err);
        } else if (kind_of(inner, &kind)) {
            add_file(walk, arena_format(arena, "%s/%s", path, name), kind);
        }
        free(entries[i]);
    }
    if (count > 0) free(entries);
    return code;
}

// ---- names ----

static const char *text_member(struct arena *arena, const json_t *root, const char *key) {
    return arena_strdup(arena, json_string_value(json_object_get(root, key)));
}

// The first line tells of which definition all are.
static void name_workloads(struct arena *arena, struct dataset_file *file) {
    struct file_input input;
    char *line = mem_alloc(FILE_CHUNK_BYTES + 1);
    size_t count = 0;
    json_t *root = NULL;
    if (file_open(file->path, JSON_DOCUMENT_BYTES_MAX, &input, NULL) == 0) {
        if (file_next(&input, line, FILE_CHUNK_BYTES, &count, NULL) < 0) count = 0;
        file_close(&input);
    }
    line[count] = 0;
    if (json_read_text(line, strcspn(line, "\n"), file->path, &root, NULL) == 0)
        file->definition = text_member(arena, root, "definition");
    json_decref(root);
    free(line);
}

static void name_file(struct arena *arena, struct dataset_file *file) {
    json_t *root = NULL;
    if (file->kind == DATASET_WORKLOADS) {
        name_workloads(arena, file);
    } else if (json_read_file(file->path, &root, NULL) == 0) {
        file->name = text_member(arena, root, "name");
        if (file->kind == DATASET_SOLUTION) file->definition = text_member(arena, root, "definition");
        json_decref(root);
    }
}

int dataset_open(struct arena *arena, const char *dir, struct dataset *ret, struct err *err) {
    char *absolute = path_absolute(dir);
    *ret = (struct dataset){.arena = arena, .dir = arena_strdup(arena, absolute)};
    struct walk walk = {.dataset = ret};
    size_t definitions = 0;
    free(absolute);
    if (!file_is_dir(ret->dir))
        return err_set(err, ERR_NO_INPUT, "%s: there is no such folder; --dataset names that of a set", dir);
    TRY(add_folder(&walk, "", 0, err));
    for (size_t i = 0; i < ret->file_count; ++i) {
        name_file(arena, &ret->files[i]);
        definitions += ret->files[i].kind == DATASET_DEFINITION;
    }
    if (definitions) return 0;
    return err_set(err, ERR_DATA,
                   "%s: there is no definition; a set has definitions/**/*.json, or " DEFINITION
                   " in the folder of each",
                   dir);
}

static bool is_named(const struct dataset_file *file, enum dataset_kind kind, const char *name) {
    if (file->kind != kind) return false;
    const char *base = path_base(file->path);
    const size_t length = strlen(name);
    return str_equal(file->name, name) ||
           (!file->name && str_starts(base, name) && str_equal(base + length, JSON_ENDING));
}

int dataset_find(const struct dataset *dataset, enum dataset_kind kind, const char *name,
                 const struct dataset_file **ret, struct err *err) {
    const char *what = kind == DATASET_SOLUTION ? "solution" : "definition";
    const char **known = mem_alloc((dataset->file_count + 1) * sizeof *known);
    size_t count = 0;
    int code = 0;
    *ret = NULL;
    for (size_t i = 0; i < dataset->file_count && !*ret; ++i) {
        if (is_named(&dataset->files[i], kind, name)) *ret = &dataset->files[i];
        if (dataset->files[i].kind == kind && dataset->files[i].name) known[count++] = dataset->files[i].name;
    }
    const char *nearest = *ret ? NULL : str_nearest(name, known, count);
    if (!*ret)
        code = err_set(err, ERR_USAGE, "%s: there is no %s '%s'%s%s%s", dataset->dir, what,
                       str_shown(name).text, nearest ? ", did you mean '" : "", str_or(nearest, ""),
                       nearest ? "'?" : "; 'assay list --dataset' shows what there is");
    free(known);
    return code;
}

// ---- an operator ----

static int declare(struct arena *arena, struct dataset_operator *ret, struct err *err) {
    struct err why = {0};
    ret->declared = arena_alloc(arena, sizeof *ret->declared);
    TRY(definition_declare(arena, &ret->definition, ret->declared, err));
    if (declared_make(arena, ret->declared, &ret->op, &why) == 0) return 0;
    return err_set(err, ERR_DATA, "%s", why.text);
}

static int describe(const struct dataset *dataset, const struct dataset_file *file, const json_t *root,
                    const char *given, struct dataset_operator *ret, struct err *err) {
    struct arena *arena = dataset->arena;
    TRY(definition_read(arena, &(struct json_at){root, file->path}, &ret->definition, err));
    TRY(dataset_read_workloads(dataset, file, ret, err));
    TRY(definition_explain(arena, &ret->definition, given, err));
    TRY(declare(arena, ret, err));
    dataset_name_workloads(dataset, ret);
    return 0;
}

int dataset_describe(const struct dataset *dataset, const struct dataset_file *file, const char *given,
                     struct dataset_operator *ret, struct err *err) {
    json_t *root = NULL;
    struct err why = {0};
    *ret = (struct dataset_operator){0};
    int code = json_read_file(file->path, &root, err);
    if (code < 0) return code;
    code = describe(dataset, file, root, given, ret, &why);
    json_decref(root);
    if (code == 0 || str_starts(why.text, file->path))
        return code < 0 ? err_set(err, why.code, "%s", why.text) : 0;
    return err_set(err, why.code, "%s: %s", str_or(file->name, file->path), why.text);
}
