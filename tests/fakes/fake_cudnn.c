// SPDX-License-Identifier: Apache-2.0
//
// libfake_cudnn.so: cuDNN's backend API as far as the peer "cudnn" uses it, in memory. It keeps the
// attributes that are set, rejects what the real library would reject (an operation without all its parts, a
// graph of no operations, a pack that lacks a tensor that the graph reads), and executes nothing. FAKE_CUDNN:
// "version=91900,refuse=A,refuse_graph,no_handle".
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK             0
#define BAD_PARAM      2000
#define NOT_SUPPORTED  3000
#define ATTRIBUTES_MAX 16
#define TENSOR         17
#define ENGINE         2
#define CONFIG         3
#define HEURISTICS     4
#define PLAN           5
#define PACK           16
#define GRAPH          15

// Declares and defines a function under NVIDIA's name, because NVIDIA's header is not used.
#define API(type, name, parameters)                                                                          \
    __attribute__((visibility("default"))) type name parameters;                                             \
    type name parameters

struct attribute {
    int name;
    int64_t count;
    int64_t values[32];
};

struct descriptor {
    int type;
    bool is_final;
    size_t attribute_count;
    struct attribute attributes[ATTRIBUTES_MAX];
    const struct descriptor *graph; // of configurations and plans: the graph they belong to
};

static int64_t last_operation_count; // of the last plan's graph

static bool is_asked(const char *word) {
    const char *script = getenv("FAKE_CUDNN");
    return script && strstr(script, word);
}

static const struct attribute *find(const struct descriptor *descriptor, int name) {
    for (size_t i = 0; i < descriptor->attribute_count; ++i)
        if (descriptor->attributes[i].name == name) return &descriptor->attributes[i];
    return NULL;
}

API(size_t, cudnnGetVersion, (void)) {
    const char *script = getenv("FAKE_CUDNN"), *at = script ? strstr(script, "version=") : NULL;
    return at ? strtoul(at + strlen("version="), NULL, 10) : 91900;
}

API(const char *, cudnnGetErrorString, (int status)) {
    return status == NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}

API(void, cudnnGetLastErrorString, (char *message, size_t capacity)) {
    snprintf(message, capacity, "the fake's last words\nand more");
}

API(int, cudnnCreate, (void **ret)) {
    static int handle;
    *ret = &handle;
    return is_asked("no_handle") ? NOT_SUPPORTED : OK;
}

API(int, cudnnSetStream, (void *handle, void *stream)) {
    (void)stream;
    return handle ? OK : BAD_PARAM;
}

API(int, cudnnBackendCreateDescriptor, (int type, void **ret)) {
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor) return BAD_PARAM;
    descriptor->type = type;
    *ret = descriptor;
    return OK;
}

API(int, cudnnBackendDestroyDescriptor, (void *descriptor)) {
    free(descriptor);
    return OK;
}

static size_t size_of(int value_type) {
    switch (value_type) {
    case 2: return 1; // boolean
    case 3:
    case 6:
    case 15:
    case 0: return 8;  // integers, pointers, descriptors, handles
    default: return 4; // enumerations
    }
}

API(int, cudnnBackendSetAttribute, (void *where, int name, int type, int64_t count, const void *values)) {
    struct descriptor *descriptor = where;
    if (!descriptor || descriptor->is_final || descriptor->attribute_count == ATTRIBUTES_MAX || count > 32)
        return BAD_PARAM;
    struct attribute *attribute = &descriptor->attributes[descriptor->attribute_count++];
    attribute->name = name;
    attribute->count = count;
    for (int64_t i = 0; i < count; ++i)
        memcpy(&attribute->values[i], (const char *)values + (size_t)i * size_of(type), size_of(type));
    return OK;
}

