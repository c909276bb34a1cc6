// SPDX-License-Identifier: Apache-2.0
//
// Right values turned into wrong ones: since a right kernel gives the same bits every time, a planted value that is found
// again has not been written over.
#include "worker/work_plants.h"

#include "base/mem.h"
#include "base/rng.h"
#include "check/device_desk.h"
#include "op/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The other sign; where there is none to change (0, no number), one half.
static uint64_t wrong_bits(int32_t dtype, uint64_t right) {
    const double value = dtype_load(dtype, &right);
    uint64_t bits = 0;
    dtype_store(dtype, &bits, isfinite(value) && value != 0 ? -value : 0.5);
    return bits == right ? bits ^ 1 : bits; // an integer type has no half
}

static size_t bytes_of(const struct case_buffers *buffers, const struct plant *plant) {
    return dtype_bytes(buffers->own[plant->tensor].dtype);
}

static void *place_of(const struct case_buffers *buffers, const struct plant *plant) {
    return (char *)buffers->own[plant->tensor].data + plant->offset_bytes;
}

static uint32_t draw_places(struct plant *items, const struct case_buffers *buffers, uint64_t seed) {
    uint32_t count = 0;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->own[i];
        const uint64_t elements = tensor_element_count(tensor);
        for (uint32_t k = 0; k < PLANTS_A_OUTPUT; ++k) {
            const uint64_t drawn =
                rng_below(seed, rng_stream("plant"), i * (uint64_t)PLANTS_A_OUTPUT + k, elements);
            const uint64_t element = k == 0 ? 0 : k == 1 ? elements - 1 : drawn;
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(tensor, element, coord);
            items[count++] = (struct plant){.tensor = i,
                                            .offset_bytes = (uint64_t)tensor_offset(tensor, coord) *
                                                            dtype_bytes(tensor->dtype)};
        }
    }
    return count;
}

// ---- where the processor does not see the outputs ----

static uint32_t total_of(const struct plants *plants) {
    return plants->set_count * plants->count_a_set;
}

static struct helper_place *lists_places(const struct plants *plants) {
    return plants->lists;
}

static uint64_t *lists_values(const struct plants *plants) {
    return (uint64_t *)(void *)(lists_places(plants) + total_of(plants));
}

static int lay_lists(struct plants *plants, struct case_buffers *const *sets, struct err *err) {
    const struct device_work *work = plants->device->backend->work;
    const uint32_t total = total_of(plants);
    const size_t bytes = total * sizeof(struct helper_place);
    if (!plants->lists)
        TRY(work->scratch_alloc(plants->device, bytes + total * sizeof(uint64_t), &plants->lists, err));
    struct helper_place *places = mem_alloc(bytes);
    for (uint32_t i = 0; i < total; ++i) {
        const struct case_buffers *buffers = sets[i / plants->count_a_set];
        const struct plant *plant = &plants->items[i / plants->count_a_set][i % plants->count_a_set];
        places[i] = (struct helper_place){.data = place_of(buffers, plant),
                                          .value = plant->bits,
                                          .bytes = (uint32_t)bytes_of(buffers, plant)};
    }
    const int code = work->copy_in(plants->device, plants->lists, places, bytes, err);
    free(places);
    return code;
}

static int ensure_lists(struct plants *plants, struct case_buffers *const *sets, struct err *err) {
    return plants->lists ? 0 : lay_lists(plants, sets, err);
}

static int poke(struct plants *plants, uint32_t set, uint32_t set_count, struct err *err) {
    const uint32_t begin = set * plants->count_a_set, count = set_count * plants->count_a_set;
    return device_step_poke(plants->device, lists_places(plants) + begin, count, err);
}

// Into plants->read.
static int peek(struct plants *plants, uint32_t set, uint32_t set_count, struct err *err) {
    const uint32_t begin = set * plants->count_a_set, count = set_count * plants->count_a_set;
    uint64_t *values = lists_values(plants) + begin;
    TRY(device_step_peek(plants->device, lists_places(plants) + begin, values, count, err));
    return plants->device->backend->work->copy_out(plants->device, plants->read + begin, values,
                                                   count * sizeof *values, err);
}

