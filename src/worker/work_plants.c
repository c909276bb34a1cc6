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

static uint32_t known_a_set(const struct plants *plants) {
    return plants->output_count * PLANTS_KNOWN;
}

static uint32_t planted_a_set(const struct plants *plants) {
    return plants->output_count * PLANTS_A_OUTPUT;
}

// As many as are handled at a time: those of all sets before a sample, or those that a set knows.
static uint32_t capacity_of(const struct plants *plants) {
    const uint32_t planted = plants->set_count * planted_a_set(plants), known = known_a_set(plants);
    return planted > known ? planted : known;
}

static void draw_known(struct plant *known, const struct case_buffers *buffers, uint64_t seed) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->own[i];
        const uint64_t elements = tensor_element_count(tensor);
        for (uint32_t k = 0; k < PLANTS_KNOWN; ++k) {
            const uint64_t drawn =
                rng_below(seed, rng_stream("plant"), i * (uint64_t)PLANTS_KNOWN + k, elements);
            const uint64_t element = k == 0 ? 0 : k == 1 ? elements - 1 : drawn;
            int64_t coord[ASSAY_MAX_DIMS];
            tensor_coord(tensor, element, coord);
            *known++ = (struct plant){.tensor = i,
                                      .offset_bytes = (uint64_t)tensor_offset(tensor, coord) *
                                                      dtype_bytes(tensor->dtype)};
        }
    }
}

// ---- a list of places: written, or read ----

static uint64_t *lists_values(const struct plants *plants) {
    return (uint64_t *)(void *)((struct helper_place *)plants->lists + capacity_of(plants));
}

static int lay_list(struct plants *plants, uint32_t count, struct err *err) {
    const struct device_work *work = plants->device->backend->work;
    const size_t each = sizeof(struct helper_place) + sizeof(uint64_t);
    if (!plants->lists)
        TRY(work->scratch_alloc(plants->device, capacity_of(plants) * each, &plants->lists, err));
    return work->copy_in(plants->device, plants->lists, plants->places, count * sizeof *plants->places, err);
}

static void note_place(struct plants *plants, uint32_t index, const struct case_buffers *buffers,
                       const struct plant *plant) {
    plants->places[index] = (struct helper_place){
        .data = place_of(buffers, plant), .value = plant->bits, .bytes = (uint32_t)bytes_of(buffers, plant)};
}

static int write_places(struct plants *plants, uint32_t count, struct err *err) {
    if (plants->device) {
        TRY(lay_list(plants, count, err));
        return device_step_poke(plants->device, plants->lists, count, err);
    }
    for (uint32_t i = 0; i < count; ++i)
        memcpy(plants->places[i].data, &plants->places[i].value, plants->places[i].bytes);
    return 0;
}

// Into plants->read.
static int read_places(struct plants *plants, uint32_t count, struct err *err) {
    if (plants->device) {
        TRY(device_step_peek(plants->device, plants->lists, lists_values(plants), count, err));
        return plants->device->backend->work->copy_out(plants->device, plants->read, lists_values(plants),
                                                       count * sizeof *plants->read, err);
    }
    for (uint32_t i = 0; i < count; ++i) {
        plants->read[i] = 0;
        memcpy(&plants->read[i], plants->places[i].data, plants->places[i].bytes);
    }
    return 0;
}

// ---- learning ----

static int learn_set(struct plants *plants, const struct case_buffers *buffers, uint32_t set,
                     struct err *err) {
    const uint32_t count = known_a_set(plants);
    struct plant *known = plants->known + (size_t)set * count;
    draw_known(known, buffers, rng_u64(plants->seed, rng_stream("known places"), set));
    for (uint32_t i = 0; i < count; ++i) note_place(plants, i, buffers, &known[i]);
    if (plants->device) TRY(lay_list(plants, count, err));
    TRY(read_places(plants, count, err));
    for (uint32_t i = 0; i < count; ++i)
        known[i].bits = wrong_bits(buffers->own[known[i].tensor].dtype, plants->read[i]);
    return 0;
}

int plants_learn(struct plants *plants, struct case_buffers *const *sets, uint32_t set_count, uint64_t seed,
                 struct err *err) {
    plants_fini(plants);
    plants->device = sets[0]->device->backend->work ? sets[0]->device : NULL;
    plants->set_count = set_count;
    plants->output_count = case_buffers_output_count(sets[0]);
    plants->seed = seed;
    const uint32_t capacity = capacity_of(plants);
    plants->known = mem_alloc((size_t)set_count * known_a_set(plants) * sizeof *plants->known);
    plants->planted = mem_alloc(capacity * sizeof *plants->planted);
    plants->places = mem_alloc(capacity * sizeof *plants->places);
    plants->read = mem_alloc(capacity * sizeof *plants->read);
    for (uint32_t s = 0; s < set_count; ++s) TRY(learn_set(plants, sets[s], s, err));
    return 0;
}

// ---- around a sample ----

// The first and the last element are as likely as all others: what is always there can be written alone.
static void draw_planted(struct plants *plants, struct case_buffers *const *sets) {
    const uint64_t draw = rng_u64(plants->seed, rng_stream("planted places"), plants->draw_count++);
    uint32_t at = 0;
    for (uint32_t i = 0; i < plants->count; ++i) {
        const uint32_t set = (plants->first + i) % plants->set_count;
        for (uint32_t k = 0; k < plants->output_count; ++k)
            for (uint32_t j = 0; j < PLANTS_A_OUTPUT; ++j, ++at) {
                const uint64_t index = rng_below(draw, set, k * PLANTS_A_OUTPUT + j, PLANTS_KNOWN);
                plants->planted[at] =
                    plants->known[((size_t)set * plants->output_count + k) * PLANTS_KNOWN + index];
                note_place(plants, at, sets[set], &plants->planted[at]);
            }
    }
}

int plants_set(struct plants *plants, struct case_buffers *const *sets, uint32_t first, uint32_t count,
               struct err *err) {
    plants->first = first;
    plants->count = count;
    draw_planted(plants, sets);
    return write_places(plants, count * planted_a_set(plants), err);
}

// The list lies where a kernel may write to.
static int is_list_spoilt(const struct plants *plants, uint32_t count, struct err *err) {
    if (!plants->device) return 0;
    const size_t bytes = count * sizeof *plants->places;
    struct helper_place *seen = mem_alloc(bytes);
    const int code = plants->device->backend->work->copy_out(plants->device, seen, plants->lists, bytes, err);
    const bool is_spoilt = code == 0 && memcmp(seen, plants->places, bytes) != 0;
    free(seen);
    return code < 0 ? code : is_spoilt;
}

int plants_find(struct plants *plants, const bool *is_skipped, const struct plant **ret, struct err *err) {
    const uint32_t a_set = planted_a_set(plants), total = plants->count * a_set;
    *ret = NULL;
    TRY(read_places(plants, total, err));
    for (uint32_t i = 0; i < total && !*ret; ++i) {
        const uint32_t set = (plants->first + i / a_set) % plants->set_count;
        if (is_skipped && is_skipped[set]) continue;
        if (plants->read[i] == plants->planted[i].bits) *ret = &plants->planted[i];
    }
    return *ret ? is_list_spoilt(plants, total, err) : 0;
}

void plants_fini(struct plants *plants) {
    if (plants->lists) plants->device->backend->work->scratch_free(plants->device, plants->lists);
    free(plants->known);
    free(plants->planted);
    free(plants->places);
    free(plants->read);
    memset(plants, 0, sizeof *plants);
}
