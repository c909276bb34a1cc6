// SPDX-License-Identifier: Apache-2.0
//
// See tune_search.h.
#include "control/tune/tune_search.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define PARENTS_MAX    4
#define TRIES_MAX      64     // draws before a search looks from there on in order
#define SCAN_MAX       100000 // points that one such look passes
#define CROSSOVER_RATE 0.4
#define STEP_RATE      0.7 // of mutations: to a neighbouring value

const char *const tune_strategy_names[TUNE_STRATEGY_COUNT] = {
    [TUNE_EXHAUSTIVE] = "exhaustive", [TUNE_RANDOM] = "random", [TUNE_EVOLUTIONARY] = "evolutionary"};

void tune_search_init(struct tune_search *search, const struct tune_space *space, enum tune_strategy strategy,
                      uint64_t seed) {
    *search = (struct tune_search){.space = space, .strategy = strategy, .seed = seed, .best = SIZE_MAX};
}

void tune_search_fini(struct tune_search *search) {
    free(search->tried);
    *search = (struct tune_search){0};
}

bool tune_search_has(const struct tune_search *search, const struct tune_point *point) {
    for (size_t i = 0; i < search->tried_count; ++i)
        if (tune_point_is_equal(&search->tried[i].point, point)) return true;
    return false;
}

static size_t find_best(const struct tune_search *search) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < search->tried_count; ++i) {
        const struct tune_tried *item = &search->tried[i];
        if (item->is_alive && isfinite(item->log_ratio) &&
            (best == SIZE_MAX || item->log_ratio < search->tried[best].log_ratio))
            best = i;
    }
    return best;
}

size_t tune_search_add(struct tune_search *search, const struct tune_tried *tried) {
    MEM_GROW(search->tried, search->tried_capacity, search->tried_count + 1);
    search->tried[search->tried_count] = *tried;
    return search->tried_count++;
}

void tune_search_end_batch(struct tune_search *search) {
    const size_t best = find_best(search);
    search->idle_count = best == search->best ? search->idle_count + 1 : 0;
    search->best = best;
    ++search->batch_count;
}

size_t tune_search_first(const struct tune_search *search, tune_order is_before, size_t *ret_places,
                         size_t limit) {
    size_t count = 0;
    for (size_t i = 0; i < search->tried_count; ++i) {
        if (!isfinite(search->tried[i].log_ratio)) continue;
        size_t at = count < limit ? count++ : limit;
        for (; at > 0 && is_before(&search->tried[i], &search->tried[ret_places[at - 1]]); --at)
            if (at < limit) ret_places[at] = ret_places[at - 1];
        if (at < limit) ret_places[at] = i;
    }
    return count;
}

// ---- drawing ----

// The batch that is being made.
struct batch {
    struct tune_search *search;
    struct tune_point *points;
    size_t count, limit;
    uint64_t draw_count;
};

static uint64_t draw_below(struct batch *batch, uint64_t bound) {
    const struct tune_search *search = batch->search;
    return rng_below(search->seed ^ rng_stream("tune"), search->batch_count, batch->draw_count++, bound);
}

static double draw_uniform(struct batch *batch) {
    return (double)draw_below(batch, UINT64_C(1) << 53) * 0x1p-53;
}

static bool add(struct batch *batch, const struct tune_point *point) {
    for (size_t i = 0; i < batch->count; ++i)
        if (tune_point_is_equal(&batch->points[i], point)) return false;
    if (tune_search_has(batch->search, point) || tune_space_find_broken(batch->search->space, point))
        return false;
    batch->points[batch->count++] = *point;
    return true;
}

// Adds the first point from this number on, around the end, that was not tried. False: there is none.
static bool add_from(struct batch *batch, uint64_t number) {
    const uint64_t all = batch->search->space->point_count;
    const uint64_t most = all < SCAN_MAX ? all : SCAN_MAX;
    for (uint64_t i = 0; i < most; ++i) {
        const uint64_t at = number < all - i ? number + i : number - (all - i);
        const struct tune_point point = tune_space_point(batch->search->space, at);
        if (add(batch, &point)) return true;
    }
    return false;
}

static bool add_drawn(struct batch *batch) {
    uint64_t number = 0;
    for (int i = 0; i < TRIES_MAX; ++i) {
        number = draw_below(batch, batch->search->space->point_count);
        const struct tune_point point = tune_space_point(batch->search->space, number);
        if (add(batch, &point)) return true;
    }
    return add_from(batch, number);
}

// ---- evolution ----