// ---- both ----

static int read_sets(struct plants *plants, struct case_buffers *const *sets, uint32_t set,
                     uint32_t set_count, struct err *err) {
    if (plants->device) {
        TRY(ensure_lists(plants, sets, err));
        return peek(plants, set, set_count, err);
    }
    for (uint32_t s = set; s < set + set_count; ++s)
        for (uint32_t k = 0; k < plants->count_a_set; ++k) {
            const struct plant *plant = &plants->items[s][k];
            uint64_t *bits = &plants->read[s * plants->count_a_set + k];
            *bits = 0;
            memcpy(bits, place_of(sets[s], plant), bytes_of(sets[s], plant));
        }
    return 0;
}

static int write_sets(struct plants *plants, struct case_buffers *const *sets, uint32_t set,
                      uint32_t set_count, struct err *err) {
    if (plants->device) {
        TRY(ensure_lists(plants, sets, err));
        return poke(plants, set, set_count, err);
    }
    for (uint32_t s = set; s < set + set_count; ++s)
        for (uint32_t k = 0; k < plants->count_a_set; ++k) {
            const struct plant *plant = &plants->items[s][k];
            memcpy(place_of(sets[s], plant), &plant->bits, bytes_of(sets[s], plant));
        }
    return 0;
}

int plants_learn(struct plants *plants, struct case_buffers *const *sets, uint32_t set_count, uint64_t round,
                 struct err *err) {
    plants_fini(plants);
    plants->device = sets[0]->device->backend->work ? sets[0]->device : NULL;
    plants->set_count = set_count;
    for (uint32_t s = 0; s < set_count; ++s)
        plants->count_a_set =
            draw_places(plants->items[s], sets[s], rng_u64(sets[s]->seed, rng_stream("plants"), round));
    TRY(read_sets(plants, sets, 0, set_count, err));
    for (uint32_t i = 0; i < total_of(plants); ++i) {
        struct plant *plant = &plants->items[i / plants->count_a_set][i % plants->count_a_set];
        plant->bits = wrong_bits(sets[0]->own[plant->tensor].dtype, plants->read[i]);
    }
    return plants->device ? lay_lists(plants, sets, err) : 0; // again, with the values
}

// Sets [first, first + count) in turn are at most two runs.
static uint32_t first_run(const struct plants *plants, uint32_t first, uint32_t count) {
    const uint32_t to_end = plants->set_count - first;
    return count < to_end ? count : to_end;
}

int plants_set(struct plants *plants, struct case_buffers *const *sets, uint32_t first, uint32_t count,
               struct err *err) {
    const uint32_t run = first_run(plants, first, count);
    TRY(write_sets(plants, sets, first, run, err));
    return count > run ? write_sets(plants, sets, 0, count - run, err) : 0;
}

const struct plant *plants_find(struct plants *plants, struct case_buffers *const *sets, uint32_t first,
                                uint32_t count, uint32_t skipped) {
    const uint32_t run = first_run(plants, first, count);
    if (read_sets(plants, sets, first, run, NULL) < 0) return NULL;
    if (count > run && read_sets(plants, sets, 0, count - run, NULL) < 0) return NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t set = (first + i) % plants->set_count;
        for (uint32_t k = 0; k < plants->count_a_set && set != skipped; ++k)
            if (plants->read[set * plants->count_a_set + k] == plants->items[set][k].bits)
                return &plants->items[set][k];
    }
    return NULL;
}

void plants_moved(struct plants *plants) {
    if (plants->lists) plants->device->backend->work->scratch_free(plants->device, plants->lists);
    plants->lists = NULL;
}

void plants_fini(struct plants *plants) {
    plants_moved(plants);
    plants->set_count = plants->count_a_set = 0;
}
