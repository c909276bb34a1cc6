// SPDX-License-Identifier: Apache-2.0
//
// The closing check of a timed case. Sides share buffers, so what lies wrong in memory is first of all nobody's: only a side
// that does it alone, in new buffers, is accused.
#include "worker/work_timing.h"

#include "base/mem.h"
#include "base/rng.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "worker/fault.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fresh data may take so much longer than data launched before; more, every time, and results are kept by content.
#define FRESH_RATIO_MAX 2.0
#define FRESH_APART_NS  50000u
#define FRESH_TRIES     5

// The same of launches that are the first to use a set in their batch, against all launches of the samples. Threads are
// awake here, so that less time apart says something.
#define FIRST_RATIO_MAX 2.0
#define FIRST_APART_NS  10000.0
#define FIRST_TRIES     5

uint64_t timing_fresh_seed(struct timing *timing) {
    const struct work_order *order = timing->work->order;
    const uint64_t attempt =
        rng_u64(order->seed, rng_stream("fresh data"), ((uint64_t)order->round << 32) + order->attempt);
    return rng_u64(attempt, timing->run->wanted->index, timing->fresh_count++);
}

void timing_reject(struct timing *timing, size_t side) {
    const uint32_t number = timing->sides[side];
    struct check_result *check = &timing->run->checks[number]->check;
    if (timing->wrong->outcome != OUTCOME_FAIL) { // the launch itself failed: the sampler has its sentence
        timing->wrong->finding = timing->sampler.is_late ? FINDING_LATE_WORK : FINDING_LAUNCH_FAILED;
        snprintf(timing->wrong->message, sizeof timing->wrong->message, "%s", timing->sampler.message);
    }
    check->outcome = OUTCOME_FAIL;
    check->finding = timing->wrong->finding;
    memcpy(check->message, timing->wrong->message, sizeof check->message);
    timing->run->outcomes[number] = OUTCOME_FAIL;
    work_end_if_lost(timing->work, timing->run->checks[number]);
    memset(timing->wrong, 0, sizeof *timing->wrong);
}

// ---- who is to blame? ----

static bool is_of_memory(enum finding finding) {
    return finding == FINDING_OUT_OF_BOUNDS || finding == FINDING_GAP_WRITTEN ||
           finding == FINDING_INPUT_CHANGED;
}

static int renew_memory(struct timing *timing, struct err *err) {
    TRY(work_sets_renew(&timing->sets, err));
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        struct kernel_instance *instance = &timing->run->instances[timing->sides[i]];
        TRY(kernel_instance_renew_workspace(instance, err));
        timing->sampler.sides[i].batch.workspace = instance->workspace.data;
    }
    return work_sets_poison(&timing->sets, err);
}

// As many launches as a sample has, and every set at least once. 1: wrong.
static int run_and_verify(struct timing *timing, size_t side, struct err *err) {
    const uint32_t launches = timing->sampler.sides[side].batch.launches;
    const uint32_t count = launches > timing->sets.count ? launches : timing->sets.count;
    if (!sampler_launch(&timing->sampler, side, 0, count)) return 1;
    const struct sets_asked all = {.side = timing->sides[side], .count = timing->sets.count};
    return work_sets_verify(&timing->sets, &all, timing->wrong, err);
}

static int find_culprit(struct timing *timing, struct err *err) {
    char what[400];
    snprintf(what, sizeof what, "%.399s", timing->wrong->message);
    memset(timing->wrong, 0, sizeof *timing->wrong);
    bool is_found = false;
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        TRY(renew_memory(timing, err));
        const int code = run_and_verify(timing, i, err);
        TRY(code);
        if (code > 0) timing_reject(timing, i);
        is_found |= code > 0;
    }
    if (!is_found)
        snprintf(timing->spoilt, sizeof timing->spoilt,
                 "memory that the sides share was damaged, and no side does it alone: %s", what);
    return 0;
}

int timing_accuse(struct timing *timing, size_t side, struct err *err) {
    const bool is_shared = timing->sampler.side_count > 1;
    if (is_shared && timing->wrong->outcome == OUTCOME_FAIL && is_of_memory(timing->wrong->finding))
        return find_culprit(timing, err);
    timing_reject(timing, side);
    return 0;
}

// ---- the closing check ----

// Times of a simulated device are a script's, whatever a kernel does: noise of any size is no proof that results are kept.
static bool times_say_something(const struct timing *timing) {
    return !timing->work->device->is_virtual;
}

static bool is_right(const struct timing *timing, size_t side) {
    return timing->run->outcomes[timing->sides[side]] == OUTCOME_OK;
}

// All that a finding leaves to do here is in timing_accuse: a side less, or new buffers, and the samples are taken again.
static int verify_left(struct timing *timing, bool *ret_is_wrong, struct err *err) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < timing->sets.count; k += count) { // runs of sets that the same side used last
        const size_t side = timing->last[k];
        for (count = 1; k + count < timing->sets.count && timing->last[k + count] == side;) ++count;
        if (side == SIZE_MAX) continue;
        const struct sets_asked asked = {.side = timing->sides[side], .first = k, .count = count};
        const int code = work_sets_verify(&timing->sets, &asked, timing->wrong, err);
        if (code == 0) continue;
        *ret_is_wrong = true;
        return code < 0 ? code : timing_accuse(timing, side, err);
    }
    return 0;
}

