// SPDX-License-Identifier: Apache-2.0
//
// The sampling loop: launches a sample, the order of samples, when there are enough, and work that outlasts
// one. How long a sample is: sampler_prepare.c; which count: judge_clock.c.
#include "worker/measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "stats/describe.h"
#include "worker/host/batch_run.h"
#include "worker/measure/pair_order.h"
#include "worker/measure/sampler_internal.h"

#define UNTIL_SAMPLES_MAX   20000 // of a side: --until gives up here when its budget allows that many
#define UNTIL_SAMPLES_LEAST 20    // --until checks first at this count: an interval of fewer is wide anyway
#define UNTIL_SAMPLES_STEP  10
#define COOLDOWN_MOST_NS    50000000u // after a sample
#define TAIL_LEAST_NS       8000.0 // a tail that counts as work elsewhere: longer than that beyond a spin's
#define TAIL_LEAST_SHARE    0.005  // and than that share of a launch: less changes no verdict
#define TAIL_SAMPLES        10u    // in the median of at least that many samples
#define TAIL_PAIRS          15u
#define LATE_SAMPLES        5u // in a row: a single one may be a host that was held up between two calls
#define SUSTAINED_BLOCK_NS  1000000000u // sustained power mode: blocks of at least this a side

// ---- a batch ----

void sampler_cool_down(const struct sampler *sampler) {
    const uint64_t now_ns = clock_ns();
    if (sampler->cooldown_until_ns > now_ns) clock_sleep_ns(sampler->cooldown_until_ns - now_ns);
}

