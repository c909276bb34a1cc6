// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory and elementary steps on a device.
#include "worker/check/device_scratch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "op/random_normal.h"

#define STEP_THREADS        256u
#define STEP_BLOCKS_MAX     1024u
#define STEP_BYTES_A_BLOCK  (STEP_THREADS * 64u)
#define COMPARE_CHUNK_LEAST 4096u // elements of a block
#define WORDS_BYTES         (SCRATCH_WORDS * sizeof(uint64_t))
#define PARTS_BYTES         (SCRATCH_PARTS * sizeof(struct dev_compare_part))
#define ALIGNMENT           256u
#define ROUND_UP(bytes)     (((size_t)(bytes) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

int device_scratch_open(struct device *device, const struct op_device *op, struct device_scratch **ret,
                        struct err *err) {
    const struct device_work *work = device->backend->work;
    size_t table_bytes = 0;
    const void *table = op->has_normal_table ? normal_table_shared(&table_bytes) : NULL;
    const size_t words_bytes = ROUND_UP(WORDS_BYTES), parts_bytes = ROUND_UP(PARTS_BYTES);
    void *memory;
    TRY(work->scratch_alloc(device, words_bytes + parts_bytes + table_bytes, &memory, err));
    struct device_scratch *scratch = mem_alloc(sizeof *scratch);
    scratch->device = device;
    scratch->holder_count = 1;
    scratch->words = memory; // first: freed by it
    scratch->parts = (struct dev_compare_part *)(void *)((char *)memory + words_bytes);
    if (table_bytes) {
        scratch->table = (char *)memory + words_bytes + parts_bytes;
        const int code = work->copy_in(device, scratch->table, table, table_bytes, err);
        if (code < 0) {
            device_scratch_close(scratch);
            return code;
        }
    }
    *ret = scratch;
    return 0;
}

struct device_scratch *device_scratch_share(struct device_scratch *scratch) {
    if (scratch) ++scratch->holder_count;
    return scratch;
}

void device_scratch_close(struct device_scratch *scratch) {
    if (!scratch || --scratch->holder_count) return;
    const struct device_work *work = scratch->device->backend->work;
    work->scratch_free(scratch->device, scratch->area);
    work->scratch_free(scratch->device, scratch->words);
    free(scratch);
}

int device_scratch_area(struct device_scratch *scratch, size_t bytes, void **ret, struct err *err) {
    const struct device_work *work = scratch->device->backend->work;
    if (scratch->area_bytes < bytes) {
        work->scratch_free(scratch->device, scratch->area);
        scratch->area = NULL;
        scratch->area_bytes = 0;
        TRY(work->scratch_alloc(scratch->device, bytes, &scratch->area, err));
        scratch->area_bytes = bytes;
    }
    *ret = scratch->area;
    return 0;
}

int device_scratch_tensors(struct device_scratch *scratch, const struct assay_tensor *tensors, uint32_t count,
                           void **ret, struct err *err) {
    size_t total = 0;
    void *memory;
    for (uint32_t i = 0; i < count; ++i) total += ROUND_UP(tensor_span_bytes(&tensors[i]));
    TRY(device_scratch_area(scratch, total, &memory, err));
    char *at = memory;
    for (uint32_t i = 0; i < count; ++i) {
        ret[i] = at;
        at += ROUND_UP(tensor_span_bytes(&tensors[i]));
    }
    return 0;
}

// ---- steps ----

static uint32_t blocks_for(size_t bytes) {
    const size_t blocks = bytes / STEP_BYTES_A_BLOCK + 1;
    return blocks < STEP_BLOCKS_MAX ? (uint32_t)blocks : STEP_BLOCKS_MAX;
}

int device_step_run(struct device *device, const struct kernel_launch *launches, size_t count,
                    struct err *err) {
    for (size_t i = 0; i < count; ++i) TRY(device->backend->work->run_program(device, &launches[i], err));
    return 0;
}

int device_step_pattern(struct device *device, void *data, size_t bytes, uint64_t word, struct err *err) {
    const struct dev_pattern args = {.data = data, .bytes = bytes, .pattern = word};
    const struct kernel_launch launch =
        kernel_launch_make("assay_pattern", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &launch, 1, err);
}

