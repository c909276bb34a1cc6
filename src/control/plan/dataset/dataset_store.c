// SPDX-License-Identifier: Apache-2.0
//
// What of a set has to be a file for an interpreter: the reference's text, with a function `inputs` where
// a workload brings tensors (peers/assay_dataset.py), and those tensors. A folder in the cache, named
// after what it holds, so that a run finds the same files when it is resumed.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/sha256.h"
#include "control/plan/dataset/dataset.h"
#include "control/plan/dataset/safetensors.h"
#include "op/declared/tensor_spec.h"
#include "op/dtype.h"

#define FOLDER       "datasets" // of the cache
#define FOLDER_BYTES 16         // of its name's hash

// ---- a folder ----

static int write_files(const char *dir, const struct dataset_text *files, size_t count, struct err *err) {
    int code = 0;
    for (size_t i = 0; i < count && code == 0; ++i) {
        char *path = path_join(dir, files[i].path), *parent = path_dir(path);
        code = file_make_dirs(parent, err);
        if (code == 0) code = file_write_atomic(path, files[i].text, files[i].length, err);
        free(path);
        free(parent);
    }
    return code;
}

int dataset_write(struct arena *arena, const struct dataset_text *files, size_t count, const char **ret_dir,
                  struct err *err) {
    struct sha256 sha = sha256_make();
    char hex[SHA256_HEX_BYTES];
    for (size_t i = 0; i < count; ++i) {
        sha256_add_text(&sha, files[i].path);
        sha256_add_u64(&sha, files[i].length);
        sha256_add(&sha, files[i].text, files[i].length);
    }
    sha256_hex(sha, hex);
    char *cache = path_cache_dir();
    *ret_dir = arena_format(arena, "%s/" FOLDER "/%.*s", cache, FOLDER_BYTES, hex);
    const char *stage = arena_format(arena, "%s.%ld", *ret_dir, (long)getpid());
    free(cache);
    TRY(file_check_cache(err));
    if (file_is_dir(*ret_dir)) return 0;
    int code = write_files(stage, files, count, err);
    // Who made it at the same time made the same.
    if (code == 0 && rename(stage, *ret_dir) < 0 && !file_is_dir(*ret_dir))
        code = err_set_errno(err, ERR_CREATE, "cannot create '%s'", *ret_dir);
    (void)file_remove_tree(stage, NULL);
    return code;
}

// ---- tensors that a workload brings ----

struct bundle {
    const struct dataset *dataset;
    const struct dataset_operator *op;
    struct dataset_text *files;
    size_t count;
};

static size_t tensor_place(const struct dataset_operator *op, size_t tensor) {
    size_t place = 0;
    while (!str_equal(op->declared->tensors[place].name, op->definition.tensors[tensor].name)) ++place;
    return place;
}

// ERR_DATA: the file has not what the workload says.
static int add_data(struct bundle *bundle, const struct dataset_workload *workload,
                    const struct dataset_data *data, const char **ret_name, struct err *err) {
    struct arena *arena = bundle->dataset->arena;
    const struct operator_set set = {&bundle->op->op, 1};
    struct problem problem;
    struct problem_abi abi;
    struct safetensors_bytes file, found;
    char *text;
    TRY(problem_parse(&set, workload->problem, &problem, err));
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    const struct assay_tensor *tensor = &abi.tensors[tensor_place(bundle->op, data->tensor)];
    const struct safetensors_want want = {data->key, tensor->dtype, (uint32_t)tensor->dim_count,
                                          tensor->shape};
    TRY(file_read(data->path, SAFETENSORS_BYTES_MAX, &text, &file.count, err));
    file.bytes = text;
    const int code = safetensors_find(&file, data->path, &want, &found, err);
    if (code == 0) {
        char *copy = arena_alloc(arena, found.count);
        memcpy(copy, found.bytes, found.count);
        *ret_name = arena_format(arena, "%zu.bin", bundle->count);
        bundle->files[bundle->count++] = (struct dataset_text){*ret_name, copy, found.count};
    }
    free(text);
    return code;
}

static int write_workload(struct bundle *bundle, const struct dataset_workload *workload,
                          struct json_writer *w, struct err *err) {
    const struct dataset_operator *op = bundle->op;
    const char *name;
    json_object_begin(w, NULL);
    json_write_string(w, "numbers", str_or(workload->numbers, ""));
    json_object_begin(w, "files");
    for (size_t i = 0; i < workload->data_count; ++i) {
        TRY(add_data(bundle, workload, &workload->data[i], &name, err));
        json_write_string(w, op->definition.tensors[workload->data[i].tensor].name, name);
    }
    json_object_end(w);
    json_object_end(w);
    return 0;
}

