// SPDX-License-Identifier: Apache-2.0
//
// Sets of buffers: their number, their inputs, and what their outputs have to be.
#include "worker/order/work_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/signed_figure.h"
#include "base/str.h"
#include "worker/check/same_precision.h"
#include "worker/host/host_client.h"

#define MEMORY_SHARE 8  // at most one part in so many of the device's memory, or of the limit, for all
#define LEARN_ROWS   32 // rows of every other set that are checked against the oracle
// Other sets that are checked against the reference of a declared operator, which takes a process each time.
// They are drawn: a kernel must not know which.
#define LEARN_DECLARED 2

// All sets share the scratch memory of set 0: they are worked on one after the other.
static int open_set(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err) {
    const struct work_case *wanted = sets->run->wanted;
    struct case_buffers *buffers = sets->items[k];
    work_say_progress(sets->work);
    TRY(case_run_init_buffers(sets->work, sets->run, buffers, err));
    buffers->number = k;
    if (k) case_buffers_share_scratch(buffers, sets->items[0]);
    TRY(case_buffers_fill(buffers, wanted->distribution, seed, err));
    sets->seeds[k] = seed;
    sets->is_fresh[k] = false;
    sets->lists[k] = buffers->list;
    return 0;
}

static int add_set(struct work_sets *sets, struct err *err) {
    const uint32_t k = sets->count;
    sets->items[k] = mem_alloc(sizeof *sets->items[k]);
    const int code = open_set(sets, k, dice_u64(&sets->run->dice), err);
    if (code < 0) {
        free(sets->items[k]); // what it had is freed by open_set's parts
        sets->items[k] = NULL;
        return code;
    }
    ++sets->count;
    return 0;
}

int work_sets_init(struct work_sets *sets, struct work *work, struct case_run *run, struct err *err) {
    const struct device *device = work->device;
    memset(sets, 0, sizeof *sets);
    sets->items = mem_alloc(WORK_SETS_MAX * sizeof *sets->items);
    sets->lists = mem_alloc(WORK_SETS_MAX * sizeof *sets->lists);
    sets->seeds = mem_alloc(WORK_SETS_MAX * sizeof *sets->seeds);
    sets->is_fresh = mem_alloc(WORK_SETS_MAX * sizeof *sets->is_fresh);
    sets->hashes = mem_alloc(WORK_SETS_MAX * sizeof *sets->hashes);
    sets->tallies = mem_alloc(WORK_SIDES_MAX * sizeof *sets->tallies);
    sets->work = work;
    sets->run = run;
    sets->items[0] = &run->buffers;
    sets->lists[0] = run->buffers.list;
    sets->seeds[0] = run->buffers.seed;
    const uint64_t each_bytes = case_buffers_bytes(&run->buffers);
    const uint32_t count = work_sets_wanted(work, each_bytes);
    // Checked before anything is allocated, with figures that help to choose a smaller problem.
    if (device->backend->work && device->info.memory_bytes && each_bytes * count > device->info.memory_bytes)
        return err_set(
            err, ERR_UNAVAILABLE,
            "%s in %u sets of buffers takes %.1f GiB and %s has %.1f GiB; choose a smaller problem or "
            "another cache mode",
            run->buffers.problem.name, count, (double)(each_bytes * count) / (1 << 30), device->info.device,
            (double)device->info.memory_bytes / (1 << 30));
    sets->count = 1;
    while (sets->count < count) TRY(add_set(sets, err));
    return 0;
}

uint64_t work_sets_memory_bytes(const struct work *work) {
    const uint64_t limit = run_limits_memory_bytes(&work->order->sampling.limits);
    const uint64_t memory = work->device->info.memory_bytes;
    const bool is_limited = !work->device->backend->work && limit && limit < memory;
    return (is_limited ? limit : memory) / MEMORY_SHARE;
}

