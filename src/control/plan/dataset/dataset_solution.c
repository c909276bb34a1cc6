// SPDX-License-Identifier: Apache-2.0
//
// A solution of a set: source files in a document, of which one has the function that is the kernel.
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "control/plan/dataset/dataset.h"

#define SOURCES_MAX 256
#define GPU         "cuda"
#define PROCESSOR   "cpu"

static const char *const python_words[] = {"python",   "pytorch", "triton",        "tilelang",
                                           "cute_dsl", "cutile",  "cudnn_frontend"};
static const char *const gpu_words[] = {"triton", "tilelang", "cute_dsl", "cutile", "cudnn_frontend", "cuda"};
static const char *const source_words[] = {"cpp", "c++", "cuda"};
static const char *const source_endings[] = {".cpp", ".cc", ".cxx", ".c", ".cu"};

static bool is_one_of(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (str_equal(words[i], word)) return true;
    return false;
}
#define IS_ONE_OF(word, words) is_one_of((word), (words), sizeof(words) / sizeof *(words))

// ---- sources ----

struct sources {
    struct dataset_text *files;
    size_t count;
};

static int read_sources(struct arena *arena, const struct json_at *at, struct sources *ret, struct err *err) {
    struct dataset_text *files = arena_array(arena, SOURCES_MAX, sizeof *files);
    const json_t *list, *item;
    size_t i;
    TRY(json_get_array(at, "sources", &list, err));
    if (!json_array_size(list) || json_array_size(list) > SOURCES_MAX)
        return err_set(err, ERR_DATA, "%s: %zu sources, and a solution has 1 to %d", at->where,
                       json_array_size(list), SOURCES_MAX);
    json_array_foreach(list, i, item) {
        const struct json_at here = {item, at->where};
        const char *path, *content;
        TRY(json_get_string(&here, "path", &path, err));
        TRY(json_get_string(&here, "content", &content, err));
        if (!*path || path_leads_out(path) || str_ends(path, "/"))
            return err_set(err, ERR_DATA, "%s: the source '%s' leads out of the solution's folder", at->where,
                           str_shown(path).text);
        for (size_t k = 0; k < i; ++k)
            if (str_equal(files[k].path, path))
                return err_set(err, ERR_DATA, "%s: the source '%s' is there twice", at->where,
                               str_shown(path).text);
        const char *text = arena_strdup(arena, content);
        files[i] = (struct dataset_text){arena_strdup(arena, path), text, strlen(text)};
    }
    *ret = (struct sources){files, json_array_size(list)};
    return 0;
}

// ---- what kind of kernel it is ----

// `language`, or the first of `languages`.
static int read_language(const struct json_at *spec, const char **ret, struct err *err) {
    const json_t *list = NULL;
    TRY(json_find_array(spec, "languages", &list, err));
    const json_t *first = json_array_get(list, 0);
    if (json_is_string(first)) {
        *ret = json_string_value(first);
        return 0;
    }
    return json_get_string(spec, "language", ret, err);
}

// What is compiled, and by what: only PyTorch's binding is.
static int read_binding(const struct json_at *spec, const char *language, struct err *err) {
    const char *binding = "tvm-ffi";
    TRY(json_find_string(spec, "binding", &binding, err));
    if (IS_ONE_OF(language, source_words) && str_equal(binding, "torch")) return 0;
    if (!IS_ONE_OF(language, source_words))
        return err_set(err, ERR_UNAVAILABLE,
                       "%s: a solution in '%s' cannot be run; languages are python, pytorch, triton, "
                       "tilelang, cute_dsl, cutile, cudnn_frontend, cpp and cuda",
                       spec->where, str_shown(language).text);
    return err_set(err, ERR_UNAVAILABLE,
                   "%s: a solution in '%s' with the binding '%s' is built by a package that assay does not "
                   "use; write \"binding\": \"torch\", or name a built library with 'call' in a manifest",
                   spec->where, str_shown(language).text, str_shown(binding).text);
}

// Hardware decides for a language that runs everywhere.
static const char *backend_of(const struct json_at *spec, const char *language) {
    const json_t *list = json_object_get(spec->value, "target_hardware"), *item;
    size_t i;
    if (IS_ONE_OF(language, gpu_words)) return GPU;
    json_array_foreach(list, i, item) {
        const char *word = str_or(json_string_value(item), "");
        if (str_equal(word, "cpu") || str_equal(word, "CPU")) return PROCESSOR;
    }
    return json_array_size(list) ? GPU : PROCESSOR;
}

