// SPDX-License-Identifier: Apache-2.0
//
// Canaries are right values turned into wrong ones: since a right kernel gives the same bits every time, a
// canary that is still there has not been overwritten.
#include "worker/order/work_canaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/check/device_scratch.h"
#include "worker/check/result_used.h"

// The value with its sign changed; 1/2 for 0 and for values that are not finite.
static uint64_t wrong_bits(int32_t dtype, uint64_t right) {
    const double value = dtype_load(dtype, &right);
    uint64_t bits = 0;
    dtype_store(dtype, &bits, isfinite(value) && value != 0 ? -value : 0.5);
    return bits == right ? bits ^ 1 : bits; // an integer type cannot hold 1/2
}

static uint32_t known_a_set(const struct canaries *canaries) {
    return canaries->output_count * CANARIES_KNOWN;
}

static uint32_t canaries_a_set(const struct canaries *canaries) {
    return canaries->output_count * CANARIES_A_OUTPUT;
}

// Most places handled at a time: those drawn in all sets before a sample, or the known places of one set.
static uint32_t capacity_of(const struct canaries *canaries) {
    const uint32_t drawn = canaries->set_count * canaries_a_set(canaries), known = known_a_set(canaries);
    return drawn > known ? drawn : known;
}

static void draw_known(struct canary *known, const struct case_buffers *buffers, struct dice *dice) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->own[i];
        if (tensor->access == ASSAY_INOUT) continue; // a launch reads it
        const struct declared_rule *rule = declared_rule_of(buffers->problem.op, i);
        const uint64_t elements = tensor_element_count(tensor);
        for (uint32_t k = 0; k < CANARIES_KNOWN; ++k) {
            const uint64_t drawn = dice_below(dice, elements);
            const uint64_t element = k == 0 ? 0 : k == 1 ? elements - 1 : drawn;
            const uint64_t used = result_used_element(buffers->problem.op, buffers->host, i, element);
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(tensor, used == RESULT_NONE_USED ? element : used, coord);
            *known++ = (struct canary){.tensor = i,
                                       .offset_bytes = (uint64_t)tensor_offset(tensor, coord) *
                                                       dtype_bytes(tensor->dtype),
                                       .is_unused = used == RESULT_NONE_USED,
                                       .is_counted = rule && rule->used >= 0};
        }
    }
}

// ---- a list of places: written, or read ----

static int lay_list(struct canaries *canaries, uint32_t count, struct err *err) {
    const struct device_work *work = canaries->device->backend->work;
    const size_t each = sizeof(struct dev_place) + sizeof(uint64_t);
    if (!canaries->lists)
        TRY(work->scratch_alloc(canaries->device, capacity_of(canaries) * each, &canaries->lists, err));
    return work->copy_in(canaries->device, canaries->lists, canaries->places,
                         count * sizeof *canaries->places, err);
}

static void fill_place(struct canaries *canaries, uint32_t index, const struct case_buffers *buffers,
                       const struct canary *canary) {
    const struct assay_tensor *tensor = &buffers->own[canary->tensor];
    canaries->places[index] = (struct dev_place){.data = (char *)tensor->data + canary->offset_bytes,
                                                 .value = canary->bits,
                                                 .bytes = (uint32_t)dtype_bytes(tensor->dtype)};
}

// Reads the listed places into canaries->read.
static int read_places(struct canaries *canaries, uint32_t count, struct err *err) {
    if (canaries->device) {
        uint64_t *values = (uint64_t *)(void *)((struct dev_place *)canaries->lists + capacity_of(canaries));
        TRY(device_step_peek(canaries->device, canaries->lists, values, count, err));
        return canaries->device->backend->work->copy_out(canaries->device, canaries->read, values,
                                                         count * sizeof *canaries->read, err);
    }
    for (uint32_t i = 0; i < count; ++i) {
        canaries->read[i] = 0;
        memcpy(&canaries->read[i], canaries->places[i].data, canaries->places[i].bytes);
    }
    return 0;
}

int canaries_learn(struct canaries *canaries, struct case_buffers *const *sets, uint32_t set_count,
                   const struct dice *dice, struct err *err) {
    canaries_fini(canaries);
    canaries->device = sets[0]->device->backend->work ? sets[0]->device : NULL;
    canaries->set_count = set_count;
    canaries->output_count = 0;
    for (uint32_t i = sets[0]->input_count; i < sets[0]->tensor_count; ++i)
        canaries->output_count += sets[0]->own[i].access == ASSAY_OUT;
    canaries->dice = *dice;
    const struct declared *declared = declared_of(sets[0]->problem.op);
    canaries->is_drawn = declared && str_equal(declared->reference.random, DECLARED_DRAWN);
    const uint32_t capacity = capacity_of(canaries), count = known_a_set(canaries);
    canaries->known = mem_alloc((size_t)set_count * count * sizeof *canaries->known);
    canaries->drawn = mem_alloc(capacity * sizeof *canaries->drawn);
    canaries->places = mem_alloc(capacity * sizeof *canaries->places);
    canaries->read = mem_alloc(capacity * sizeof *canaries->read);
    for (uint32_t set = 0; set < set_count; ++set) {
        struct canary *known = canaries->known + (size_t)set * count;
        draw_known(known, sets[set], &canaries->dice);
        for (uint32_t i = 0; i < count; ++i) fill_place(canaries, i, sets[set], &known[i]);
        if (canaries->device) TRY(lay_list(canaries, count, err));
        TRY(read_places(canaries, count, err));
        for (uint32_t i = 0; i < count; ++i)
            known[i].bits = wrong_bits(sets[set]->own[known[i].tensor].dtype, canaries->read[i]);
    }
    return 0;
}

