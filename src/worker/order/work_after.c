// SPDX-License-Identifier: Apache-2.0
//
// The closing check of a timed case. Sides share buffers, so what lies wrong in memory is first of all
// nobody's: only a side that does it alone, in new buffers, is accused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "stats/describe.h"
#include "worker/order/fault.h"
#include "worker/order/work_lost.h"
#include "worker/order/work_timing.h"

// How much longer than usual launches may take, by both measures and every time, before that is no noise any
// more.
struct limit {
    double ratio, apart_ns;
};
#define COMPARE_TRIES   8  // undisturbed ones, all of them apart,
#define COMPARE_BATCHES 24 // of so many at most
#define COMPARE_MOST_NS 1000000000u
#define FRESH_SETS      4 // launched on fresh data in one batch
#define FRESH_MOST_NS   20e6
// Launches on fresh data against those on data launched before: more means that results are kept by content.
// Threads of a processor may have to wake up.
static const struct limit fresh_on_threads = {2.0, 20000}, fresh_by_events = {1.3, 3000};
// Launches that are the first to use a set in their batch against all launches of the samples. Threads are
// awake here. A batch of one launch brings the kernel's code to the device for it alone.
static const struct limit first_on_threads = {2.0, 10000}, first_by_events = {1.25, 1500},
                          only_by_events = {1.5, 3000};

#define NODE_SHARE_LEAST 0.8  // of an empty launch in a replay: nothing does something in less
#define BYTES_A_NS_MOST  20e3 // 20 TB/s from memory

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
    if (!sampler_launch(&timing->sampler, side, timing->sampler.sides[side].next_set, count)) return 1;
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

// Times of a simulated device are a script's, whatever a kernel does: noise of any size is no proof that
// results are kept.
static bool times_say_something(const struct timing *timing) {
    return !timing->work->device->is_virtual;
}

static bool is_right(const struct timing *timing, size_t side) {
    return timing->run->outcomes[timing->sides[side]] == OUTCOME_OK;
}

// All that a finding leaves to do here is in timing_accuse: a side less, or new buffers, and the samples are
// taken again.
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

static bool is_by_events(const struct timing *timing) {
    return timing->work->device->wants_whole_rotations;
}

// A launch of such a batch, without what a replay costs by itself.
static double launch_ns(const struct timing *timing, double batch_ns, uint32_t launches) {
    const double overhead_ns = is_by_events(timing) ? timing->work->device->replay_overhead_ns : 0;
    return fmax(batch_ns - overhead_ns, 1) / launches;
}

static bool is_apart(const struct timing *timing, const struct limit *limit, double usual_ns, double ns) {
    return times_say_something(timing) && ns > limit->ratio * usual_ns && ns - usual_ns > limit->apart_ns;
}

static int stale(struct timing *timing, const char *text) {
    timing->wrong->outcome = OUTCOME_FAIL;
    timing->wrong->finding = FINDING_STALE;
    snprintf(timing->wrong->message, sizeof timing->wrong->message, "%s", text);
    return 1;
}

// The shortest launch of batches that nothing disturbed.
struct shortest {
    double ns;
    uint32_t count; // such batches
    uint64_t spent_ns;
};

static bool is_known(const struct shortest *shortest) {
    return shortest->count >= COMPARE_TRIES;
}

// Too many disturbed ones: nothing is known then, and nobody accused.
static bool is_given_up(const struct shortest *shortest, int batches) {
    return batches > COMPARE_BATCHES || (!shortest->count && shortest->spent_ns > COMPARE_MOST_NS);
}

// What was canary in these sets must be gone. 1: wrong.
static int time_canary(struct timing *timing, size_t side, const struct sets_asked *used,
                       struct shortest *shortest, struct err *err) {
    const uint32_t first = used->first, launches = used->count;
    TRY(work_sets_set_canaries(&timing->sets, timing->sides[side], first, launches, err));
    const uint64_t batch_ns = sampler_time(&timing->sampler, side, first % timing->sets.count, launches);
    if (!batch_ns) return 1;
    shortest->spent_ns += batch_ns;
    if (!timing->sampler.is_disturbed) {
        shortest->ns = fmin(shortest->ns, launch_ns(timing, (double)batch_ns, launches));
        ++shortest->count;
    }
    return work_sets_find_canary(&timing->sets, timing->sides[side], timing->wrong, err);
}