int work_sets_grow(struct work_sets *sets, uint32_t count, struct err *err) {
    const uint64_t each_bytes = case_buffers_bytes(&sets->run->buffers) * sets->work->order->side_count;
    if (!each_bytes) return 0; // times alone
    const uint64_t most = work_sets_memory_bytes(sets->work) / each_bytes;
    if (count > most) count = (uint32_t)most;
    if (count > WORK_SETS_MAX) count = WORK_SETS_MAX;
    while (sets->count < count) {
        struct err why = {0};
        const int code = add_set(sets, &why);
        if (code == -ERR_UNAVAILABLE) return 0; // memory or descriptors end here: samples are shorter
        if (code < 0 && err) *err = why;
        TRY(code);
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
    for (uint32_t k = 1; k < sets->count; ++k) {
        case_buffers_fini(sets->items[k]);
        free(sets->items[k]);
    }
    own_inputs_fini(&sets->own);
    free(sets->items);
    free(sets->lists);
    free(sets->seeds);
    free(sets->is_fresh);
    free(sets->hashes);
    free(sets->tallies);
    memset(sets, 0, sizeof *sets);
}

static bool is_side_ready(const struct work_sets *sets, uint32_t side) {
    return sets->run->instances[side].is_prepared;
}

static int select_side(struct work_sets *sets, uint32_t side, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) TRY(case_buffers_select(sets->items[k], side, err));
    return 0;
}

int work_sets_show_side(struct work_sets *sets, uint32_t side, struct err *err) {
    struct kernel_instance *instance = &sets->run->instances[side];
    struct host *host = instance->home.host;
    int code = 0;
    if (host) host_hold(host);
    for (uint32_t k = 0; k < sets->count && code == 0; ++k)
        code = kernel_instance_show(instance, sets->items[k], err);
    if (host) host_let_go(host);
    return code;
}

int work_sets_show(struct work_sets *sets, struct err *err) {
    for (uint32_t turn = 0; turn < sets->work->order->side_count; ++turn) {
        const uint32_t side = work_side_in_turn(sets->work, turn);
        if (is_side_ready(sets, side)) TRY(work_sets_show_side(sets, side, err));
    }
    return 0;
}

static int poison_selected(struct work_sets *sets, struct err *err) {
    for (uint32_t k = 0; k < sets->count; ++k) TRY(case_buffers_poison(sets->items[k], POISON_OUTPUT, err));
    return 0;
}

int work_sets_poison(struct work_sets *sets, struct err *err) {
    if (!sets->work->is_apart) return poison_selected(sets, err);
    for (uint32_t turn = 0; turn < sets->work->order->side_count; ++turn) {
        const uint32_t side = work_side_in_turn(sets->work, turn);
        if (!is_side_ready(sets, side)) continue;
        TRY(select_side(sets, side, err));
        TRY(poison_selected(sets, err));
    }
    return 0;
}

static int wrong(struct check_result *result, enum finding finding, const char *text) {
    result->outcome = OUTCOME_FAIL;
    result->finding = finding;
    snprintf(result->message, sizeof result->message, "%s", text);
    return SAMPLE_WRONG;
}

// Checks newly drawn rows at every call and in every round.
static int check_rows(struct work_sets *sets, uint32_t side, uint32_t k, const char *what,
                      struct check_result *result, struct err *err) {
    struct case_buffers *buffers = sets->items[k];
    const struct rows_wanted rows = {.row_max = LEARN_ROWS,
                                     .seed = dice_u64(&sets->run->dice),
                                     .tally = &sets->tallies[side][sets->tally_count++ % 2]};
    struct slice_failure failure = {0};
    const int code = buffers->checker->check_rows(buffers, &rows, &failure, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND) return SAMPLE_RIGHT;
    char text[sizeof result->message];
    const bool is_rounding = slice_failure_is_rounding(buffers, &failure);
    if (*failure.why)
        snprintf(text, sizeof text, "%s: %s", what, failure.why);
    else
        snprintf(text, sizeof text, "%s: got %.9g, expected %.9g%s", what, unsigned_nan(failure.got),
                 unsigned_nan(failure.expected), is_rounding ? ", a little beyond the tolerance" : "");
    return wrong(result, is_rounding ? FINDING_WRONG_VALUE : FINDING_STALE, text);
}

