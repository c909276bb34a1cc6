// SPDX-License-Identifier: Apache-2.0
//
// Sets of buffers: how many, with which inputs, and what their outputs have to be.
#include "worker/work_sets.h"

#include "base/mem.h"
#include "base/rng.h"
#include "check/yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROTATE_COVER 2 // times the caches that a rotation has to cover
#define ROTATE_LEAST 2
#define LEARN_ROWS   32 // rows of every other set that are held against the oracle

struct case_buffers *work_sets_at(const struct work_sets *sets, uint32_t index) {
    return index ? sets->others[index] : &sets->run->buffers;
}

static uint32_t wanted_count(const struct work_sets *sets) {
    if (sets->work->order->sampling.cache_mode != CACHE_ROTATE) return 1;
    const uint64_t bytes = case_buffers_bytes(&sets->run->buffers);
    const uint64_t count = (ROTATE_COVER * sets->work->device->rotate_bytes + bytes - 1) / bytes;
    return count < ROTATE_LEAST ? ROTATE_LEAST : count > WORK_SETS_MAX ? WORK_SETS_MAX : (uint32_t)count;
}

int work_sets_init(struct work_sets *sets, struct work *work, struct case_run *run, struct err *err) {
    memset(sets, 0, sizeof *sets);
    sets->work = work;
    sets->run = run;
    const uint32_t count = wanted_count(sets);
    const struct work_case *wanted = run->wanted;
    sets->lists[0] = run->buffers.list;
    for (sets->count = 1; sets->count < count; ++sets->count) {
        const uint32_t k = sets->count;
        struct case_buffers *buffers = sets->others[k] = mem_alloc(sizeof *buffers);
        TRY(case_buffers_init(buffers, work->device, &wanted->problem, wanted->placement, run->shift_bytes,
                              err));
        const uint64_t seed = rng_u64(wanted->seed, rng_stream("rotation set"), k);
        TRY(case_buffers_fill(buffers, wanted->family, seed, err));
        sets->lists[k] = buffers->list;
    }
    return 0;
}

int work_sets_renew(struct work_sets *sets, struct err *err) {
    const struct work_case *wanted = sets->run->wanted;
    for (uint32_t k = 0; k < sets->count; ++k) {
        struct case_buffers *buffers = work_sets_at(sets, k);
        const uint64_t seed = buffers->seed;
        case_buffers_fini(buffers);
        TRY(case_buffers_init(buffers, sets->work->device, &wanted->problem, wanted->placement,
                              sets->run->shift_bytes, err));
        TRY(case_buffers_fill(buffers, wanted->family, seed, err));
        sets->lists[k] = buffers->list;
    }
    return 0;
}

void work_sets_fini(struct work_sets *sets) {
    for (uint32_t k = 1; k < WORK_SETS_MAX; ++k) {
        if (!sets->others[k]) continue;
        case_buffers_fini(sets->others[k]);
        free(sets->others[k]);
    }
    memset(sets, 0, sizeof *sets);
}

int work_sets_poison(struct work_sets *sets, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k)
        TRY(case_buffers_poison(work_sets_at(sets, k), POISON_OUTPUT, err));
    return 0;
}

static int wrong(struct check_result *result, enum finding finding, const char *text) {
    result->outcome = OUTCOME_FAIL;
    result->finding = finding;
    snprintf(result->message, sizeof result->message, "%s", text);
    return 1;
}

static int check_rows(struct case_buffers *buffers, const char *what, struct check_result *result,
                      struct err *err) {
    struct slice_failure failure = {0};
    const int code = slices_check(buffers, LEARN_ROWS, &failure, err);
    if (code <= 0) return code;
    char text[sizeof result->message];
    snprintf(text, sizeof text, "%s: got %.9g, expected %.9g", what, failure.got, failure.expected);
    return wrong(result, FINDING_STALE, text);
}