// Parameters go by position: inputs, then outputs where the function takes those.
static const char *order_of(struct arena *arena, const struct definition *definition, bool takes_outputs) {
    struct strbuf list = {0};
    for (size_t i = 0; i < definition->tensor_count; ++i)
        if (!definition->tensors[i].is_output || takes_outputs) comma_add(&list, definition->tensors[i].name);
    const char *ret = arena_strdup(arena, strbuf_text(&list));
    strbuf_fini(&list);
    return ret;
}

static bool has_ending(const char *path, const char *const *endings, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (str_ends(path, endings[i])) return true;
    return false;
}

// "src/main.py::run": the file, and the function.
static int read_entry(struct arena *arena, const struct json_at *spec, const struct sources *sources,
                      struct dataset_kernel *ret, const char **ret_path, struct err *err) {
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    static const char *const python[] = {".py"};
    const char *entry;
    TRY(json_get_string(spec, "entry_point", &entry, err));
    const char *middle = strstr(entry, "::");
    const char *path = middle ? arena_strndup(arena, entry, (size_t)(middle - entry)) : entry;
    bool is_there = ret->is_source
                        ? has_ending(path, source_endings, sizeof source_endings / sizeof *source_endings)
                        : has_ending(path, python, 1);
    bool is_file = false;
    for (size_t i = 0; i < sources->count; ++i) is_file |= str_equal(sources->files[i].path, path);
    const char *name = middle ? middle + 2 : "";
    is_there =
        is_there && is_file && *name && !name[strspn(name, signs)] && (!ret->is_source || !strchr(name, '.'));
    if (!is_there)
        return err_set(err, ERR_DATA,
                       "%s: the entry point '%s' is no 'FILE%s::FUNCTION' with a file of the sources",
                       spec->where, str_shown(entry).text, ret->is_source ? ".cpp" : ".py");
    *ret_path = path;
    ret->function = arena_strdup(arena, name);
    return 0;
}

// "src/main.py" as "src.main".
static int module_of(struct arena *arena, const struct json_at *spec, const char *path, const char **ret,
                     struct err *err) {
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    char *module = arena_strndup(arena, path, strlen(path) - strlen(".py"));
    for (char *c = module; *c; ++c)
        if (*c == '/') *c = '.';
    if (module[strspn(module, signs)])
        return err_set(err, ERR_DATA, "%s: '%s' is no name of a module in Python", spec->where,
                       str_shown(path).text);
    *ret = module;
    return 0;
}

static int read_solution(const struct dataset *dataset, const struct dataset_operator *op,
                         const struct json_at *at, const char *backend, struct dataset_kernel *ret,
                         struct err *err) {
    struct arena *arena = dataset->arena;
    struct sources sources = {0};
    const json_t *member;
    const char *language, *path = NULL, *module = NULL;
    bool takes_outputs = true;
    TRY(json_get_object(at, "spec", &member, err));
    const struct json_at spec = {member, at->where};
    TRY(read_language(&spec, &language, err));
    ret->is_source = !IS_ONE_OF(language, python_words);
    ret->is_cuda = str_equal(language, "cuda");
    if (ret->is_source) TRY(read_binding(&spec, language, err));
    TRY(json_find_bool(&spec, "destination_passing_style", &takes_outputs, err));
    TRY(read_sources(arena, at, &sources, err));
    TRY(read_entry(arena, &spec, &sources, ret, &path, err));
    if (!ret->is_source) TRY(module_of(arena, &spec, path, &module, err));
    TRY(dataset_write(arena, sources.files, sources.count, &ret->kernel.dir, err));
    ret->order = order_of(arena, &op->definition, takes_outputs);
    ret->kernel.python = arena_format(arena, "%s:%s(%s)", str_or(module, ""), ret->function, ret->order);
    ret->kernel.backend =
        backend && !ret->is_cuda ? arena_strdup(arena, backend) : backend_of(&spec, language);
    return 0;
}

int dataset_solution(const struct dataset *dataset, const struct dataset_operator *op, const char *name,
                     const char *backend, struct dataset_kernel *ret, struct err *err) {
    const struct dataset_file *file;
    json_t *root = NULL;
    TRY(dataset_find(dataset, DATASET_SOLUTION, name, &file, err));
    if (!str_equal(file->definition, op->definition.name))
        return err_set(err, ERR_USAGE, "the solution '%s' is one of '%s', not of '%s'", name,
                       str_shown(str_or(file->definition, "no definition")).text, op->definition.name);
    TRY(json_read_file(file->path, &root, err));
    *ret = (struct dataset_kernel){
        .kernel = {.name = file->name, .op = op->op->name, .summary = "a solution of the set"}};
    const int code = read_solution(dataset, op, &(struct json_at){root, file->path}, backend, ret, err);
    json_decref(root);
    return code;
}