// *left: how many from set k on.
static bool draw_checked(struct work_sets *sets, uint32_t k, uint32_t *left) {
    if (k == 0 || sets->items[k]->problem.op->oracle) return true;
    const bool ret = dice_below(&sets->run->dice, sets->count - k) < *left;
    *left -= ret;
    return ret;
}

// Of a set that was launched on.
static int learn_set(struct work_sets *sets, uint32_t side, uint32_t k, bool is_checked,
                     struct check_result *result, struct err *err) {
    struct case_buffers *buffers = sets->items[k];
    struct kernel_instance *instance = &sets->run->instances[side];
    struct tensor_hashes hashes;
    TRY(case_buffers_make_visible(buffers, true, err));
    TRY(buffers->checker->hash(&buffers, 1, HASHED_ALL, &hashes, err));
    memcpy(sets->hashes[k][side], hashes.outputs, sizeof hashes.outputs);
    if (!case_check_memory(buffers, POISON_OUTPUT, instance, &hashes, result)) return SAMPLE_WRONG;
    const bool is_order_free = buffers->problem.op->is_order_free; // then rows tell, not bits
    if (k == 0 && !is_order_free &&
        memcmp(hashes.outputs, sets->run->hashes[side].outputs, HASH_HEX_BYTES) != 0)
        return wrong(
            result, FINDING_STALE,
            "right when checked, but a launch on the same inputs after the check gave other results");
    if (k == 0 && !is_order_free) return SAMPLE_RIGHT;
    if (!is_checked) return SAMPLE_RIGHT;
    char what[96];
    if (k == 0)
        snprintf(what, sizeof what,
                 "right when checked, wrong in a launch on the same inputs after the check");
    else
        snprintf(what, sizeof what, "right for the first inputs, wrong for those of rotation set %u", k);
    return check_rows(sets, side, k, what, result, err);
}

static int launch_sets(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t count,
                       struct check_result *result, struct err *err) {
    for (uint32_t k = first; k < first + count; ++k) {
        TRY(case_buffers_select(sets->items[k], side, err));
        TRY(case_buffers_poison(sets->items[k], POISON_OUTPUT, err));
    }
    work_say_progress(sets->work);
    const bool is_good = kernel_instance_launch_sets(&sets->run->instances[side], &sets->items[first],
                                                     &sets->lists[first], count, result);
    work_say_progress(sets->work);
    return is_good ? SAMPLE_RIGHT : SAMPLE_WRONG;
}

int work_sets_learn(struct work_sets *sets, uint32_t side, uint32_t launches, struct check_result *result,
                    struct err *err) {
    // So that no side finds what another one has done to its inputs.
    for (uint32_t k = 0; k < sets->count && sets->work->has_open_inputs; ++k)
        TRY(work_sets_refill_own(sets, k, err));
    uint32_t left = LEARN_DECLARED;
    TRY(work_sets_show_side(sets, side, err));
    for (uint32_t k = 0, end = 0; k < sets->count; ++k) {
        int code = SAMPLE_RIGHT;
        if (k == end) {
            end = sets->count - k < launches ? sets->count : k + launches;
            code = launch_sets(sets, side, k, end - k, result, err);
        }
        if (code == SAMPLE_RIGHT) code = learn_set(sets, side, k, draw_checked(sets, k, &left), result, err);
        if (code) return code;
    }
    sets->learnt[side] = sets->count;
    const struct dice dice = dice_child(&sets->run->dice, "canaries", side);
    return canaries_learn(&sets->canaries[side], sets->items, sets->count, &dice, err);
}

// ---- around a sample ----

int work_sets_set_canaries(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t launches,
                           struct err *err) {
    const uint32_t count = launches < sets->count ? launches : sets->count;
    const struct canary_range range = {
        .first = first % sets->count, .count = count, .is_fresh = sets->is_fresh};
    TRY(select_side(sets, side, err));
    return canaries_set(&sets->canaries[side], sets->items, &range, err);
}

