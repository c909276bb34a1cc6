// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of a set: a definition, workloads, a solution, a safetensors file. Each is read, or
// refused with a sentence.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/plan/dataset/dataset.h"
#include "control/plan/dataset/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char definition_text[] =
    "{\"name\": \"one\", \"axes\": {\"n\": {\"type\": \"var\"}, \"k\": {\"type\": \"expr\", \"expression\": "
    "\"n // 2\"}}, \"custom_inputs_entrypoint\": \"make\", \"inputs\": {\"x\": {\"shape\": [\"n\"], "
    "\"dtype\": "
    "\"float32\"}, \"ids\": {\"shape\": [\"n\"], \"dtype\": \"int32\"}, \"eps\": {\"shape\": null, "
    "\"dtype\": "
    "\"float32\"}}, \"outputs\": {\"y\": {\"shape\": [\"n\"], \"dtype\": \"float32\"}}, \"reference\": \"\"}";

static char folder[64]; // definition/definition.json: the bytes; others/: the definition above, and the bytes

static void clean_up(void) {
    (void)file_remove_tree(folder, NULL);
}

static void put(const char *name, const void *bytes, size_t count) {
    char *path = path_join(folder, name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes, 1, count, out) != count || fclose(out) != 0) abort();
    free(path);
}

static void set_up(void) {
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/assay-fuzz-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) abort();
    char *definition = path_join(folder, "definition"), *others = path_join(folder, "others");
    if (file_make_dirs(definition, NULL) < 0 || file_make_dirs(others, NULL) < 0) abort();
    if (setenv("XDG_CACHE_HOME", folder, 1) != 0) abort();
    put("others/definition.json", definition_text, strlen(definition_text));
    free(definition);
    free(others);
    atexit(clean_up);
}

static void check(int code, const struct err *err) {
    if (code < 0 && !*err->text) abort();
}

static void read_set(const char *name) {
    struct arena arena = {0};
    struct dataset dataset;
    struct dataset_operator op;
    struct err err = {0};
    char *dir = path_join(folder, name);
    int code = dataset_open(&arena, dir, &dataset, &err);
    check(code, &err);
    for (size_t i = 0; code == 0 && i < dataset.file_count; ++i) {
        struct err why = {0};
        struct dataset_kernel kernel;
        if (dataset.files[i].kind != DATASET_DEFINITION) continue;
        const int made = dataset_describe(&dataset, &dataset.files[i], "ids=below(n)", &op, &why);
        check(made, &why);
        for (size_t k = 0; made == 0 && k < dataset.file_count; ++k) {
            struct err fault = {0};
            if (dataset.files[k].kind == DATASET_SOLUTION && dataset.files[k].name)
                check(dataset_solution(&dataset, &op, dataset.files[k].name, NULL, &kernel, &fault), &fault);
        }
    }
    arena_fini(&arena);
    free(dir);
}

static void find_tensor(const uint8_t *bytes, size_t count) {
    const int64_t shape[] = {3};
    const struct safetensors_want want = {"ids", ASSAY_INT32, 1, shape};
    struct safetensors_bytes found;
    struct err err = {0};
    char *copy = mem_alloc(count + 1);
    memcpy(copy, bytes, count);
    const int code = safetensors_find(&(struct safetensors_bytes){copy, count}, "file", &want, &found, &err);
    check(code, &err);
    if (code == 0 && (found.count != 12 || found.bytes < copy || found.bytes + 12 > copy + count)) abort();
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (!*folder) set_up();
    put("definition/definition.json", bytes, count);
    put("others/workload.jsonl", bytes, count);
    put("others/solution.json", bytes, count);
    read_set("definition");
    read_set("others");
    find_tensor(bytes, count);
    return 0;
}
