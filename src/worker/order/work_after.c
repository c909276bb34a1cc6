// SPDX-License-Identifier: Apache-2.0
//
// The closing check of a timed case. All sides share buffers, so corrupted memory does not identify the
// culprit: each side is run again alone on fresh buffers, and only one that corrupts them again is rejected.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "worker/order/work_redraw.h"
#include "worker/order/work_timing_internal.h"

// A slowdown is no noise only if it exceeds both the ratio and the absolute limit in every repetition.
struct limit {
    double ratio, apart_ns;
};
#define COMPARE_TRIES   8  // undisturbed batches, all of them beyond the limit,
#define COMPARE_BATCHES 24 // of at most this many
#define COMPARE_MOST_NS 1000000000u
#define FRESH_SETS      4 // launched on fresh data in one batch of few, by events
#define FRESH_MOST_NS   20e6
// Limits of launches on fresh data relative to launches on data seen before: a greater slowdown means that
// results are cached by content. CPU threads may have to wake up here, so their limit is wider.
static const struct limit fresh_on_threads = {2.0, 20000}, fresh_redrawn = {2.0, 5000};
// The same of batches as long as a sample, in which waking up does not matter, near what they vary by. A
// GPU's use a set several times, of which the first one alone can be slower.
static const struct limit fresh_in_samples = {1.15, 5000}, fresh_by_events = {1.05, 100};
// Few launches, each on a set of its own.
static const struct limit fresh_few_by_events = {1.3, 3000};
// Limits of launches that are the first in their batch to use a set, relative to all launches of the
// samples. Threads are awake here. A batch of one launch includes loading the kernel's code onto the
// device (only_by_events).
static const struct limit first_on_threads = {2.0, 10000}, first_by_events = {1.25, 1500},
                          only_by_events = {1.5, 3000};

// Limit of the shortest single call relative to a launch of the samples: it includes waking up threads, or
// what a program without a graph waits for each of a launch's kernels.
static const struct limit alone = {4.0, 500000};

#define NODE_SHARE_LEAST 0.8  // of the time of an empty launch in a replay: no real launch is faster
#define BYTES_A_NS_MOST  20e3 // 20 TB/s from memory

void timing_reject(struct timing *timing, size_t side) {
    const uint32_t number = timing->sides[side];
    struct check_result *check = &timing->run->checks[number]->check;
    struct host *host = timing->run->instances[number].home.host;
    const bool is_gone = host && host_is_gone(host, timing->wrong);
    if (!is_gone &&
        timing->wrong->outcome != OUTCOME_FAIL) { // the sampler found the fault, not a check of results
        const struct sampler_failure *failure = &timing->sampler.failure;
        timing->wrong->outcome = OUTCOME_FAIL;
        timing->wrong->finding = failure->kind == SAMPLER_FAILURE_LATE_WORK ? FINDING_LATE_WORK
                                 : failure->kind == SAMPLER_FAILURE_CLOCK   ? FINDING_FALSE_CLOCK
                                                                            : FINDING_LAUNCH_FAILED;
        snprintf(timing->wrong->message, sizeof timing->wrong->message, "%s", failure->message);
    }
    check->outcome = timing->wrong->outcome;
    check->finding = timing->wrong->finding;
    memcpy(check->message, timing->wrong->message, sizeof check->message);
    timing->run->outcomes[number] = check->outcome;
    work_end_if_lost(timing->work, timing->run->checks[number]);
    memset(timing->wrong, 0, sizeof *timing->wrong);
}

// ---- who is to blame ----

static int renew_memory(struct timing *timing, struct err *err) {
    TRY(work_sets_renew(&timing->sets, err));
    TRY(work_sets_show(&timing->sets, err));
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        struct kernel_instance *instance = &timing->run->instances[timing->sides[i]];
        TRY(kernel_instance_renew_workspace(instance, err));
        timing->sampler.sides[i].batch.workspace = instance->workspace.data;
    }
    return work_sets_poison(&timing->sets, err);
}

// Launches every set, and as many as a sample has: in one replay, or sample by sample, since many launches of
// a slow kernel together may take longer than a call of it may.
static bool launch_all(struct timing *timing, size_t side) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t sets = timing->sets.count, launches = sampled->batch.launches;
    const uint32_t count = launches > sets ? launches : sets;
    const uint32_t step = timing->work->device->wants_whole_rotations ? count : launches;
    for (uint32_t done = 0; done < count; done += step) {
        const uint32_t some = count - done < step ? count - done : step;
        if (!sampler_launch(&timing->sampler, side, sampled->next_set + done, some)) return false;
    }
    return true;
}