// One launch on inputs just written to set 0, its outputs as an earlier launch left them. 1: it failed.
static int launch_refilled(struct timing *timing, size_t side, uint64_t seed, uint64_t *ret_ns,
                           struct err *err) {
    const uint32_t number = timing->sides[side];
    struct case_buffers *buffers = work_sets_at(&timing->sets, 0);
    TRY(work_sets_refill(&timing->sets, seed, err));
    work_sets_plant(&timing->sets, number, 0, 1);
    fault_select(side);
    return !kernel_instance_launch(&timing->run->instances[number], &buffers->list, ret_ns, timing->wrong);
}

// Results kept by what the inputs hold are right, and fast, on all data but fresh ones.
static int compare_fresh(struct timing *timing, size_t side, struct err *err) {
    const uint64_t known = timing->run->wanted->seed;
    for (int try = 0; try < FRESH_TRIES; ++try) {
        uint64_t known_ns, fresh_ns;
        int code = launch_refilled(timing, side, known, &known_ns, err);
        if (code == 0) code = launch_refilled(timing, side, timing_fresh_seed(timing), &fresh_ns, err);
        if (code) return code;
        if (!times_say_something(timing) || (double)fresh_ns <= FRESH_RATIO_MAX * (double)known_ns ||
            fresh_ns - known_ns <= FRESH_APART_NS)
            return 0;
        timing->wrong->outcome = OUTCOME_FAIL;
        timing->wrong->finding = FINDING_STALE;
        snprintf(timing->wrong->message, sizeof timing->wrong->message,
                 "right, but a launch on data launched before takes %.1f us and one on fresh data %.1f us: "
                 "results are kept by what the inputs hold",
                 (double)known_ns / 1e3, (double)fresh_ns / 1e3);
    }
    return 1;
}

// A launch of the samples, in the median; NAN when none counts.
static double sampled_ns(const struct sampler_side *side) {
    const struct samples samples = {.count = side->count, .items = side->items};
    double *times_ns = mem_alloc((side->count ? side->count : 1) * sizeof *times_ns);
    const size_t count = samples_times_ns(&samples, times_ns);
    float_order_sort(times_ns, count);
    const double median_ns = count ? describe_median(times_ns, count) : NAN;
    free(times_ns);
    return median_ns;
}

// Samples use every set many times, and only their first launches find outputs with planted values: are the others as slow?
// A launch on set 0 wakes the threads; the other sets are timed, each once.
static int compare_first(struct timing *timing, size_t side) {
    const uint32_t sets = timing->sets.count;
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    if (sets < 2 || sampled->batch.launches <= sets) return 0;
    const double usual_ns = sampled_ns(sampled);
    double first_ns = INFINITY;
    for (int try = 0; try < FIRST_TRIES; ++try) {
        work_sets_plant(&timing->sets, timing->sides[side], 0, sets);
        if (!sampler_launch(&timing->sampler, side, 0, 1)) return 1;
        const uint64_t batch_ns = sampler_time(&timing->sampler, side, 1, sets - 1);
        if (!batch_ns) return 1;
        first_ns = fmin(first_ns, (double)batch_ns / (sets - 1));
        const bool is_apart = times_say_something(timing) && first_ns > FIRST_RATIO_MAX * usual_ns &&
                              first_ns - usual_ns > FIRST_APART_NS;
        if (!is_apart) return 0;
    }
    timing->wrong->outcome = OUTCOME_FAIL;
    timing->wrong->finding = FINDING_STALE;
    snprintf(
        timing->wrong->message, sizeof timing->wrong->message,
        "right, but a launch takes %.1f us when it has to write its outputs and %.1f us when they hold its "
        "results already: repeated launches are skipped",
        first_ns / 1e3, usual_ns / 1e3);
    return 1;
}

static int verify_times(struct timing *timing, size_t side, struct err *err) {
    int code = compare_fresh(timing, side, err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    if (code == 0) memset(timing->wrong, 0, sizeof *timing->wrong);
    if (code == 0) code = compare_first(timing, side);
    if (code) timing_reject(timing, side);
    return 0;
}

int timing_verify_after(struct timing *timing, struct err *err) {
    bool is_wrong = false;
    TRY(verify_left(timing, &is_wrong, err));
    for (size_t i = 0; i < timing->sampler.side_count && !is_wrong; ++i) {
        TRY(verify_times(timing, i, err));
        if (!is_right(timing, i)) continue;
        TRY(work_sets_poison(&timing->sets, err));
        const int code = run_and_verify(timing, i, err);
        TRY(code);
        if (code > 0) TRY(timing_accuse(timing, i, err));
        is_wrong = code > 0;
    }
    return 0;
}