static int learn_set(struct work_sets *sets, uint32_t side, uint32_t k, struct check_result *result,
                     struct err *err) {
    struct case_buffers *buffers = work_sets_at(sets, k);
    struct kernel_instance *instance = &sets->run->instances[side];
    char *hash = sets->hashes[side][k];
    TRY(case_buffers_poison(buffers, POISON_OUTPUT, err));
    if (!kernel_instance_launch(instance, &buffers->list, NULL, result)) return 1;
    TRY(case_buffers_download(buffers, true, err));
    case_check_hash_outputs(buffers, hash);
    if (!case_check_memory(buffers, POISON_OUTPUT, instance, result)) return 1;
    if (k == 0 && memcmp(hash, sets->run->hashes[side].outputs, HASH_HEX_BYTES) != 0)
        return wrong(
            result, FINDING_STALE,
            "right when checked, but a launch on the same inputs after the check gave other results");
    if (k > 0) {
        char what[96];
        snprintf(what, sizeof what, "right for the first inputs, wrong for those of rotation set %u", k);
        const int code = check_rows(buffers, what, result, err);
        if (code) return code;
    }
    plants_learn(&sets->plants[side][k], buffers,
                 rng_u64(buffers->seed, rng_stream("plants"), sets->work->order->round));
    return 0;
}

int work_sets_learn(struct work_sets *sets, uint32_t side, struct check_result *result, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) {
        const int code = learn_set(sets, side, k, result, err);
        if (code) return code;
    }
    return 0;
}

// ---- around a sample ----

static uint32_t sets_of(const struct work_sets *sets, uint32_t launches) {
    return launches < sets->count ? launches : sets->count;
}

void work_sets_plant(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t launches) {
    for (uint32_t i = 0; i < sets_of(sets, launches); ++i) {
        const uint32_t k = (first + i) % sets->count;
        plants_set(&sets->plants[side][k], work_sets_at(sets, k),
                   NULL); // a device that fails now fails the launch
    }
}

bool work_sets_is_written(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t launches,
                          bool is_fresh, struct check_result *result) {
    for (uint32_t i = 0; i < sets_of(sets, launches); ++i) {
        const uint32_t k = (first + i) % sets->count;
        struct case_buffers *buffers = work_sets_at(sets, k);
        if (is_fresh && k == 0) continue;
        if (case_buffers_download(buffers, false, NULL) < 0) continue;
        const struct plant *left = plants_find(&sets->plants[side][k], buffers);
        if (!left) continue;
        char text[sizeof result->message];
        snprintf(
            text, sizeof text,
            "right when checked, but a timed launch did not write '%s' (its byte %llu and following): it "
            "does less when timed, or looks at what its outputs hold",
            role_name(buffers->host[left->tensor].role), (unsigned long long)left->offset_bytes);
        wrong(result, FINDING_STALE, text);
        return false;
    }
    return true;
}

int work_sets_refill(struct work_sets *sets, uint64_t seed, struct err *err) {
    return case_buffers_fill(work_sets_at(sets, 0), sets->run->wanted->family, seed, err);
}

int work_sets_restore(struct work_sets *sets, struct err *err) {
    return work_sets_refill(sets, sets->run->wanted->seed, err);
}

// ---- after timed launches ----

static bool has_poison(const struct case_buffers *buffers) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->host[i];
        const struct tensor_rows rows = tensor_rows_of(tensor);
        for (size_t r = 0; r < rows.row_count; ++r)
            for (size_t b = 0; b < rows.row_bytes; b += rows.element_bytes)
                if (tensor_is_poison(tensor, rows.base + r * rows.pitch_bytes + b, POISON_OUTPUT))
                    return true;
    }
    return false;
}

// Outputs are hashed before anything else: what is still at work has least time to finish.
int work_sets_verify(struct work_sets *sets, uint32_t side, uint32_t index, bool is_fresh,
                     struct check_result *result, struct err *err) {
    struct case_buffers *buffers = work_sets_at(sets, index);
    char hex[HASH_HEX_BYTES];
    TRY(case_buffers_download(buffers, true, err));
    case_check_hash_outputs(buffers, hex);
    if (!case_check_memory(buffers, POISON_OUTPUT, &sets->run->instances[side], result)) return 1;
    if (is_fresh && index == 0)
        return check_rows(buffers,
                          "right when checked, but a timed launch on data that it had not seen before gave "
                          "something else",
                          result, err);
    if (memcmp(hex, sets->hashes[side][index], sizeof hex) == 0) return 0;
    return wrong(
        result, FINDING_STALE,
        has_poison(buffers)
            ? "right when checked, but a timed launch left its output unwritten: it does less when timed"
            : "right when checked, but the output of timed launches differs from the checked one");
}

int work_sets_verify_all(struct work_sets *sets, uint32_t side, struct check_result *result,
                         struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) {
        const int code = work_sets_verify(sets, side, k, false, result, err);
        if (code) return code;
    }
    return 0;
}