static int run_and_verify(struct timing *timing, size_t side, struct err *err) {
    if (!launch_all(timing, side)) return SAMPLE_WRONG;
    const struct set_range all = {.side = timing->sides[side], .count = timing->sets.count};
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
        if (code == SAMPLE_WRONG) timing_reject(timing, i);
        is_found |= code == SAMPLE_WRONG;
    }
    if (!is_found)
        snprintf(timing->spoilt, sizeof timing->spoilt,
                 "memory that the sides share was corrupted, and no side does it alone: %s", what);
    return 0;
}

int timing_reject_culprit(struct timing *timing, size_t side, struct err *err) {
    const enum finding finding = timing->wrong->finding;
    const bool is_of_memory = finding == FINDING_OUT_OF_BOUNDS || finding == FINDING_GAP_WRITTEN ||
                              finding == FINDING_INPUT_CHANGED;
    const bool is_shared =
        timing->sampler.side_count > 1 && (!timing->work->is_apart || timing->work->has_open_inputs);
    if (is_shared && timing->wrong->outcome == OUTCOME_FAIL && is_of_memory) return find_culprit(timing, err);
    timing_reject(timing, side);
    return 0;
}

// ---- what the samples left ----

// Stops at the first finding: the samples are taken again, with one side less or on new buffers.
static int verify_left(struct timing *timing, bool *ret_is_wrong, struct err *err) {
    for (size_t side = 0; side < timing->sampler.side_count; ++side) {
        const bool *has_used = timing->has_used[side];
        uint32_t count = 0;
        for (uint32_t k = 0; k < timing->sets.count; k += count) { // runs of sets that the side used
            for (count = 1; k + count < timing->sets.count && has_used[k + count] == has_used[k];) ++count;
            if (!has_used[k]) continue;
            const struct set_range range = {.side = timing->sides[side], .first = k, .count = count};
            const int code = work_sets_verify(&timing->sets, &range, timing->wrong, err);
            TRY(code);
            if (code == SAMPLE_RIGHT) continue;
            *ret_is_wrong = true;
            return timing_reject_culprit(timing, side, err);
        }
    }
    return 0;
}

// ---- times ----

// False on a simulated device: its times come from a script, so a slowdown proves no caching there.
static bool has_real_times(const struct timing *timing) {
    return !timing->work->device->is_virtual;
}

// Single calls are timed by the host's clock everywhere.
static bool is_by_events(const struct timing *timing) {
    return timing->work->device->wants_whole_rotations && timing->work->order->sampling.metric == METRIC_TIME;
}

// Time per launch of a batch, without the overhead of a replay.
static double launch_ns(const struct timing *timing, double batch_ns, uint32_t launches) {
    const double overhead_ns = is_by_events(timing) ? timing->work->device->replay_overhead_ns : 0;
    return fmax(batch_ns - overhead_ns, 1) / launches;
}

static bool is_apart(const struct timing *timing, const struct limit *limit, double usual_ns, double ns) {
    return has_real_times(timing) && ns > limit->ratio * usual_ns && ns - usual_ns > limit->apart_ns;
}

static int stale(struct timing *timing, const char *text) {
    timing->wrong->outcome = OUTCOME_FAIL;
    timing->wrong->finding = FINDING_STALE;
    snprintf(timing->wrong->message, sizeof timing->wrong->message, "%s", text);
    return SAMPLE_WRONG;
}

// The shortest time per launch over the batches that count.
struct shortest {
    double ns;
    // Disturbed batches count too, by the slower clock. A launch whose result is only copied may be too short
    // for any batch of it to be undisturbed.
    bool is_upper_bound;
    uint32_t count;
    double all_ns[2 * COMPARE_BATCHES]; // [count]
    uint64_t spent_ns;
};

static bool is_known(const struct shortest *shortest) {
    return shortest->count >= COMPARE_TRIES;
}

// True after too many disturbed batches: the comparison is given up, and no side is rejected.
static bool is_given_up(const struct shortest *shortest, int batches) {
    return batches > COMPARE_BATCHES || (!shortest->count && shortest->spent_ns > COMPARE_MOST_NS);
}

