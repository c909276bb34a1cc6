// SPDX-License-Identifier: Apache-2.0
//
// The closing check of a timed case. All sides share buffers, so corrupted memory does not identify the
// culprit: each side is run again alone on fresh buffers, and only one that corrupts them again is rejected.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "worker/check/declared_process.h"
#include "worker/order/work_redraw.h"
#include "worker/order/work_timing_internal.h"

// Limit of the shortest single call relative to a launch of the samples: it includes waking up threads, or
// what a program without a graph waits for each of a launch's kernels.
static const struct time_limit alone = {4.0, 500000};

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

// ---- times that are not a launch's ----

// A launch that takes long alone and is quick only among many. Python's own work in a call says nothing.
static int judge_call(struct timing *timing, size_t side) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    // By both clocks: a single call is timed by the host's, the samples of a GPU by its events.
    const double usual_ns = fmax(sampler_launch_ns(sampled), sampler_wall_launch_ns(sampled));
    char text[256];
    if (timing->work->order->sides[timing->sides[side]].python || sampled->batch.launches < 2 ||
        !timing_is_apart(timing, &alone, usual_ns, sampled->call_least_ns))
        return SAMPLE_RIGHT;
    snprintf(text, sizeof text,
             "does less when timed: a launch takes %.1f us alone and %.1f us among the %u of a sample",
             sampled->call_least_ns / 1e3, usual_ns / 1e3, sampled->batch.launches);
    return timing_stale(timing, text);
}

static int judge_speed(struct timing *timing, size_t side) {
    const struct device *device = timing->work->device;
    const double ns = sampler_launch_ns(&timing->sampler.sides[side]);
    const double bytes = problem_bytes(&timing->run->buffers.problem);
    const double in_sets = (double)case_buffers_bytes(&timing->run->buffers) * timing->sets.count;
    char text[256] = "";
    if (!timing_is_by_events(timing) || !timing_has_real_times(timing)) return SAMPLE_RIGHT;
    if (device->node_ns > 0 && ns < NODE_SHARE_LEAST * device->node_ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns per launch is impossible, an empty launch takes %.0f ns", ns,
                 device->node_ns);
    else if (in_sets > (double)device->rotate_bytes && bytes > BYTES_A_NS_MOST * ns)
        snprintf(text, sizeof text,
                 "does less when timed: %.0f ns per launch is impossible, it would move %.0f TB/s that no "
                 "cache holds",
                 ns, bytes / ns / 1e3);
    return *text ? timing_stale(timing, text) : SAMPLE_RIGHT;
}

// By the times that are known, then launches of samples again: references run, and nothing is timed.
static int verify_samples(struct timing *timing, size_t side, struct err *err) {
    int code = judge_speed(timing, side);
    if (code == SAMPLE_RIGHT) code = judge_call(timing, side);
    if (code == SAMPLE_RIGHT) code = redraw_repeat(timing, side, err);
    return code == SAMPLE_WRONG ? timing_reject_culprit(timing, side, err) : code;
}

static int verify_times(struct timing *timing, size_t side, struct err *err) {
    int code = SAMPLE_RIGHT;
    if (!timing_has_real_times(timing)) code = timing_compare(timing, side, err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    if (code == SAMPLE_RIGHT) {
        memset(timing->wrong, 0, sizeof *timing->wrong);
        code = timing_compare_first(timing, side, err);
        TRY(code);
    }
    if (code == SAMPLE_RIGHT && timing_has_real_times(timing))
        code = work_sets_judge_precision(&timing->sets, timing->sides[side], timing->wrong);
    return code == SAMPLE_WRONG ? timing_reject_culprit(timing, side, err) : 0;
}

// Where no sample uses a set twice timing_compare_first times nothing.
static bool looks_at_times(const struct timing *timing) {
    bool ret = false;
    for (size_t i = 0; i < timing->sampler.side_count; ++i)
        ret |= timing->sampler.sides[i].batch.launches > timing->sets.count;
    return ret;
}

int timing_verify_after(struct timing *timing, struct err *err) {
    bool is_wrong = false;
    // Single calls came after the samples, so that in-out tensors hold the sum of several launches; a
    // launch of every sample was verified.
    declared_process_keep();
    int code = timing->run->buffers.has_in_out ? 0 : verify_left(timing, &is_wrong, err);
    for (size_t i = 0; i < timing->sampler.side_count && code == 0 && !is_wrong && !timing->spoilt[0]; ++i)
        code = verify_samples(timing, i, err);
    // Else the processes of references wait for the checks of the next problem; beside a device they are
    // another process there when it is looked at next.
    const bool must_end = looks_at_times(timing) || timing->work->device->backend->is_accelerator;
    TRY(must_end ? declared_process_end_all(code, err) : code);
    for (size_t i = 0; i < timing->sampler.side_count && !is_wrong && !timing->spoilt[0]; ++i) {
        if (timing->run->outcomes[timing->sides[i]] != OUTCOME_OK) continue;
        TRY(verify_times(timing, i, err));
        if (timing->spoilt[0]) return 0;
        if (timing->run->outcomes[timing->sides[i]] != OUTCOME_OK) continue;
        TRY(work_sets_poison(&timing->sets, err));
        code = run_and_verify(timing, i, err);
        TRY(code);
        is_wrong = code == SAMPLE_WRONG;
        if (is_wrong) TRY(timing_reject_culprit(timing, i, err));
    }
    return 0;
}