// ---- fresh data ----

static int refill_sets(struct timing *timing, uint32_t first, uint32_t count, bool is_fresh,
                       struct err *err) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = (first + i) % timing->sets.count;
        TRY(is_fresh ? work_sets_refill(&timing->sets, k, timing_fresh_seed(timing), err)
                     : work_sets_refill_own(&timing->sets, k, err));
    }
    return 0;
}

// A batch of the samples, by launch, in the median; NAN when none counts.
static double sampled_ns(const struct sampler_side *side) {
    const struct samples samples = {.count = side->count, .items = side->items};
    double *times_ns = mem_alloc((side->count ? side->count : 1) * sizeof *times_ns);
    const size_t count = samples_times_ns(&samples, times_ns);
    const double median_ns = describe_unsorted_median(times_ns, count); // NAN of none
    free(times_ns);
    return median_ns;
}

// Both with inputs just written, so that caches and clocks are alike. The batches begin as samples do.
static int time_both(struct timing *timing, size_t side, const struct sets_asked *used,
                     struct shortest ret[2], struct err *err) {
    for (int is_fresh = 0; is_fresh < 2; ++is_fresh) {
        TRY(refill_sets(timing, used->first, used->count, is_fresh, err));
        const int code = time_canary(timing, side, used, &ret[is_fresh], err);
        if (code) return code;
    }
    return 0;
}

// Several where that takes no time: who launches right once, and copies from there on, is caught too.
static uint32_t fresh_count(const struct timing *timing, size_t side) {
    const uint32_t sets = timing->sets.count, most = sets < FRESH_SETS ? sets : FRESH_SETS;
    const double usual_ns = sampled_ns(&timing->sampler.sides[side]);
    return is_by_events(timing) && usual_ns * most < FRESH_MOST_NS ? most : 1;
}

static int verify_one(struct timing *timing, const struct sets_asked *used, struct err *err) {
    const uint64_t drawn = rng_below(timing_fresh_seed(timing), rng_stream("verified set"), 0, used->count);
    const struct sets_asked one = {
        .side = used->side, .first = (uint32_t)(used->first + drawn) % timing->sets.count, .count = 1};
    return work_sets_verify(&timing->sets, &one, timing->wrong, err);
}

// Results kept by what the inputs hold are right, and fast, on all data but fresh ones.
static int compare_fresh(struct timing *timing, size_t side, struct err *err) {
    const struct limit *limit = is_by_events(timing) ? &fresh_by_events : &fresh_on_threads;
    const struct sets_asked used = {.side = timing->sides[side],
                                    .first = timing->sampler.sides[side].next_set,
                                    .count = fresh_count(timing, side)};
    struct shortest both[2] = {{.ns = INFINITY}, {.ns = INFINITY}}, *known = &both[0], *fresh = &both[1];
    for (int batches = 1; !is_known(known) || !is_known(fresh); ++batches) {
        int code = time_both(timing, side, &used, both, err);
        if (code == 0 && batches == 1) code = verify_one(timing, &used, err);
        if (code) return code;
        if (known->count && fresh->count && !is_apart(timing, limit, known->ns, fresh->ns)) return 0;
        if (is_given_up(fresh, batches)) return 0;
    }
    char text[256];
    snprintf(text, sizeof text,
             "right, but a launch on data launched before takes %.1f us and one on fresh data %.1f us: "
             "results are kept by what the inputs hold",
             known->ns / 1e3, fresh->ns / 1e3);
    return stale(timing, text);
}

// ---- repeated launches ----

