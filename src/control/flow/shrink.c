// SPDX-License-Identifier: Apache-2.0
//
// See shrink.h.
#include "control/flow/shrink.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define STEP_MAX 256 // between sizes that there are

struct search {
    const struct shrink *shrink;
    struct problem smallest;
    bool is_changed, is_over;
    char **tried; // names of problems: none is tried twice, so that the search ends
    size_t tried_count, tried_capacity;
};

static bool was_tried(const struct search *search, const char *name) {
    for (size_t i = 0; i < search->tried_count; ++i)
        if (str_equal(search->tried[i], name)) return true;
    return false;
}

static bool is_out_of_tries(struct search *search) {
    const struct shrink *shrink = search->shrink;
    search->is_over |= search->tried_count >= shrink->tries_max || clock_ns() > shrink->deadline_ns;
    return search->is_over;
}

// 1: it fails, and is the smallest now; 0: it does not, has been tried, or there is no try left.
static int try_problem(struct search *search, const struct problem *problem, struct err *err) {
    if (was_tried(search, problem->name) || is_out_of_tries(search)) return 0;
    MEM_GROW(search->tried, search->tried_capacity, search->tried_count + 1);
    search->tried[search->tried_count++] = mem_format("%s", problem->name);
    const int fails = search->shrink->fails(search->shrink->arg, problem, err);
    TRY(fails);
    if (!fails) return 0;
    search->smallest = *problem;
    search->is_changed = true;
    return 1;
}

// Or the next larger size that there is: an operator may take multiples of 8 alone.
static int try_size(struct search *search, size_t axis, int64_t size, struct err *err) {
    const struct operator_def *op = search->smallest.op;
    const int64_t current = op->size(&search->smallest, axis);
    struct problem next;
    for (int64_t at = size; at < current && at < size + STEP_MAX; ++at)
        if (op->resize(&search->smallest, axis, at, &next)) return try_problem(search, &next, err);
    return 0;
}

// 1, 2, 3, 5, 9, ...: 1 and 2^i + 1. A size of one, and one beyond each whole tile.
static int64_t next_probe(int64_t size) {
    return size == 1 ? 2 : 2 * size - 1;
}

// The tail that the size leaves behind whole tiles of 4, 8, 16, ..., without the tiles. 1 and *size if one
// fails.
static int try_tails(struct search *search, size_t axis, int64_t *size, struct err *err) {
    for (int64_t tile = 4; tile < *size && !search->is_over; tile *= 2) {
        const int64_t tail = *size % tile;
        const int fails = tail ? try_size(search, axis, tail, err) : 0;
        TRY(fails);
        if (fails) return *size = tail, 1;
    }
    return 0;
}

// Between a size that passes and one that fails.
static int bisect(struct search *search, size_t axis, int64_t passing, int64_t failing, struct err *err) {
    while (failing - passing > 1 && !search->is_over) {
        const int64_t size = passing + (failing - passing) / 2;
        const int fails = try_size(search, axis, size, err);
        TRY(fails);
        if (fails)
            failing = size;
        else
            passing = size;
    }
    return 0;
}

static int shrink_axis(struct search *search, size_t axis, int64_t failing, struct err *err) {
    int64_t passing = 0;
    int fails = 0;
    for (int64_t size = 1; size < failing && !fails; size = next_probe(size)) {
        fails = try_size(search, axis, size, err);
        TRY(fails);
        if (fails)
            failing = size;
        else
            passing = size;
    }
    if (!fails) TRY(fails = try_tails(search, axis, &failing, err));
    if (passing >= failing) // a tail: the last probe below it has passed
        for (passing = 1; next_probe(passing) < failing;) passing = next_probe(passing);
    return bisect(search, axis, passing, failing, err);
}

// Before any axis is bisected, so that no size is kept for the sake of one that the failure does not need.
static int try_ones(struct search *search, struct err *err) {
    const struct operator_def *op = search->smallest.op;
    int64_t size;
    for (size_t axis = 0; op->size && (size = op->size(&search->smallest, axis)) > 0; ++axis)
        if (size > 1) TRY(try_size(search, axis, 1, err));
    return 0;
}

static int shrink_sizes(struct search *search, struct err *err) {
    const struct operator_def *op = search->smallest.op;
    int64_t size;
    TRY(try_ones(search, err));
    for (size_t axis = 0; op->size && (size = op->size(&search->smallest, axis)) > 0; ++axis)
        TRY(shrink_axis(search, axis, size, err));
    return 0;
}

static int leave_out_options(struct search *search, struct err *err) {
    struct problem next;
    for (size_t index = 0; problem_simplify(&search->smallest, index, &next);) {
        const int fails = try_problem(search, &next, err);
        TRY(fails);
        index = fails ? 0 : index + 1;
    }
    return 0;
}

int shrink_problem(const struct shrink *shrink, const struct problem *failing, struct problem *ret,
                   struct err *err) {
    struct search search = {.shrink = shrink, .smallest = *failing};
    int code = 0;
    do {
        search.is_changed = false;
        code = shrink_sizes(&search, err);
        if (code == 0) code = leave_out_options(&search, err);
    } while (code == 0 && search.is_changed && !search.is_over);
    for (size_t i = 0; i < search.tried_count; ++i) free(search.tried[i]);
    free(search.tried);
    if (code < 0 || str_equal(search.smallest.name, failing->name)) return code;
    *ret = search.smallest;
    return 1;
}