int device_step_poison(struct device *device, const struct assay_tensor *tensor, enum poison poison,
                       struct err *err) {
    return device_step_pattern(device, tensor->data, (size_t)tensor_span_bytes(tensor),
                               poison_word(tensor->dtype, poison), err);
}

int device_scratch_clear(struct device_scratch *scratch, uint32_t count, unsigned char byte,
                         struct err *err) {
    if (count > SCRATCH_WORDS) BUG("%u words, room for %d", count, SCRATCH_WORDS);
    return device_step_pattern(scratch->device, scratch->words, count * sizeof *scratch->words,
                               byte * UINT64_C(0x0101010101010101), err);
}

int device_scratch_read(struct device_scratch *scratch, uint32_t count, uint64_t *ret, struct err *err) {
    return scratch->device->backend->work->copy_out(scratch->device, ret, scratch->words, count * sizeof *ret,
                                                    err);
}

int device_scratch_hash(struct device_scratch *scratch, const void *data, size_t bytes, uint32_t index,
                        struct err *err) {
    const struct dev_hash args = {.data = data, .bytes = bytes, .sums = scratch->words + index};
    const struct kernel_launch launch =
        kernel_launch_make("assay_hash", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(scratch->device, &launch, 1, err);
}

int device_scratch_find_difference(struct device_scratch *scratch, const void *a, const void *b, size_t bytes,
                                   uint32_t index, struct err *err) {
    const struct dev_find_difference args = {.a = a, .b = b, .bytes = bytes, .first = scratch->words + index};
    const struct kernel_launch launch =
        kernel_launch_make("assay_find_difference", blocks_for(bytes), STEP_THREADS, &args, sizeof args);
    return device_step_run(scratch->device, &launch, 1, err);
}

int device_scratch_compare(struct device_scratch *scratch, const struct scratch_comparison *comparison,
                           struct dev_compare_part *ret, struct err *err) {
    const struct assay_tensor *tensor = comparison->tensor;
    const uint64_t count = tensor_element_count(tensor);
    uint64_t chunk = (count + SCRATCH_PARTS - 1) / SCRATCH_PARTS;
    if (chunk < COMPARE_CHUNK_LEAST) chunk = COMPARE_CHUNK_LEAST;
    const uint32_t blocks = (uint32_t)((count + chunk - 1) / chunk);
    const struct dev_compare args = {.out = tensor->data,
                                     .reference = comparison->reference,
                                     .parts = scratch->parts,
                                     .count = count,
                                     .chunk = chunk,
                                     .poison = poison_bits(tensor->dtype, comparison->poison),
                                     .atol = comparison->atol,
                                     .rtol = comparison->rtol,
                                     .dtype = tensor->dtype};
    const struct kernel_launch launch =
        kernel_launch_make("assay_compare", blocks, STEP_THREADS, &args, sizeof args);
    TRY(device_step_run(scratch->device, &launch, 1, err));
    struct dev_compare_part *parts = mem_alloc(blocks * sizeof *parts);
    const int code = scratch->device->backend->work->copy_out(scratch->device, parts, scratch->parts,
                                                              blocks * sizeof *parts, err);
    dev_compare_start(ret);
    for (uint32_t b = 0; b < blocks && code == 0; ++b) dev_compare_merge(ret, &parts[b]);
    free(parts);
    if (code == 0 && ret->compared < comparison->compared_min)
        return err_set(err, ERR_INTERNAL,
                       "only %llu of %llu elements of %s have a reference: its oracle on the device did not "
                       "run as it must",
                       (unsigned long long)ret->compared, (unsigned long long)comparison->compared_min,
                       comparison->problem);
    return code;
}

int device_step_poke(struct device *device, const struct dev_place *places, uint32_t count, struct err *err) {
    const struct dev_poke args = {.places = places, .place_count = count};
    const struct kernel_launch launch =
        kernel_launch_make("assay_poke", count / STEP_THREADS + 1, STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &launch, 1, err);
}

int device_step_peek(struct device *device, const struct dev_place *places, uint64_t *values, uint32_t count,
                     struct err *err) {
    const struct dev_peek args = {.places = places, .values = values, .place_count = count};
    const struct kernel_launch launch =
        kernel_launch_make("assay_peek", count / STEP_THREADS + 1, STEP_THREADS, &args, sizeof args);
    return device_step_run(device, &launch, 1, err);
}