// A batch whose time is compared, and the sets that it uses.
struct comparison {
    struct set_range used;
    uint32_t launches;
};

// Writes canaries to these sets, times a batch, and checks that it has overwritten them.
static int time_with_canaries(struct timing *timing, size_t side, const struct comparison *comparison,
                              struct shortest *shortest, struct err *err) {
    const uint32_t first = comparison->used.first, launches = comparison->launches;
    struct sampler_duration batch;
    TRY(work_sets_restore_in_out(&timing->sets, timing->sides[side], first, comparison->used.count, err));
    TRY(work_sets_set_canaries(&timing->sets, timing->sides[side], first, launches, err));
    if (!sampler_time(&timing->sampler, side, first % timing->sets.count, launches, &batch))
        return SAMPLE_WRONG;
    shortest->spent_ns += batch.ns;
    if (!batch.is_disturbed || shortest->is_upper_bound) {
        const uint64_t ns = shortest->is_upper_bound ? batch.at_most_ns : batch.ns;
        const double each_ns = launch_ns(timing, (double)ns, launches);
        shortest->ns = fmin(shortest->ns, each_ns);
        shortest->all_ns[shortest->count++] = each_ns;
    }
    return work_sets_find_canary(&timing->sets, timing->sides[side], timing->wrong, err);
}

// ---- fresh data ----

// Every set of the range gets its own inputs, or new ones.
static int refill(struct timing *timing, const struct set_range *used, bool is_fresh, struct err *err) {
    for (uint32_t i = 0; i < used->count; ++i) {
        const uint32_t k = (used->first + i) % timing->sets.count;
        TRY(is_fresh ? work_sets_refill(&timing->sets, k, dice_u64(&timing->run->dice), err)
                     : work_sets_refill_own(&timing->sets, k, err));
    }
    return 0;
}

// Times a batch on known data, then one on fresh data. On either side of the comparison the sets were
// launched on and then written, so that caches, clocks and threads are alike: known data are written again
// after a launch on them, fresh data after one on other fresh data. Before a batch of one launch another set
// is used last.
static int time_both(struct timing *timing, size_t side, const struct comparison *comparison,
                     struct shortest ret[2], struct err *err) {
    const struct set_range *used = &comparison->used;
    const uint32_t sets = timing->sets.count, first = used->first % sets;
    for (int is_fresh = 0; is_fresh < 2; ++is_fresh) {
        TRY(refill(timing, used, is_fresh, err));
        if (!sampler_launch(&timing->sampler, side, first, comparison->launches)) return SAMPLE_WRONG;
        TRY(refill(timing, used, is_fresh, err));
        if (comparison->launches == 1 && sets > 1 &&
            !sampler_launch(&timing->sampler, side, (first + 1) % sets, 1))
            return SAMPLE_WRONG;
        const int code = time_with_canaries(timing, side, comparison, &ret[is_fresh], err);
        if (code != SAMPLE_RIGHT) return code;
    }
    return SAMPLE_RIGHT;
}

// The forms of batches whose times are compared. The launches of a sample and all their sets, since a batch
// that looks otherwise would be told from one; and few launches, in which one that computes is not lost among
// those that follow on the same data: on a processor one, on a GPU one on each of up to FRESH_SETS sets.
enum form { FORM_SAMPLE, FORM_FEW, FORM_COUNT };

static uint32_t launches_of(const struct timing *timing, size_t side, enum form form) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t sets = timing->sets.count, most = sets < FRESH_SETS ? sets : FRESH_SETS;
    if (form == FORM_SAMPLE) return sampled->batch.launches;
    return is_by_events(timing) && sampler_launch_ns(sampled) * most < FRESH_MOST_NS ? most : 1;
}

static struct comparison comparison_of(const struct timing *timing, size_t side, enum form form) {
    const uint32_t sets = timing->sets.count, launches = launches_of(timing, side, form);
    return (struct comparison){.used = {.side = timing->sides[side],
                                        .first = timing->sampler.sides[side].next_set,
                                        .count = launches < sets ? launches : sets},
                               .launches = launches};
}

// Where every sample has new inputs, nothing is gained by keeping results; else what is gained must show
// here.
static const struct limit *fresh_limit(const struct timing *timing, enum form form) {
    if (is_by_events(timing)) return form == FORM_SAMPLE ? &fresh_by_events : &fresh_few_by_events;
    if (form == FORM_SAMPLE && timing->redraw_share < 1) return &fresh_in_samples;
    return timing->redraw_share > 0 ? &fresh_redrawn : &fresh_on_threads;
}

