// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory and elementary steps on a device.
#include "check/device_desk.h"

#include "base/mem.h"
#include "op/dtype.h"

#include <stdlib.h>
#include <string.h>

#define STEP_THREADS        256u
#define STEP_BLOCKS_MAX     1024u
#define STEP_BYTES_A_BLOCK  (STEP_THREADS * 64u)
#define COMPARE_CHUNK_LEAST 4096u // elements of a block
#define WORDS_BYTES         (DESK_WORDS * sizeof(uint64_t))
#define PARTS_BYTES         (DESK_PARTS * sizeof(struct helper_compare_part))
#define TABLE_ALIGNMENT     256u

static size_t round_up(size_t bytes) {
    return (bytes + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT;
}

int device_desk_open(struct device *device, const struct op_device *op, struct device_desk **ret,
                     struct err *err) {
    const struct device_work *work = device->backend->work;
    size_t table_bytes = 0;
    const void *table = op->table ? op->table(&table_bytes) : NULL;
    const size_t words_bytes = round_up(WORDS_BYTES), parts_bytes = round_up(PARTS_BYTES);
    void *memory;
    TRY(work->scratch_alloc(device, words_bytes + parts_bytes + table_bytes, &memory, err));
    struct device_desk *desk = mem_alloc(sizeof *desk);
    desk->device = device;
    desk->holder_count = 1;
    desk->words = memory; // first: freed by it
    desk->parts = (struct helper_compare_part *)(void *)((char *)memory + words_bytes);
    if (table_bytes) {
        desk->table = (char *)memory + words_bytes + parts_bytes;
        const int code = work->copy_in(device, desk->table, table, table_bytes, err);
        if (code < 0) {
            device_desk_close(desk);
            return code;
        }
    }
    *ret = desk;
    return 0;
}

struct device_desk *device_desk_share(struct device_desk *desk) {
    if (desk) ++desk->holder_count;
    return desk;
}

void device_desk_close(struct device_desk *desk) {
    if (!desk || --desk->holder_count) return;
    const struct device_work *work = desk->device->backend->work;
    for (int i = 0; i < DESK_AREA_COUNT; ++i) work->scratch_free(desk->device, desk->areas[i].data);
    work->scratch_free(desk->device, desk->words);
    free(desk);
}

int device_desk_area(struct device_desk *desk, enum desk_area area, size_t bytes, void **ret,
                     struct err *err) {
    struct desk_memory *memory = &desk->areas[area];
    const struct device_work *work = desk->device->backend->work;
    if (memory->bytes < bytes) {
        work->scratch_free(desk->device, memory->data);
        *memory = (struct desk_memory){0};
        TRY(work->scratch_alloc(desk->device, bytes, &memory->data, err));
        memory->bytes = bytes;
    }
    *ret = memory->data;
    return 0;
}

// ---- steps ----

static uint32_t blocks_for(size_t bytes) {
    const size_t blocks = bytes / STEP_BYTES_A_BLOCK + 1;
    return blocks < STEP_BLOCKS_MAX ? (uint32_t)blocks : STEP_BLOCKS_MAX;
}

int device_step_run(struct device *device, const struct device_program *programs, size_t count,
                    struct err *err) {
    for (size_t i = 0; i < count; ++i) TRY(device->backend->work->run_program(device, &programs[i], err));
    return 0;
}

int device_step_pattern(struct device *device, void *data, size_t bytes, uint64_t word, struct err *err) {
    const struct helper_pattern args = {.data = data, .bytes = bytes, .pattern = word};
    const struct device_program program =
        device_program_make("assay_pattern", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &program, 1, err);
}

int device_desk_clear(struct device_desk *desk, uint32_t count, unsigned char byte, struct err *err) {
    if (count > DESK_WORDS) BUG("%u words on a desk of %d", count, DESK_WORDS);
    return device_step_pattern(desk->device, desk->words, count * sizeof *desk->words,
                               byte * UINT64_C(0x0101010101010101), err);
}

int device_desk_read(struct device_desk *desk, uint32_t count, uint64_t *ret, struct err *err) {
    return desk->device->backend->work->copy_out(desk->device, ret, desk->words, count * sizeof *ret, err);
}

int device_desk_hash(struct device_desk *desk, const void *data, size_t bytes, uint32_t index,
                     struct err *err) {
    const struct helper_hash args = {.data = data, .bytes = bytes, .sums = desk->words + index};
    const struct device_program program =
        device_program_make("assay_hash", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(desk->device, &program, 1, err);
}

int device_desk_find_difference(struct device_desk *desk, const void *a, const void *b, size_t bytes,
                                uint32_t index, struct err *err) {
    const struct helper_find_difference args = {.a = a, .b = b, .bytes = bytes, .first = desk->words + index};
    const struct device_program program =
        device_program_make("assay_find_difference", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(desk->device, &program, 1, err);
}

static struct compare_figures figures_of(const struct helper_compare_part *part) {
    return (struct compare_figures){
        .compared_count = part->compared,
        .failed_count = part->failed,
        .unwritten_count = part->unwritten,
        .not_number_count = part->not_number,
        .number_count = part->numbers,
        .first_failed = part->first_failed,
        .first_unwritten = part->first_unwritten,
        .first_not_number = part->first_not_number,
        .worst = part->worst_index,
        .max_abs = part->max_abs,
        .max_ref = part->max_ref,
        .sum_abs = part->sum_abs,
        .sum_square = part->sum_sq,
        .sum_ref_square = part->sum_ref_sq,
        .sum_out = part->sum_out,
        .sum_ref = part->sum_ref,
        .sum_out_out = part->sum_out_sq,
        .sum_out_ref = part->sum_out_ref,
    };
}

int device_desk_compare(struct device_desk *desk, const struct desk_comparison *comparison,
                        struct compare_figures *ret, struct err *err) {
    const struct assay_tensor *tensor = comparison->tensor;
    const uint64_t count = tensor_element_count(tensor);
    uint64_t chunk = (count + DESK_PARTS - 1) / DESK_PARTS;
    if (chunk < COMPARE_CHUNK_LEAST) chunk = COMPARE_CHUNK_LEAST;
    const uint32_t blocks = (uint32_t)((count + chunk - 1) / chunk);
    const struct helper_compare args = {.out = tensor->data,
                                        .reference = comparison->reference,
                                        .parts = desk->parts,
                                        .count = count,
                                        .chunk = chunk,
                                        .poison = poison_bits(tensor->dtype, comparison->poison),
                                        .atol = comparison->atol,
                                        .rtol = comparison->rtol,
                                        .dtype = tensor->dtype};
    const struct device_program program =
        device_program_make("assay_compare", blocks, STEP_THREADS, &args, sizeof args);
    TRY(device_step_run(desk->device, &program, 1, err));
    struct helper_compare_part *parts = mem_alloc(blocks * sizeof *parts);
    const int code =
        desk->device->backend->work->copy_out(desk->device, parts, desk->parts, blocks * sizeof *parts, err);
    compare_figures_clear(ret);
    for (uint32_t b = 0; b < blocks && code == 0; ++b) {
        const struct compare_figures part = figures_of(&parts[b]);
        compare_figures_add(ret, &part);
    }
    free(parts);
    return code;
}

int device_step_poke(struct device *device, const struct helper_place *places, uint32_t count,
                     struct err *err) {
    const struct helper_poke args = {.places = places, .place_count = count};
    const struct device_program program =
        device_program_make("assay_poke", count / STEP_THREADS + 1, STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &program, 1, err);
}

int device_step_peek(struct device *device, const struct helper_place *places, uint64_t *values,
                     uint32_t count, struct err *err) {
    const struct helper_peek args = {.places = places, .values = values, .place_count = count};
    const struct device_program program =
        device_program_make("assay_peek", count / STEP_THREADS + 1, STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &program, 1, err);
}
