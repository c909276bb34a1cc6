// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's activity records of device functions: names, shapes and durations, without counters and without
// permission for them. The library calls back without an argument, so what it has recorded is static.
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "worker/backend/cuda/cupti.h"

#define BUFFER_BYTES     ((size_t)1 << 20)
#define BUFFER_ALIGNMENT 8
enum { SHAPES_MAX = 4096 };

static struct {
    const struct cupti *cupti;
    struct cupti_shapes shapes;
    uint64_t *starts; // [SHAPES_MAX]
} recorded;

static void need_buffer(uint8_t **buffer, size_t *bytes, size_t *record_count) {
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *record_count = 0; // as many as fit
}

// As the source has it, where the C++ library is there.
static char *source_name(const char *name) {
    static char *(*demangle)(const char *name, char *buffer, size_t *length, int *status);
    const struct library_symbol wanted = {.name = "__cxa_demangle", .member = &demangle};
    const char *why;
    if (!name) return mem_strdup("?");
    void *library = demangle ? NULL : library_open("libstdc++.so.6", &why); // stays loaded
    if (library) (void)library_find(library, &wanted, 1);
    char *readable = demangle && strncmp(name, "_Z", 2) == 0 ? demangle(name, NULL, NULL, NULL) : NULL;
    return readable ? readable : mem_strdup(name);
}

// Records come in the order in which functions ended.
static size_t place_of(uint64_t start_ns) {
    size_t at = recorded.shapes.count;
    while (at > 0 && recorded.starts[at - 1] > start_ns) --at;
    return at;
}

static void keep(const struct cupti_launch *launch) {
    struct cupti_shapes *shapes = &recorded.shapes;
    if (!shapes->items || shapes->count == SHAPES_MAX) return;
    const size_t at = place_of(launch->start_ns), behind = shapes->count - at;
    memmove(&shapes->items[at + 1], &shapes->items[at], behind * sizeof *shapes->items);
    memmove(&recorded.starts[at + 1], &recorded.starts[at], behind * sizeof *recorded.starts);
    recorded.starts[at] = launch->start_ns;
    struct cupti_shape *shape = &shapes->items[at];
    *shape = (struct cupti_shape){
        .function = source_name(launch->function),
        .duration_ns = launch->end_ns - launch->start_ns,
        .registers = launch->registers,
        .shared_bytes = (uint32_t)(launch->static_shared_bytes + launch->dynamic_shared_bytes),
        .local_bytes = launch->local_bytes,
    };
    memcpy(shape->grid, launch->grid, sizeof shape->grid);
    memcpy(shape->block, launch->block, sizeof shape->block);
    ++shapes->count;
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes) {
    const struct cupti_launch *record = NULL;
    (void)context, (void)stream, (void)bytes;
    while (valid_bytes && recorded.cupti->next_record(buffer, valid_bytes, &record) == CUPTI_OK)
        if (record->kind == CUPTI_RECORD_OF_LAUNCH) keep(record);
    free(buffer);
}

int cupti_shapes_begin(const struct cupti *cupti, struct err *err) {
    cupti_shapes_free(&recorded.shapes);
    recorded.cupti = cupti;
    recorded.shapes.items = mem_alloc((SHAPES_MAX + 1) * sizeof *recorded.shapes.items);
    recorded.starts = mem_alloc((SHAPES_MAX + 1) * sizeof *recorded.starts);
    cupti_result code = cupti->records_callbacks(need_buffer, take_buffer);
    if (!code) code = cupti->records_enable(CUPTI_RECORD_OF_LAUNCH);
    return code ? cupti_fail(cupti, code, "device functions cannot be recorded", err) : 0;
}

int cupti_shapes_end(const struct cupti *cupti, struct cupti_shapes *ret, struct err *err) {
    const cupti_result flushed = cupti->records_flush(CUPTI_FLUSH_ALL);
    const cupti_result disabled = cupti->records_disable(CUPTI_RECORD_OF_LAUNCH);
    *ret = recorded.shapes;
    recorded.shapes = (struct cupti_shapes){0};
    free(recorded.starts);
    recorded.starts = NULL;
    if (flushed || disabled)
        return cupti_fail(cupti, flushed ? flushed : disabled, "device functions were not recorded", err);
    return 0;
}

void cupti_shapes_free(struct cupti_shapes *shapes) {
    for (size_t i = 0; i < shapes->count; ++i) free(shapes->items[i].function);
    free(shapes->items);
    *shapes = (struct cupti_shapes){0};
}