// Threads are woken by a launch on a set that is not timed, where there are two.
static int time_first(struct timing *timing, size_t side, struct sets_asked *ret_used,
                      struct shortest *shortest, struct err *err) {
    const uint32_t sets = timing->sets.count, first = timing->sampler.sides[side].next_set;
    *ret_used = (struct sets_asked){.side = timing->sides[side], .first = first, .count = sets};
    if (!is_by_events(timing)) {
        if (sets > 1) --ret_used->count;
        if (!sampler_launch(&timing->sampler, side, (first + sets - 1) % sets, 1)) return 1;
    }
    return time_canary(timing, side, ret_used, shortest, err);
}

static const struct limit *limit_of_first(const struct timing *timing) {
    if (!is_by_events(timing)) return &first_on_threads;
    return timing->sets.count > 1 ? &first_by_events : &only_by_events;
}

// Samples use every set many times, and only their first launches find outputs with canaries: are the others
// as slow? What is compared has been written, and is right.
static int compare_first(struct timing *timing, size_t side, struct err *err) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t launches = sampled->batch.launches;
    const double median_ns = sampled_ns(sampled);
    if (launches <= timing->sets.count || !isfinite(median_ns)) return 0; // too few samples count: no times
    const double usual_ns = launch_ns(timing, median_ns * launches, launches);
    struct shortest first = {.ns = INFINITY};
    for (int batches = 1; !is_known(&first); ++batches) {
        struct sets_asked used;
        const int code = time_first(timing, side, &used, &first, err);
        if (code) return code;
        if ((first.count && !is_apart(timing, limit_of_first(timing), usual_ns, first.ns)) ||
            is_given_up(&first, batches))
            return work_sets_verify(&timing->sets, &used, timing->wrong, err);
    }
    char text[256];
    snprintf(
        text, sizeof text,
        "right, but a launch takes %.1f us when it has to write its outputs and %.1f us when they hold its "
        "results already: repeated launches are skipped",
        first.ns / 1e3, usual_ns / 1e3);
    return stale(timing, text);
}

// ---- what no kernel can do ----

static int judge_speed(struct timing *timing, size_t side) {
    const struct device *device = timing->work->device;
    const double ns = sampled_ns(&timing->sampler.sides[side]);
    const double bytes = problem_bytes(&timing->run->buffers.problem);
    const double in_sets = (double)case_buffers_bytes(&timing->run->buffers) * timing->sets.count;
    char text[256] = "";
    if (!is_by_events(timing) || !times_say_something(timing)) return 0;
    if (device->node_ns > 0 && ns < NODE_SHARE_LEAST * device->node_ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns a launch cannot be where an empty one takes %.0f ns", ns,
                 device->node_ns);
    else if (in_sets > (double)device->rotate_bytes && bytes > BYTES_A_NS_MOST * ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns a launch cannot be, since it would move %.0f TB/s of what no "
                 "cache holds",
                 ns, bytes / ns / 1e3);
    return *text ? stale(timing, text) : 0;
}

static int verify_times(struct timing *timing, size_t side, struct err *err) {
    int code = judge_speed(timing, side);
    if (code == 0) code = compare_fresh(timing, side, err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    if (code == 0) memset(timing->wrong, 0, sizeof *timing->wrong);
    if (code == 0) code = compare_first(timing, side, err);
    TRY(code);
    return code ? timing_accuse(timing, side, err) : 0;
}

int timing_verify_after(struct timing *timing, struct err *err) {
    bool is_wrong = false;
    TRY(verify_left(timing, &is_wrong, err));
    for (size_t i = 0; i < timing->sampler.side_count && !is_wrong; ++i) {
        TRY(verify_times(timing, i, err));
        if (timing->spoilt[0]) return 0;
        if (!is_right(timing, i)) continue;
        TRY(work_sets_poison(&timing->sets, err));
        const int code = run_and_verify(timing, i, err);
        TRY(code);
        if (code > 0) TRY(timing_accuse(timing, i, err));
        is_wrong = code > 0;
    }
    return 0;
}