// ---- around a sample ----

// The first and the last element are as likely as all others: if they always had a canary, a kernel could
// write these alone.
static void draw_canaries(struct canaries *canaries, struct case_buffers *const *sets) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < canaries->count; ++i) {
        const uint32_t set = (canaries->first + i) % canaries->set_count;
        for (uint32_t k = 0; k < canaries->output_count; ++k)
            for (uint32_t j = 0; j < CANARIES_A_OUTPUT; ++j, ++at) {
                const uint64_t index = dice_below(&canaries->dice, CANARIES_KNOWN);
                canaries->drawn[at] =
                    canaries->known[((size_t)set * canaries->output_count + k) * CANARIES_KNOWN + index];
                fill_place(canaries, at, sets[set], &canaries->drawn[at]);
            }
    }
}

// Of sets whose right values are not known: what lies there now, made wrong.
static void change_fresh(struct canaries *canaries, struct case_buffers *const *sets,
                         const struct canary_range *range) {
    const uint32_t a_set = canaries_a_set(canaries);
    for (uint32_t i = 0; i < range->count * a_set; ++i) {
        const uint32_t set = (range->first + i / a_set) % canaries->set_count;
        struct dev_place *place = &canaries->places[i];
        uint64_t now = 0;
        if (!range->is_fresh[set]) continue;
        memcpy(&now, place->data, place->bytes);
        canaries->drawn[i].bits = place->value =
            wrong_bits(sets[set]->own[canaries->drawn[i].tensor].dtype, now);
    }
}

int canaries_set(struct canaries *canaries, struct case_buffers *const *sets,
                 const struct canary_range *range, struct err *err) {
    canaries->is_read = false;
    canaries->first = range->first;
    canaries->count = range->count;
    draw_canaries(canaries, sets);
    const uint32_t total = range->count * canaries_a_set(canaries);
    if (canaries->device) {
        TRY(lay_list(canaries, total, err));
        return device_step_poke(canaries->device, canaries->lists, total, err);
    }
    change_fresh(canaries, sets, range);
    for (uint32_t i = 0; i < total; ++i)
        memcpy(canaries->places[i].data, &canaries->places[i].value, canaries->places[i].bytes);
    return 0;
}

// Whether canary i is still there, and is the first in its place: places are drawn with repetition.
static bool is_left(const struct canaries *canaries, uint32_t i, uint32_t begin) {
    if (canaries->read[i] != canaries->drawn[i].bits) return false;
    for (uint32_t before = begin; before < i; ++before)
        if (canaries->places[before].data == canaries->places[i].data) return false;
    return true;
}

// The first canary that is left in the set drawn as number k, if that says something.
static const struct canary *find_left(const struct canaries *canaries, uint32_t k, bool is_fresh) {
    const uint32_t a_set = canaries_a_set(canaries), begin = k * a_set;
    const struct canary *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = begin; i < begin + a_set; ++i) {
        const struct canary *canary = &canaries->drawn[i];
        if (canary->is_unused || (canary->is_counted && is_fresh) || !is_left(canaries, i, begin)) continue;
        if (!first) first = canary;
        ++count;
    }
    const uint32_t least = !is_fresh ? 1 : canaries->device ? UINT32_MAX : CANARIES_FRESH_LEFT;
    return count >= least ? first : NULL;
}

void canaries_read(struct canaries *canaries) {
    if (!canaries->read || !canaries->count) return;
    canaries->is_read = read_places(canaries, canaries->count * canaries_a_set(canaries), NULL) == 0;
}

int canaries_find(struct canaries *canaries, const bool *is_fresh, const struct canary **ret,
                  bool *ret_is_list_changed, struct err *err) {
    const uint32_t total = canaries->count * canaries_a_set(canaries);
    *ret = NULL;
    *ret_is_list_changed = false;
    if (!canaries->is_read) TRY(read_places(canaries, total, err));
    canaries->is_read = false;
    for (uint32_t k = 0; k < canaries->count && !*ret; ++k)
        *ret = find_left(canaries, k,
                         canaries->is_drawn || is_fresh[(canaries->first + k) % canaries->set_count]);
    if (!*ret || !canaries->device) return 0;
    // The list is in device memory, where a kernel may overwrite it.
    const size_t bytes = total * sizeof *canaries->places;
    struct dev_place *seen = mem_alloc(bytes);
    const int code =
        canaries->device->backend->work->copy_out(canaries->device, seen, canaries->lists, bytes, err);
    *ret_is_list_changed = code == 0 && memcmp(seen, canaries->places, bytes) != 0;
    free(seen);
    return code;
}

void canaries_fini(struct canaries *canaries) {
    if (canaries->lists) canaries->device->backend->work->scratch_free(canaries->device, canaries->lists);
    free(canaries->known);
    free(canaries->drawn);
    free(canaries->places);
    free(canaries->read);
    memset(canaries, 0, sizeof *canaries);
}