bool sampler_run_batch(struct sampler *sampler, size_t index, struct batch batch, struct batch_time *ret) {
    struct device *device = sampler->device;
    char text[SAMPLER_MESSAGE_BYTES - 64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    *ret = (struct batch_time){.kernel_clock_hz = NAN};
    if (sampler->on_side) sampler->on_side(sampler->arg, index);
    batch.is_cold = sampler->sampling->cache_mode == CACHE_COLD;
    const int status = batch_run(device, &batch, ret, &message);
    // The sample is kept, but the whole case does not count (worker/order/work_window.c).
    if (batch.is_cold && device->has_flush_failed && !*sampler->flush_error)
        snprintf(sampler->flush_error, sizeof sampler->flush_error, "%s", device->flush_doubt);
    // The cool-down begins now: what the host does next, such as looking at outputs, is part of it.
    if (device->cooldown_ratio > 0 && !device->is_virtual &&
        sampler->sampling->power_mode != POWER_MODE_SUSTAINED)
        sampler->cooldown_until_ns =
            clock_ns() + (uint64_t)fmin(device->cooldown_ratio * (double)ret->duration_ns, COOLDOWN_MOST_NS);
    if (status != ASSAY_OK) sampler_fail_launch(sampler, index, status, text);
    energy_span_after(&sampler->sides[index].energy_span, batch.launches);
    return status == ASSAY_OK;
}

void sampler_settle(const struct sampler *sampler, size_t index) {
    bool is_restless = false;
    for (size_t i = 0; i < sampler->side_count; ++i)
        is_restless |= batch_is_restless(&sampler->sides[i].batch);
    if (is_restless) batch_settle(&sampler->sides[index].batch);
}

struct batch sampler_next_batch(const struct sampler *sampler, size_t index) {
    struct batch batch = sampler->sides[index].batch;
    batch.first_set = sampler->sides[index].next_set % batch.set_count;
    return batch;
}

bool sampler_time(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches,
                  const struct late_inputs *late, struct sampler_duration *ret) {
    struct batch batch = sampler->sides[side].batch;
    struct batch_time time;
    sampler_pause(sampler, side);
    batch.first_set = first_set;
    batch.launches = launches;
    batch.late = late;
    batch.is_timed = true;
    if (!sampler_run_batch(sampler, side, batch, &time)) return false;
    *ret = (struct sampler_duration){
        .ns = time.duration_ns,
        .at_most_ns = time.judge_ns > time.duration_ns ? time.judge_ns : time.duration_ns,
        .is_disturbed = judge_clock_discard(&time) != DISCARD_NONE,
    };
    return true;
}

bool sampler_launch(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches) {
    return sampler_time(sampler, side, first_set, launches, NULL, &(struct sampler_duration){0});
}

// ---- work that outlasts a batch ----

// The tail after a spin as long as this side's samples, where its kernel runs. NAN where it is not known.
static double read_control_ns(struct sampler *sampler, size_t index) {
    const struct sampler_side *side = &sampler->sides[index];
    struct device *device = sampler->device;
    if (!side->batch.host)
        return device->backend->read_tail_ns ? device->backend->read_tail_ns(device, side->sample_ns) : NAN;
    struct batch batch = side->batch;
    struct batch_time time;
    batch.launches = 0;
    batch.is_timed = true;
    batch.is_by_call = false;
    batch.blocking_ns = side->sample_ns;
    return batch_run(device, &batch, &time, NULL) == ASSAY_OK ? time.tail_ns : NAN;
}

// The tail that is work elsewhere if it is longer than a spin's by more.
static double least_tail_ns(const struct sampler_side *side) {
    return fmax(TAIL_LEAST_NS, TAIL_LEAST_SHARE * (double)side->sample_ns / side->batch.launches);
}

// A batch after a spin as long: hosts read up to 13 us after milliseconds, whatever ran, and other figures a
// second later. *ret_control_ns: 0 where it is not known. False when the batch fails or the device is not its
// own meanwhile, with sampler->failure or sampler->doubt.
static bool run_after_spin(struct sampler *sampler, size_t index, double *ret_control_ns,
                           struct batch_time *ret) {
    sampler_pause(sampler, index);
    if (!sampler_drain(sampler, index)) return false;
    *ret_control_ns = fmax(read_control_ns(sampler, index), 0);
    sampler_pause(sampler, index);
    return sampler_run_batch(sampler, index, sampler_next_batch(sampler, index), ret) &&
           sampler_was_alone(sampler, index, ret);
}

// Late samples in a row may be a busy machine: a kernel is late if it is after each of as many such spins.
static bool is_late_alone(struct sampler *sampler, size_t index) {
    for (uint32_t i = 0; i < LATE_SAMPLES; ++i) {
        struct batch_time time;
        double control_ns;
        if (!run_after_spin(sampler, index, &control_ns, &time) || !time.late_ns) return false;
        if ((double)time.late_ns - control_ns <= least_tail_ns(&sampler->sides[index])) return false;
    }
    return true;
}

// A host that is held up before it asks whether the device is done sees late work once, not again and again.
static void judge_late(struct sampler *sampler, size_t index, uint64_t late_ns) {
    struct sampler_side *side = &sampler->sides[index];
    side->late_count = late_ns ? side->late_count + 1 : 0;
    if (side->late_count < LATE_SAMPLES) return;
    side->late_count = 0;
    if (!is_late_alone(sampler, index) || sampler_has_failed(sampler)) return;
    sampler_fail(sampler, index, SAMPLER_FAILURE_LATE_WORK);
    snprintf(sampler->failure.message, sizeof sampler->failure.message,
             "work on another stream went on for %.1f us after its stream was done", (double)late_ns / 1e3);
}

// Finds work too short to be seen in one sample: by the median tail of all, then of pairs with a spin.
static void judge_tails(struct sampler *sampler, size_t index) {
    const struct sampler_side *side = &sampler->sides[index];
    double *tails_ns = mem_alloc((side->count + 1) * sizeof *tails_ns);
    size_t count = 0;
    for (size_t i = 0; i < side->count; ++i)
        if (side->items[i].discard == DISCARD_NONE) tails_ns[count++] = side->tails_ns[i];
    const double tail_ns = count >= TAIL_SAMPLES ? describe_unsorted_median(tails_ns, count) : 0;
    free(tails_ns);
    if (!(tail_ns > least_tail_ns(side))) return; // the usual case: nothing more to measure
    double beyond_ns[TAIL_PAIRS];
    for (size_t i = 0; i < TAIL_PAIRS; ++i) {
        struct batch_time time;
        double control_ns;
        if (!run_after_spin(sampler, index, &control_ns, &time)) return;
        beyond_ns[i] = time.tail_ns - control_ns;
    }
    const double median_ns = describe_unsorted_median(beyond_ns, TAIL_PAIRS);
    if (!(median_ns > least_tail_ns(side))) return;
    sampler_fail(sampler, index, SAMPLER_FAILURE_LATE_WORK);
    snprintf(
        sampler->failure.message, sizeof sampler->failure.message,
        "in the median of %u batches, work on another stream went on for %.1f us longer than after a spin",
        TAIL_PAIRS, median_ns / 1e3);
}

// ---- one sample ----

// forced: the reason to discard this sample in any case; DISCARD_NONE: none. Sets sampler->failure when
// the sample fails.
static int take_sample(struct sampler *sampler, size_t index, enum discard forced, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    struct batch batch = sampler_next_batch(sampler, index);
    batch.on_answer = sampler->on_answer;
    batch.arg = sampler->arg;
    if (sampler->sample_begin) TRY(sampler->sample_begin(sampler->arg, index, &batch, err));
    sampler_cool_down(sampler);
    const double clock_hz = sampler->device->backend->read_clock_probe_hz(sampler->device);
    struct batch_time time;
    const uint64_t start_ns = clock_ns();
    if (!sampler_run_batch(sampler, index, batch, &time)) return 0;
    side->wall_ns += (double)(clock_ns() - start_ns) - (double)time.ahead_ns;
    judge_late(sampler, index, time.late_ns);
    if (sampler_has_failed(sampler)) return 0;
    if (sampler->sample_end) TRY(sampler_end_batch(sampler, sampler->sample_end, index, &batch, err));
    if (sampler_has_failed(sampler)) return 0;
    side->next_set = (batch.first_set + batch.launches) % batch.set_count;
    if (forced == DISCARD_NONE) judge_clock_count(&side->judged, &time, judge_clock_discard(&time));
    MEM_GROW(side->items, side->capacity, side->count + 1);
    MEM_GROW(side->tails_ns, side->tail_capacity, side->count + 1);
    side->tails_ns[side->count] = time.tail_ns;
    side->items[side->count++] = (struct sample){
        .start_ns = time.start_ns - sampler->origin_ns,
        .duration_ns = time.duration_ns,
        .launches = side->batch.launches,
        .discard = forced != DISCARD_NONE ? forced : judge_clock_discard(&time),
        .judge_ns = time.judge_ns,
        .clock_hz = clock_hz,
        .kernel_clock_hz = time.kernel_clock_hz > 0 ? time.kernel_clock_hz : NAN,
    };
    const bool is_counting = side->items[side->count - 1].discard == DISCARD_NONE;
    return is_counting ? sampler_watch_overlap(sampler, index, &time, err) : 0;
}

static int take_audit(struct sampler *sampler, size_t index, struct err *err) {
    const struct batch batch = sampler_next_batch(sampler, index);
    sampler_pause(sampler, index);
    TRY(sampler->audit_begin(sampler->arg, index, &batch, err));
    TRY(take_sample(sampler, index, DISCARD_AUDIT, err));
    TRY(sampler_end_batch(sampler, sampler->audit_end, index, &batch, err));
    // The next sample must not find the caches as the audit left them.
    if (!sampler_has_failed(sampler)) sampler_launch(sampler, index, batch.first_set, batch.launches);
    return 0;
}

static int take_comparison(struct sampler *sampler, size_t index, struct err *err) {
    const struct batch batch = sampler_next_batch(sampler, index);
    const int code = sampler->compare(sampler->arg, index, err);
    TRY(code);
    if (code == SAMPLE_WRONG && !sampler_has_failed(sampler))
        sampler_fail(sampler, index, SAMPLER_FAILURE_RESULT);
    // As after an audit.
    if (!sampler_has_failed(sampler)) sampler_launch(sampler, index, batch.first_set, batch.launches);
    return 0;
}

static void judge_stamps(struct sampler *sampler) {
    const struct judged_samples *sides[WORK_SIDES_MAX];
    size_t which;
    for (size_t i = 0; i < sampler->side_count; ++i) sides[i] = &sampler->sides[i].judged;
    if (!judge_clock_find_false(sides, sampler->side_count, &which)) return;
    const struct sampler_side *side = &sampler->sides[which];
    double *ratios = mem_alloc(side->count * sizeof *ratios);
    for (size_t i = 0; i < side->count; ++i)
        ratios[i] = (double)side->items[i].duration_ns / (double)side->items[i].judge_ns;
    sampler_fail(sampler, which, SAMPLER_FAILURE_CLOCK);
    snprintf(sampler->failure.message, sizeof sampler->failure.message,
             "its process says that samples take %.0f %% of the time that they take by the judge's clock",
             100 * describe_unsorted_median(ratios, side->count));
    free(ratios);
}

// ---- how many ----

struct progress_of_case {
    uint32_t samples, wanted; // of a side, without the first; wanted grows
    uint32_t next_look;       // samples at which --until checks again
    uint64_t deadline_ns;     // 0: none
};

static bool is_done(const struct sampler *sampler, struct progress_of_case *progress) {
    if (progress->deadline_ns && device_now_ns(sampler->device) >= progress->deadline_ns &&
        progress->samples > 0)
        return true;
    if (sampler->sampling->until_pct > 0) {
        if (progress->samples >= UNTIL_SAMPLES_MAX) return true;
        if (progress->samples < progress->next_look) return false;
        progress->next_look = progress->samples + UNTIL_SAMPLES_STEP;
        for (size_t i = 0; i < sampler->side_count; ++i)
            if (!sampler_is_narrow(&sampler->sides[i], sampler->sampling->until_pct)) return false;
        return true;
    }
    if (progress->samples < progress->wanted) return false;
    progress->wanted = sampler_count_wanted(sampler);
    if (progress->samples < progress->wanted) return false;
    if (progress->samples >= SAMPLER_MADE_UP_MOST * progress->wanted) return true;
    if (sampler_clean_count(sampler) < progress->wanted) return false;
    return progress->samples >= SAMPLER_CLOCKS_MOST * progress->wanted || !sampler_has_clocks_apart(sampler);
}

// ---- the order ----

// Samples that a side takes in a row: 1, or in the sustained power mode as many as fill a block, since
// alternating quickly would have both sides share one power-limited clock.
static uint32_t block_samples(const struct sampler *sampler) {
    if (sampler->sampling->power_mode != POWER_MODE_SUSTAINED) return 1;
    // Slow kernels, and whole rotations, last longer than asked for.
    uint64_t shortest_ns = sampler->sides[0].sample_ns;
    for (size_t i = 1; i < sampler->side_count; ++i)
        if (sampler->sides[i].sample_ns < shortest_ns) shortest_ns = sampler->sides[i].sample_ns;
    uint64_t sample_ns = sampler->sampling->sample_time_ns ? sampler->sampling->sample_time_ns : 1;
    if (shortest_ns / 3 * 2 > sample_ns) sample_ns = shortest_ns;
    const uint64_t count = (SUSTAINED_BLOCK_NS + sample_ns - 1) / sample_ns;
    return count < UNTIL_SAMPLES_MAX ? (uint32_t)count : UNTIL_SAMPLES_MAX;
}

// The samples of a side in a row; the first pair of a case brings the device to its power.
static int take_block(struct sampler *sampler, size_t index, uint32_t pair, uint32_t count, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    const bool is_metered = count > 1 && pair > 0 && sampler->sampling->cache_mode != CACHE_COLD;
    sampler_pause(sampler, index);
    side->energy_span = energy_span_begin(sampler->device);
    for (uint32_t i = 0; i < count && !sampler_has_failed(sampler); ++i) {
        sampler_settle(sampler, index);
        if (is_metered) energy_span_before(&side->energy_span, sampler->device);
        TRY(take_sample(sampler, index, pair == 0 && i == 0 ? DISCARD_FIRST_PAIR : DISCARD_NONE, err));
    }
    if (!sampler_has_failed(sampler)) energy_span_end(&side->energy_span, sampler->device, &side->energy);
    return 0;
}

int sampler_run(struct sampler *sampler, struct err *err) {
    const struct sampling *sampling = sampler->sampling;
    const uint32_t block = block_samples(sampler);
    const uint32_t span = sampling->sample_count > block ? sampling->sample_count / block : 1;
    uint32_t audit_pairs[WORK_SIDES_MAX] = {0}, compare_pairs[WORK_SIDES_MAX] = {0};
    for (size_t i = 0; i < sampler->side_count; ++i)
        audit_pairs[i] = 1 + (uint32_t)dice_below(&sampler->dice, span);
    for (size_t i = 0; i < sampler->side_count && sampler->compare; ++i)
        compare_pairs[i] = 1 + (uint32_t)dice_below(&sampler->dice, span);
    struct progress_of_case progress = {.wanted = sampling->sample_count, .next_look = UNTIL_SAMPLES_LEAST};
    if (sampling->case_budget_ns)
        progress.deadline_ns = device_now_ns(sampler->device) + sampling->case_budget_ns;
    sampler->failure.kind = SAMPLER_FAILURE_NONE;
    struct pair_order order = pair_order_make(&sampler->dice);
    uint32_t pair = 0;
    do {
        const bool is_reversed = pair_order_is_reversed(&order, pair);
        for (size_t place = 0; place < sampler->side_count; ++place) {
            const size_t index = is_reversed ? sampler->side_count - 1 - place : place;
            if (audit_pairs[index] == pair && sampler->audit_begin) TRY(take_audit(sampler, index, err));
            if (compare_pairs[index] == pair && sampler->compare && !sampler_has_failed(sampler))
                TRY(take_comparison(sampler, index, err));
            if (!sampler_has_failed(sampler)) TRY(take_block(sampler, index, pair, block, err));
            if (sampler_has_failed(sampler)) return 0;
        }
        progress.samples += pair++ > 0 ? block : block - 1; // the first sample of each side is dropped
    } while ((block > 1 && pair < 2) || !is_done(sampler, &progress));
    for (size_t i = 0; i < sampler->side_count && sampler->audit_begin; ++i) // audit not reached
        if (audit_pairs[i] >= pair && !sampler_has_failed(sampler)) TRY(take_audit(sampler, i, err));
    for (size_t i = 0; i < sampler->side_count && sampler->compare; ++i)
        if (compare_pairs[i] >= pair && !sampler_has_failed(sampler)) TRY(take_comparison(sampler, i, err));
    for (size_t i = 0; i < sampler->side_count && !sampler_has_failed(sampler); ++i)
        TRY(sampler_end_watch(sampler, i, err));
    for (size_t i = 0; i < sampler->side_count && !sampler_has_failed(sampler); ++i) judge_tails(sampler, i);
    if (!sampler_has_failed(sampler)) judge_stamps(sampler);
    return 0;
}

void sampler_fini(struct sampler *sampler) {
    for (size_t i = 0; i < sampler->side_count; ++i) {
        free(sampler->sides[i].items);
        free(sampler->sides[i].tails_ns);
    }
    memset(sampler, 0, sizeof *sampler);
}