static int verify_drawn_set(struct timing *timing, const struct set_range *used, struct err *err) {
    const uint64_t drawn = dice_below(&timing->run->dice, used->count);
    const struct set_range one = {
        .side = used->side, .first = (uint32_t)(used->first + drawn) % timing->sets.count, .count = 1};
    return work_sets_verify(&timing->sets, &one, timing->wrong, err);
}

static void init_shortest(struct shortest ret[2]) {
    // Fresh data too: what disturbs a batch makes it longer, never shorter.
    ret[0] = ret[1] = (struct shortest){.ns = INFINITY, .is_upper_bound = true};
}

// Kept results are quick every time; teams of OpenMP, and any kernel on a busy machine, are so by chance: of
// COMPARE_TRIES batches the second longest.
static double upper_ns(struct shortest *known) {
    return describe_unsorted_percentile(known->all_ns, known->count,
                                        (COMPARE_TRIES - 2.0) / (COMPARE_TRIES - 1));
}

// They are right, and fast on all data except fresh data. Of each form of batch the shortest ones are
// compared.
static int find_kept(struct timing *timing, size_t side, struct err *err) {
    struct shortest both[FORM_COUNT][2]; // [form][is fresh]
    bool is_cleared[FORM_COUNT] = {false};
    for (int form = 0; form < FORM_COUNT; ++form) init_shortest(both[form]);
    for (int batches = 1; !is_cleared[FORM_SAMPLE] || !is_cleared[FORM_FEW]; ++batches) {
        const enum form form = batches % FORM_COUNT ? FORM_SAMPLE : FORM_FEW;
        if (is_cleared[form]) continue;
        const struct comparison comparison = comparison_of(timing, side, form);
        struct shortest *known = &both[form][0], *fresh = &both[form][1];
        int code = time_both(timing, side, &comparison, both[form], err);
        if (code == SAMPLE_RIGHT && batches == 1) code = verify_drawn_set(timing, &comparison.used, err);
        if (code != SAMPLE_RIGHT) return code;
        const struct limit *limit = fresh_limit(timing, form);
        const double known_ns = upper_ns(known);
        is_cleared[form] = (known->count && fresh->count && !is_apart(timing, limit, known_ns, fresh->ns)) ||
                           is_given_up(fresh, batches / FORM_COUNT);
        if (is_cleared[form] || !is_known(known) || !is_known(fresh)) continue;
        char text[256];
        snprintf(text, sizeof text,
                 "right, but a launch on data launched before takes %.1f us and one on fresh data %.1f us: "
                 "results are cached by the content of the inputs",
                 known_ns / 1e3, fresh->ns / 1e3);
        return stale(timing, text);
    }
    return SAMPLE_RIGHT;
}

int timing_compare_fresh(struct timing *timing, size_t side, struct err *err) {
    const int code = find_kept(timing, side, err);
    TRY(code);
    // Sets that samples had given new inputs get their own too, so that no side's outputs there belong to
    // them.
    for (size_t i = 0; i < timing->sampler.side_count; ++i)
        if (i == side || timing->redraw_share > 0) memset(timing->has_used[i], 0, sizeof timing->has_used[i]);
    TRY(work_sets_restore(&timing->sets, err));
    return code;
}

// ---- repeated launches ----

