// SPDX-License-Identifier: Apache-2.0
//
// Sets of buffers: their number, their inputs, and what their outputs have to be.
#include "worker/order/work_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "worker/check/same_precision.h"

#define ROTATE_LEAST 2
#define FEW_SETS_MAX 8  // if a sample need not use all sets equally often
#define LEARN_ROWS   32 // rows of every other set that are checked against the oracle

// All sets share the scratch memory of set 0: they are worked on one after the other.
static int open_set(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err) {
    const struct work_case *wanted = sets->run->wanted;
    struct case_buffers *buffers = sets->items[k];
    TRY(case_buffers_init(buffers, sets->work->device, &wanted->problem, wanted->memory_layout,
                          sets->run->shift_bytes, err));
    if (k) case_buffers_share_scratch(buffers, sets->items[0]);
    TRY(case_buffers_fill(buffers, wanted->distribution, seed, err));
    sets->seeds[k] = seed;
    sets->is_fresh[k] = false;
    sets->lists[k] = buffers->list;
    return 0;
}

int work_sets_init(struct work_sets *sets, struct work *work, struct case_run *run, struct err *err) {
    const struct device *device = work->device;
    memset(sets, 0, sizeof *sets);
    sets->work = work;
    sets->run = run;
    sets->items[0] = &run->buffers;
    sets->lists[0] = run->buffers.list;
    sets->seeds[0] = run->buffers.seed;
    const uint64_t each_bytes = case_buffers_bytes(&run->buffers);
    uint64_t count = 1;
    if (work->order->sampling.cache_mode == CACHE_ROTATE) {
        const uint32_t most = device->wants_whole_rotations ? WORK_SETS_MAX : FEW_SETS_MAX;
        count = (WORK_SETS_COVER * device->rotate_bytes + each_bytes - 1) / each_bytes;
        if (count < ROTATE_LEAST) count = ROTATE_LEAST;
        if (count > most) count = most;
    }
    // Checked before anything is allocated, with figures that help to choose a smaller problem.
    if (device->backend->work && device->info.memory_bytes && each_bytes * count > device->info.memory_bytes)
        return err_set(
            err, ERR_UNAVAILABLE,
            "%s in %u sets of buffers takes %.1f GiB and %s has %.1f GiB; choose a smaller problem or "
            "another cache mode",
            run->buffers.problem.name, (unsigned)count, (double)(each_bytes * count) / (1 << 30),
            device->info.device, (double)device->info.memory_bytes / (1 << 30));
    for (sets->count = 1; sets->count < count; ++sets->count) {
        const uint32_t k = sets->count;
        sets->items[k] = mem_alloc(sizeof *sets->items[k]);
        TRY(open_set(sets, k, rng_u64(run->wanted->seed, rng_stream("rotation set"), k), err));
    }
    return 0;
}

int work_sets_renew(struct work_sets *sets, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) {
        case_buffers_fini(sets->items[k]);
        TRY(open_set(sets, k, sets->seeds[k], err));
    }
    return 0;
}

void work_sets_fini(struct work_sets *sets) {
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) canaries_fini(&sets->canaries[side]);
    for (uint32_t k = 1; k < WORK_SETS_MAX; ++k) {
        if (!sets->items[k]) continue;
        case_buffers_fini(sets->items[k]);
        free(sets->items[k]);
    }
    memset(sets, 0, sizeof *sets);
}

int work_sets_poison(struct work_sets *sets, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) TRY(case_buffers_poison(sets->items[k], POISON_OUTPUT, err));
    return 0;
}

static int wrong(struct check_result *result, enum finding finding, const char *text) {
    result->outcome = OUTCOME_FAIL;
    result->finding = finding;
    snprintf(result->message, sizeof result->message, "%s", text);
    return SAMPLE_WRONG;
}

// Checks newly drawn rows at every call and in every round.
static int check_rows(struct work_sets *sets, uint32_t k, const char *what, struct check_result *result,
                      struct err *err) {
    struct case_buffers *buffers = sets->items[k];
    const struct work_order *order = sets->work->order;
    const uint64_t round = rng_u64(order->seed, rng_stream("rows"), order->round);
    const struct rows_wanted rows = {.row_max = LEARN_ROWS,
                                     .seed = rng_u64(round, order->attempt, sets->row_draws++)};
    struct slice_failure failure = {0};
    const int code = buffers->checker->check_rows(buffers, &rows, &failure, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND) return SAMPLE_RIGHT;
    char text[sizeof result->message];
    snprintf(text, sizeof text, "%s: got %.9g, expected %.9g", what, failure.got, failure.expected);
    return wrong(result, FINDING_STALE, text);
}