// The inputs of one drawn set of the sample, where a host can write them.
static int check_inputs(struct work_sets *sets, uint32_t side, struct check_result *result, struct err *err) {
    const struct canaries *canaries = &sets->canaries[side];
    if (!sets->work->has_open_inputs || !canaries->count) return SAMPLE_RIGHT;
    const uint64_t drawn = dice_below(&sets->run->dice, canaries->count);
    struct case_buffers *buffers = sets->items[(canaries->first + drawn) % sets->count];
    struct tensor_hashes hashes;
    uint32_t input;
    TRY(case_buffers_make_visible(buffers, true, err));
    TRY(buffers->checker->hash(&buffers, 1, HASHED_INPUTS, &hashes, err));
    if (!case_buffers_find_changed_input(buffers, &hashes, &input)) return SAMPLE_RIGHT;
    char text[sizeof result->message];
    snprintf(text, sizeof text, "input '%s' was changed by timed launches", buffers->own[input].name);
    return wrong(result, FINDING_INPUT_CHANGED, text);
}

int work_sets_find_canary(struct work_sets *sets, uint32_t side, struct check_result *result,
                          struct err *err) {
    const struct canary *left;
    bool is_list_changed;
    TRY(select_side(sets, side, err));
    TRY(canaries_find(&sets->canaries[side], sets->is_fresh, &left, &is_list_changed, err));
    if (is_list_changed)
        return wrong(result, FINDING_OUT_OF_BOUNDS,
                     "a list of assay's own in the device's memory was written over while kernels ran");
    if (!left) return check_inputs(sets, side, result, err);
    char text[sizeof result->message];
    snprintf(text, sizeof text,
             "right when checked, but a timed launch did not write '%s' (its byte %llu and following): it "
             "does less when timed, or looks at what its outputs hold",
             sets->items[0]->own[left->tensor].name, (unsigned long long)left->offset_bytes);
    return wrong(result, FINDING_STALE, text);
}

int work_sets_spoil(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t count, struct err *err) {
    TRY(select_side(sets, side, err));
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = (first + i) % sets->count;
        const struct case_buffers *buffers = sets->items[k];
        for (uint32_t o = 0; o < case_buffers_output_count(buffers) && !sets->is_fresh[k]; ++o)
            if (case_buffers_host_output(buffers, o)->access == ASSAY_OUT)
                tensor_negate(case_buffers_host_output(buffers, o));
    }
    return 0;
}

int work_sets_restore_in_out(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t count,
                             struct err *err) {
    if (!sets->items[0]->has_in_out) return 0;
    TRY(select_side(sets, side, err));
    for (uint32_t i = 0; i < count; ++i)
        TRY(case_buffers_poison(sets->items[(first + i) % sets->count], POISON_OUTPUT, err));
    return 0;
}

// What was checked on other inputs in between may have left these in set 0.
static bool has_own_inputs(const struct work_sets *sets, uint32_t k) {
    return !sets->is_fresh[k] && sets->items[k]->seed == sets->seeds[k] &&
           str_equal(sets->items[k]->distribution, sets->run->wanted->distribution);
}

int work_sets_refill(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err) {
    if (has_own_inputs(sets, k) && !sets->work->has_open_inputs)
        own_inputs_keep(&sets->own, k, sets->items[k]);
    sets->is_fresh[k] = true;
    work_say_progress(sets->work);
    return case_buffers_fill(sets->items[k], sets->run->wanted->distribution, seed, err);
}

int work_sets_refill_own(struct work_sets *sets, uint32_t k, struct err *err) {
    work_say_progress(sets->work);
    const char *distribution = sets->run->wanted->distribution;
    const bool is_alike = str_equal(sets->items[k]->distribution, distribution);
    if (!is_alike || !own_inputs_restore(&sets->own, k, sets->items[k], sets->seeds[k]))
        TRY(case_buffers_fill(sets->items[k], distribution, sets->seeds[k], err));
    sets->is_fresh[k] = false;
    return 0;
}