// Detects launches that are skipped when repeated: a sample uses every set many times, and only the first
// launch on a set finds canaries in its outputs; the later ones must not be faster. The compared launches
// have overwritten their canaries, and their outputs are verified.
static int compare_first(struct timing *timing, size_t side, struct err *err) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t launches = sampled->batch.launches, sets = timing->sets.count;
    const double median_ns = sampler_launch_ns(sampled);
    if (launches <= sets || !isfinite(median_ns)) return SAMPLE_RIGHT; // too few samples count: no times
    const double usual_ns = launch_ns(timing, median_ns * launches, launches);
    const struct limit *limit = !is_by_events(timing) ? &first_on_threads
                                : sets > 1            ? &first_by_events
                                                      : &only_by_events;
    // Threads are woken by a launch that is not timed, on a set of its own if there are at least two.
    const bool is_waking = !is_by_events(timing);
    const struct set_range used = {.side = timing->sides[side],
                                   .first = sampled->next_set,
                                   .count = is_waking && sets > 1 ? sets - 1 : sets};
    struct shortest first = {.ns = INFINITY};
    for (int batches = 1; !is_known(&first); ++batches) {
        if (is_waking && !sampler_launch(&timing->sampler, side, (used.first + sets - 1) % sets, 1))
            return SAMPLE_WRONG;
        const struct comparison comparison = {.used = used, .launches = used.count};
        const int code = time_with_canaries(timing, side, &comparison, &first, err);
        if (code != SAMPLE_RIGHT) return code;
        const bool is_usual = first.count && !is_apart(timing, limit, usual_ns, first.ns);
        if (is_usual || is_given_up(&first, batches))
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

// ---- times that are not a launch's ----

// A launch that takes long alone and is quick only among many. Python's own work in a call says nothing.
static int judge_call(struct timing *timing, size_t side) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    // By both clocks: a single call is timed by the host's, the samples of a GPU by its events.
    const double usual_ns = fmax(sampler_launch_ns(sampled), sampler_wall_launch_ns(sampled));
    char text[256];
    if (timing->work->order->sides[timing->sides[side]].python || sampled->batch.launches < 2 ||
        !is_apart(timing, &alone, usual_ns, sampled->call_least_ns))
        return SAMPLE_RIGHT;
    snprintf(text, sizeof text,
             "does less when timed: a launch takes %.1f us alone and %.1f us among the %u of a sample",
             sampled->call_least_ns / 1e3, usual_ns / 1e3, sampled->batch.launches);
    return stale(timing, text);
}

static int judge_speed(struct timing *timing, size_t side) {
    const struct device *device = timing->work->device;
    const double ns = sampler_launch_ns(&timing->sampler.sides[side]);
    const double bytes = problem_bytes(&timing->run->buffers.problem);
    const double in_sets = (double)case_buffers_bytes(&timing->run->buffers) * timing->sets.count;
    char text[256] = "";
    if (!is_by_events(timing) || !has_real_times(timing)) return SAMPLE_RIGHT;
    if (device->node_ns > 0 && ns < NODE_SHARE_LEAST * device->node_ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns per launch is impossible, an empty launch takes %.0f ns", ns,
                 device->node_ns);
    else if (in_sets > (double)device->rotate_bytes && bytes > BYTES_A_NS_MOST * ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns per launch is impossible, it would move %.0f TB/s that no "
                 "cache holds",
                 ns, bytes / ns / 1e3);
    return *text ? stale(timing, text) : SAMPLE_RIGHT;
}

static int verify_times(struct timing *timing, size_t side, struct err *err) {
    int code = judge_speed(timing, side);
    if (code == SAMPLE_RIGHT) code = judge_call(timing, side);
    if (code == SAMPLE_RIGHT) code = redraw_repeat(timing, side, err);
    if (code == SAMPLE_RIGHT && !has_real_times(timing)) code = timing_compare_fresh(timing, side, err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    if (code == SAMPLE_RIGHT) {
        memset(timing->wrong, 0, sizeof *timing->wrong);
        code = compare_first(timing, side, err);
        TRY(code);
    }
    if (code == SAMPLE_RIGHT && has_real_times(timing))
        code = work_sets_judge_precision(&timing->sets, timing->sides[side], timing->wrong);
    return code == SAMPLE_WRONG ? timing_reject_culprit(timing, side, err) : 0;
}

int timing_verify_after(struct timing *timing, struct err *err) {
    bool is_wrong = false;
    // Single calls came after the samples, so that in-out tensors hold the sum of several launches; a
    // launch of every sample was verified.
    if (!timing->run->buffers.has_in_out) TRY(verify_left(timing, &is_wrong, err));
    for (size_t i = 0; i < timing->sampler.side_count && !is_wrong; ++i) {
        TRY(verify_times(timing, i, err));
        if (timing->spoilt[0]) return 0;
        if (timing->run->outcomes[timing->sides[i]] != OUTCOME_OK) continue;
        TRY(work_sets_poison(&timing->sets, err));
        const int code = run_and_verify(timing, i, err);
        TRY(code);
        is_wrong = code == SAMPLE_WRONG;
        if (is_wrong) TRY(timing_reject_culprit(timing, i, err));
    }
    return 0;
}