static int learn_set(struct work_sets *sets, uint32_t side, uint32_t k, struct check_result *result,
                     struct err *err) {
    struct case_buffers *buffers = sets->items[k];
    struct kernel_instance *instance = &sets->run->instances[side];
    struct tensor_hashes hashes;
    TRY(case_buffers_poison(buffers, POISON_OUTPUT, err));
    if (!kernel_instance_launch(instance, &buffers->list, NULL, result)) return SAMPLE_WRONG;
    TRY(case_buffers_make_visible(buffers, true, err));
    TRY(buffers->checker->hash(&buffers, 1, HASHED_ALL, &hashes, err));
    memcpy(sets->hashes[side][k], hashes.outputs, sizeof hashes.outputs);
    if (!case_check_memory(buffers, POISON_OUTPUT, instance, &hashes, result)) return SAMPLE_WRONG;
    if (k == 0 && memcmp(hashes.outputs, sets->run->hashes[side].outputs, HASH_HEX_BYTES) != 0)
        return wrong(
            result, FINDING_STALE,
            "right when checked, but a launch on the same inputs after the check gave other results");
    if (k == 0) return SAMPLE_RIGHT;
    char what[96];
    snprintf(what, sizeof what, "right for the first inputs, wrong for those of rotation set %u", k);
    return check_rows(sets, k, what, result, err);
}

int work_sets_learn(struct work_sets *sets, uint32_t side, struct check_result *result, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) {
        const int code = learn_set(sets, side, k, result, err);
        if (code) return code;
    }
    const struct work_order *order = sets->work->order;
    const uint64_t round = rng_u64(order->seed, rng_stream("plants"), order->round);
    const uint64_t of_case = rng_u64(round, sets->run->wanted->index, order->attempt);
    return canaries_learn(&sets->canaries[side], sets->items, sets->count, rng_u64(of_case, side, 0), err);
}

// ---- around a sample ----

int work_sets_set_canaries(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t launches,
                           struct err *err) {
    const uint32_t count = launches < sets->count ? launches : sets->count;
    return canaries_set(&sets->canaries[side], sets->items, first % sets->count, count, err);
}

int work_sets_find_canary(struct work_sets *sets, uint32_t side, struct check_result *result,
                          struct err *err) {
    const struct canary *left;
    bool is_list_changed;
    TRY(canaries_find(&sets->canaries[side], sets->is_fresh, &left, &is_list_changed, err));
    if (is_list_changed)
        return wrong(result, FINDING_OUT_OF_BOUNDS,
                     "a list of assay's own in the device's memory was written over while kernels ran");
    if (!left) return SAMPLE_RIGHT;
    char text[sizeof result->message];
    snprintf(text, sizeof text,
             "right when checked, but a timed launch did not write '%s' (its byte %llu and following): it "
             "does less when timed, or looks at what its outputs hold",
             role_name(sets->items[0]->own[left->tensor].role), (unsigned long long)left->offset_bytes);
    return wrong(result, FINDING_STALE, text);
}

int work_sets_refill(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err) {
    sets->is_fresh[k] = true;
    return case_buffers_fill(sets->items[k], sets->run->wanted->distribution, seed, err);
}

int work_sets_refill_own(struct work_sets *sets, uint32_t k, struct err *err) {
    TRY(case_buffers_fill(sets->items[k], sets->run->wanted->distribution, sets->seeds[k], err));
    sets->is_fresh[k] = false;
    return 0;
}

int work_sets_restore(struct work_sets *sets, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k)
        if (sets->is_fresh[k]) TRY(work_sets_refill_own(sets, k, err));
    return 0;
}

// ---- after timed launches ----

static int verify_set(struct work_sets *sets, uint32_t side, uint32_t index,
                      const struct tensor_hashes *hashes, struct check_result *result, struct err *err) {
    struct case_buffers *buffers = sets->items[index];
    if (!case_check_memory(buffers, POISON_OUTPUT, &sets->run->instances[side], hashes, result))
        return SAMPLE_WRONG;
    if (sets->is_fresh[index])
        return check_rows(sets, index,
                          "right when checked, but a timed launch on data that it had not seen before gave "
                          "something else",
                          result, err);
    if (memcmp(hashes->outputs, sets->hashes[side][index], sizeof hashes->outputs) == 0) return SAMPLE_RIGHT;
    return wrong(
        result, FINDING_STALE,
        buffers->checker->has_poison(buffers, POISON_OUTPUT)
            ? "right when checked, but a timed launch left its output unwritten: it does less when timed"
            : "right when checked, but the output of timed launches differs from the checked one");
}

// Outputs are hashed before anything else, so that work that is still going on has least time to finish.
int work_sets_verify(struct work_sets *sets, const struct set_range *range, struct check_result *result,
                     struct err *err) {
    struct tensor_hashes hashes[WORK_SETS_MAX];
    struct case_buffers *items[WORK_SETS_MAX];
    for (uint32_t i = 0; i < range->count; ++i) {
        items[i] = sets->items[(range->first + i) % sets->count];
        TRY(case_buffers_make_visible(items[i], true, err));
    }
    TRY(sets->items[0]->checker->hash(items, range->count, HASHED_ALL, hashes, err));
    for (uint32_t i = 0; i < range->count; ++i) {
        const int code =
            verify_set(sets, range->side, (range->first + i) % sets->count, &hashes[i], result, err);
        if (code) return code;
    }
    return 0;
}