// Parts that an operation must have.
static bool is_whole(const struct descriptor *descriptor) {
    static const int parts[][6] = {{TENSOR, 900, 901, 902, 903, 906},     {19, 1520, 1521, 1522, 1523, 1523},
                                   {22, 1610, 1611, 1612, 1612, 1612},    {13, 750, 751, 753, 753, 753},
                                   {41, 2800, 2801, 2802, 2803, 2805},    {GRAPH, 800, 801, 801, 801, 801},
                                   {HEURISTICS, 200, 201, 201, 201, 201}, {PLAN, 400, 401, 401, 401, 401},
                                   {PACK, 1000, 1001, 1003, 1003, 1003}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        for (size_t k = 1; k < 6 && parts[i][0] == descriptor->type; ++k)
            if (!find(descriptor, parts[i][k])) return false;
    return true;
}

// Every tensor of the operation is finalised, and is a tensor, not an operation.
static bool has_sound_parts(const struct descriptor *descriptor) {
    for (size_t i = 0; i < descriptor->attribute_count; ++i) {
        const struct attribute *attribute = &descriptor->attributes[i];
        const bool is_part = (attribute->name >= 750 && attribute->name <= 758) ||
                             (attribute->name >= 1520 && attribute->name <= 1523) ||
                             (attribute->name >= 1610 && attribute->name <= 1612) || attribute->name >= 2800;
        const struct descriptor *part = is_part ? (const void *)(intptr_t)attribute->values[0] : NULL;
        if (is_part && (!part || !part->is_final)) return false;
    }
    return true;
}

API(int, cudnnBackendFinalize, (void *where)) {
    struct descriptor *descriptor = where;
    if (!descriptor || !is_whole(descriptor) || !has_sound_parts(descriptor)) return BAD_PARAM;
    if (descriptor->type == GRAPH && is_asked("refuse_graph")) return NOT_SUPPORTED;
    if (descriptor->type == HEURISTICS && find(descriptor, 200)->values[0] == 3 && is_asked("refuse=A"))
        return NOT_SUPPORTED;
    if (descriptor->type == PLAN) {
        descriptor->graph = ((const struct descriptor *)(intptr_t)find(descriptor, 401)->values[0])->graph;
        last_operation_count = find(descriptor->graph, 801)->count;
    }
    descriptor->is_final = true;
    return OK;
}

API(int, cudnnBackendGetAttribute,
    (void *where, int name, int type, int64_t capacity, int64_t *ret_count, void *values)) {
    struct descriptor *descriptor = where;
    (void)type;
    if (!descriptor || capacity < 1) return BAD_PARAM;
    *ret_count = 1;
    if (name == 202) { // one configuration
        struct descriptor *config = ((struct descriptor **)values)[0];
        config->is_final = true;
        config->graph = (const void *)(intptr_t)find(descriptor, 201)->values[0];
        return descriptor->is_final ? OK : BAD_PARAM;
    }
    if (name == 402) return *(int64_t *)values = 4096, OK;
    if (name == 300) return OK;
    if (name == 1301) return *(int64_t *)values = 7, OK;
    return BAD_PARAM;
}

// Ids of the graph's tensors that are not virtual, in what order they come.
static bool pack_has(const struct descriptor *pack, int64_t id) {
    const struct attribute *ids = find(pack, 1000), *pointers = find(pack, 1001);
    for (int64_t i = 0; i < ids->count; ++i)
        if (ids->values[i] == id) return pointers->values[i] != 0;
    return false;
}

static bool graph_is_served(const struct descriptor *graph, const struct descriptor *pack) {
    const struct attribute *operations = find(graph, 801);
    for (int64_t i = 0; i < operations->count; ++i) {
        const struct descriptor *operation = (const void *)(intptr_t)operations->values[i];
        for (size_t k = 0; k < operation->attribute_count; ++k) {
            const struct descriptor *part = (const void *)(intptr_t)operation->attributes[k].values[0];
            if (!part || part->type != TENSOR || find(part, 907)->values[0]) continue;
            if (!pack_has(pack, find(part, 906)->values[0])) return false;
        }
    }
    return true;
}

API(int, cudnnBackendExecute, (void *handle, void *plan, void *pack)) {
    const struct descriptor *made = plan, *given = pack;
    if (!handle || !made || made->type != PLAN || !made->is_final || !given->is_final) return BAD_PARAM;
    return graph_is_served(made->graph, given) ? OK : BAD_PARAM;
}

// For tests: the number of operations in the graph of the last plan.
API(int64_t, fake_cudnn_operation_count, (void)) {
    return last_operation_count;
}