// The steps of one knob by one value, two a knob, from a drawn one on; those of knobs with a lower priority
// number come first.
static size_t list_steps(struct batch *batch, size_t *ret) {
    const struct tune_space *space = batch->search->space;
    const size_t count = 2 * space->knob_count;
    const uint64_t first = draw_below(batch, count);
    for (size_t i = 0; i < count; ++i) {
        const size_t step = (size_t)(first + i) % count;
        size_t at = i;
        for (; at > 0 && space->knobs[ret[at - 1] / 2].priority > space->knobs[step / 2].priority; --at)
            ret[at] = ret[at - 1];
        ret[at] = step;
    }
    return count;
}

// Points that differ from this one by one step of one knob.
static void add_neighbours(struct batch *batch, const struct tune_point *point, size_t limit) {
    const struct tune_space *space = batch->search->space;
    size_t steps[2 * RECORD_PARAMS_MAX];
    const size_t count = list_steps(batch, steps);
    for (size_t i = 0; i < count && batch->count < limit; ++i) {
        const size_t knob = steps[i] / 2;
        const bool is_up = steps[i] % 2;
        struct tune_point near = *point;
        if (is_up ? near.at[knob] + 1u >= space->knobs[knob].value_count : near.at[knob] == 0) continue;
        near.at[knob] = (uint8_t)(is_up ? near.at[knob] + 1 : near.at[knob] - 1);
        add(batch, &near);
    }
}

// The fastest that were timed, dropped or not.
static bool is_faster(const struct tune_tried *a, const struct tune_tried *b) {
    return a->log_ratio < b->log_ratio;
}

static struct tune_point mutate(struct batch *batch, struct tune_point point) {
    const struct tune_space *space = batch->search->space;
    const size_t knob = (size_t)draw_below(batch, space->knob_count);
    const size_t count = space->knobs[knob].value_count;
    if (draw_uniform(batch) >= STEP_RATE) {
        point.at[knob] = (uint8_t)draw_below(batch, count);
    } else if (draw_below(batch, 2)) {
        point.at[knob] = (uint8_t)(point.at[knob] + 1u < count ? point.at[knob] + 1 : point.at[knob]);
    } else {
        point.at[knob] = (uint8_t)(point.at[knob] ? point.at[knob] - 1 : 0);
    }
    return point;
}

static struct tune_point cross(struct batch *batch, const struct tune_point *a, const struct tune_point *b) {
    struct tune_point child = *a;
    for (size_t i = 0; i < batch->search->space->knob_count; ++i)
        if (draw_below(batch, 2)) child.at[i] = b->at[i];
    return child;
}

static bool add_child(struct batch *batch, const size_t *parents, size_t count) {
    const struct tune_tried *tried = batch->search->tried;
    for (int i = 0; i < TRIES_MAX; ++i) {
        const struct tune_point *a = &tried[parents[draw_below(batch, count)]].point;
        const struct tune_point *b = &tried[parents[draw_below(batch, count)]].point;
        struct tune_point child = *a;
        if (draw_uniform(batch) < CROSSOVER_RATE) child = cross(batch, a, b);
        child = mutate(batch, child);
        if (add(batch, &child)) return true;
    }
    return false;
}

// Half of a batch is neighbours of the best, one is drawn anywhere, the others are children. The search ends
// when neither has brought a new best for some batches, and the best has no neighbour that was not tried.
static void evolve(struct batch *batch) {
    struct tune_search *search = batch->search;
    size_t parents[PARENTS_MAX];
    const size_t parent_count = tune_search_first(search, is_faster, parents, PARENTS_MAX);
    const struct tune_point start = tune_space_start(search->space);
    const struct tune_point *centre = search->best < SIZE_MAX ? &search->tried[search->best].point : &start;
    const bool is_idle = search->idle_count >= TUNE_BATCHES_WITHOUT_GAIN;
    add_neighbours(batch, centre, is_idle ? batch->limit : (batch->limit + 1) / 2);
    if (is_idle && batch->count == 0) return;
    bool is_open = true;
    if (parent_count == 0)
        while (batch->count < batch->limit && is_open) is_open = add_drawn(batch);
    if (batch->count < batch->limit) add_drawn(batch);
    while (batch->count < batch->limit && is_open)
        is_open = (parent_count && add_child(batch, parents, parent_count)) || add_drawn(batch);
}

static void enumerate(struct batch *batch) {
    struct tune_search *search = batch->search;
    while (batch->count < batch->limit && search->next_number < search->space->point_count) {
        const struct tune_point point = tune_space_point(search->space, search->next_number++);
        add(batch, &point);
    }
}

size_t tune_search_next(struct tune_search *search, struct tune_point *ret, size_t limit) {
    struct batch batch = {.search = search, .points = ret, .limit = limit};
    switch (search->strategy) {
    case TUNE_EXHAUSTIVE: enumerate(&batch); break;
    case TUNE_EVOLUTIONARY: evolve(&batch); break;
    default:
        while (batch.count < limit && add_drawn(&batch)) continue;
    }
    return batch.count;
}