// Of each tensor its type and sizes, and what fills it where no workload brings it.
static int write_tensors(const struct dataset_operator *op, struct arena *arena, struct json_writer *w,
                         struct err *err) {
    json_object_begin(w, "tensors");
    for (size_t i = 0; i < op->definition.tensor_count; ++i) {
        const struct definition_tensor *tensor = &op->definition.tensors[i];
        struct tensor_spec spec;
        if (!tensor->is_made) continue;
        const char *bare = op->declared->tensors[tensor_place(op, i)].spec;
        const char *text = arena_format(arena, "%.*s %s", (int)(strchr(bare, ']') + 1 - bare), bare,
                                        str_or(tensor->family, ""));
        TRY(tensor_spec_parse(arena, text, ASSAY_IN, &spec, err));
        json_object_begin(w, tensor->name);
        json_write_string(w, "dtype", dtype_name(spec.dtype));
        json_write_string(w, "family",
                          tensor->routing  ? "routing"
                          : tensor->family ? fill_family_name(spec.family)
                                           : "");
        json_array_begin(w, "sizes");
        for (uint32_t d = 0; d < spec.dim_count; ++d) json_write_string(w, NULL, spec.sizes[d]);
        json_array_end(w);
        json_array_begin(w, "arguments");
        if (tensor->routing) json_write_string(w, NULL, tensor->routing);
        for (size_t a = 0; a < spec.argument_count; ++a) json_write_string(w, NULL, spec.arguments[a]);
        json_array_end(w);
        json_object_end(w);
    }
    json_object_end(w);
    return 0;
}

// The function by which the reference's process makes inputs (op/declared/made_inputs.h).
static void add_function(const struct dataset_operator *op, struct strbuf *out) {
    const struct declared *declared = op->declared;
    struct strbuf names = {0}, consts = {0};
    for (size_t i = 0; i < declared->axis_count; ++i) comma_add(&names, declared->axes[i].name);
    for (size_t i = 0; i < declared->scalar_count; ++i) comma_add(&names, declared->scalars[i].name);
    for (size_t i = 0; i < op->definition.axis_count; ++i)
        if (*op->definition.axes[i].stands == '(')
            comma_addf(&consts, "\"%s\": %s", op->definition.axes[i].name, op->definition.axes[i].size);
    strbuf_addf(out, "\n\ndef inputs(%s):  # made by assay, of the workloads\n", strbuf_text(&names));
    strbuf_addf(out, "    numbers = {**{%s}, **locals()}\n    import assay_dataset\n", strbuf_text(&consts));
    strbuf_addf(out, "    return assay_dataset.inputs(globals(), numbers, %s)\n",
                str_or(op->definition.make_inputs, "None"));
    strbuf_fini(&names);
    strbuf_fini(&consts);
}

// What says of drawn results whether they are right.
static void add_accept(const struct definition *definition, struct strbuf *out) {
    struct strbuf names[2] = {{0}};
    for (size_t i = 0; i < definition->tensor_count; ++i)
        comma_addf(&names[definition->tensors[i].is_output], "\"%s\"", definition->tensors[i].name);
    strbuf_addf(
        out,
        "\n\ndef " DEFINITION_ACCEPT "(inputs, outputs, expected):  # made by assay\n"
        "    import assay_drawn\n    global assay_accepts\n"
        "    assay_accepts = globals().get(\"assay_accepts\") or assay_drawn.Accept(run, [%s], [%s])\n"
        "    return assay_accepts(inputs, outputs, expected)\n",
        strbuf_text(&names[0]), strbuf_text(&names[1]));
    for (int i = 0; i < 2; ++i) strbuf_fini(&names[i]);
}

static bool makes_inputs(const struct definition *definition) {
    for (size_t i = 0; i < definition->tensor_count; ++i)
        if (definition->tensors[i].is_made) return true;
    return false;
}

static int write_bundle(struct bundle *bundle, struct strbuf *spec, struct err *err) {
    struct json_writer w = json_writer_make(spec, 0);
    json_object_begin(&w, NULL);
    TRY(write_tensors(bundle->op, bundle->dataset->arena, &w, err));
    json_array_begin(&w, "workloads");
    for (size_t i = 0; i < bundle->op->workload_count; ++i)
        if (bundle->op->workloads[i].data_count)
            TRY(write_workload(bundle, &bundle->op->workloads[i], &w, err));
    json_array_end(&w);
    json_object_end(&w);
    return 0;
}

int dataset_store(const struct dataset *dataset, struct dataset_operator *op, struct err *err) {
    struct arena *arena = dataset->arena;
    struct strbuf source = {0}, spec = {0};
    size_t most = 2;
    for (size_t i = 0; i < op->workload_count; ++i) most += op->workloads[i].data_count;
    struct bundle bundle = {dataset, op, arena_array(arena, most, sizeof *bundle.files), 0};
    const char *name = arena_format(arena, "%s.py", op->op->name);
    int code = 0;
    strbuf_addf(&source, "%s\n", op->definition.reference);
    if (makes_inputs(&op->definition)) {
        add_function(op, &source);
        code = write_bundle(&bundle, &spec, err);
        bundle.files[bundle.count++] = (struct dataset_text){"inputs.json", strbuf_text(&spec), spec.length};
    }
    if (definition_is_drawn(&op->definition)) add_accept(&op->definition, &source);
    bundle.files[bundle.count++] = (struct dataset_text){name, strbuf_text(&source), source.length};
    if (code == 0) code = dataset_write(arena, bundle.files, bundle.count, &op->declared->reference.dir, err);
    op->declared->reference.source = name;
    strbuf_fini(&source);
    strbuf_fini(&spec);
    return code;
}