int work_sets_refill_alike(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err) {
    own_inputs_read(&sets->own, k, sets->items[k]);
    return work_sets_refill(sets, k, seed, err);
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
    work_say_progress(sets->work);
    if (!case_check_memory(buffers, POISON_OUTPUT, &sets->run->instances[side], hashes, result))
        return SAMPLE_WRONG;
    // A declared operator's reference does not run between samples: kept launches are compared after them.
    const struct operator_def *op = buffers->problem.op;
    const bool is_known = !sets->is_fresh[index] && index < sets->learnt[side];
    if (!op->oracle && (!is_known || op->is_order_free)) return SAMPLE_RIGHT;
    if (!is_known)
        return check_rows(sets, side, index,
                          "right when checked, but a timed launch on data that it had not seen before gave "
                          "something else",
                          result, err);
    if (memcmp(hashes->outputs, sets->hashes[index][side], sizeof hashes->outputs) == 0) return SAMPLE_RIGHT;
    if (buffers->problem.op->is_order_free)
        return check_rows(sets, side, index, "right when checked, but a timed launch gave something else",
                          result, err);
    return wrong(
        result, FINDING_STALE,
        buffers->checker->has_poison(buffers, POISON_OUTPUT)
            ? "right when checked, but a timed launch left its output unwritten: it does less when timed"
            : "right when checked, but the output of timed launches differs from the checked one");
}

int work_sets_check_kept(struct work_sets *sets, uint32_t side, uint32_t index, struct check_result *result,
                         struct err *err) {
    if (sets->items[index]->problem.op->oracle) return SAMPLE_RIGHT; // verified when the sample ended
    work_say_progress(sets->work);
    return check_rows(sets, side, index,
                      "right when checked, but a timed launch on data that it had not seen before gave "
                      "something else",
                      result, err);
}

// Outputs are hashed before anything else, so that work that is still going on has least time to finish.
int work_sets_verify(struct work_sets *sets, const struct set_range *range, struct check_result *result,
                     struct err *err) {
    struct tensor_hashes *hashes = mem_alloc((range->count + 1) * sizeof *hashes);
    struct case_buffers **items = mem_alloc((range->count + 1) * sizeof *items);
    int code = select_side(sets, range->side, err);
    for (uint32_t i = 0; i < range->count && code == 0; ++i) {
        items[i] = sets->items[(range->first + i) % sets->count];
        code = case_buffers_make_visible(items[i], true, err);
    }
    if (code == 0) code = sets->items[0]->checker->hash(items, range->count, HASHED_ALL, hashes, err);
    for (uint32_t i = 0; i < range->count && code == 0; ++i)
        code = verify_set(sets, range->side, (range->first + i) % sets->count, &hashes[i], result, err);
    free(hashes);
    free(items);
    return code;
}

int work_sets_judge_precision(struct work_sets *sets, uint32_t side, struct check_result *result) {
    struct case_buffers *buffers = sets->items[0];
    bool is_gated[OP_TENSORS_MAX];
    if (!precision_find_gated(buffers, is_gated)) return SAMPLE_RIGHT;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        struct reference_same_precision error, limit;
        bool is_passed = !is_gated[k];
        for (size_t half = 0; half < 2; ++half)
            is_passed |= precision_tally_passes(&sets->tallies[side][half], buffers, k, &error, &limit);
        if (is_passed) continue;
        char text[sizeof result->message];
        error.row_count = sets->tallies[side][0].row_count[k] + sets->tallies[side][1].row_count[k];
        snprintf(text, sizeof text, "in timed launches '%s': %s", case_buffers_host_output(buffers, k)->name,
                 same_precision_explain(&error, &limit).text);
        return wrong(result, FINDING_TWO_X, text);
    }
    return SAMPLE_RIGHT;
}
