// SPDX-License-Identifier: Apache-2.0
//
// The order of samples, how many, and which are dropped.
#include "worker/measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#define LAUNCHES_MAX      1000000u
#define UNTIL_PAIRS_MAX   20000 // --until gives up here when its budget allows that many
#define UNTIL_PAIRS_LEAST 20    // and looks for the first time here: an interval of fewer is wide anyway
#define UNTIL_PAIRS_STEP  10
#define WAIT_SHARE        0.02   // a thread that waited for a processor this share of a sample disturbed it,
#define WAIT_LEAST_NS     20000u // unless it is no more than a wake-up takes
#define TAIL_MOST_NS      50000000u // after a sample
#define REPLAYED_MAX      20000u // launches of a sample that is one replay: each is a node that takes memory
#define REPLAYED_BATCHES  3u     // of the count found, before it is used
#define REPLAYED_CHANGES  4u
#define TAIL_LEAST_NS                                                                                        \
    8000.0 // of work that is not the stream's, in the median, beyond what the host reads of none
#define TAIL_SAMPLES       10u // that say so at least
#define TAIL_CONTROLS      9u
#define LATE_SAMPLES       5u // in a row: once may be a host that was held up between two calls
#define CALLS_MOST         20u
#define CALLS_LEAST        3u
#define CALLS_BUDGET_NS    20000000u   // of a side; slow kernels do with few
#define SUSTAINED_BLOCK_NS 1000000000u // sustained power mode: blocks of at least this a side

static bool is_cold(const struct sampler *sampler) {
    return sampler->sampling->cache_mode == CACHE_COLD;
}

// ---- resting ----

static bool is_cool(const struct sampler *sampler) {
    return sampler->device->cooldown_ratio > 0 && !sampler->device->is_virtual &&
           sampler->sampling->power_mode != POWER_MODE_SUSTAINED;
}

// What the host does in between, looking at outputs, is rest too.
static void plan_rest(struct sampler *sampler, uint64_t busy_ns) {
    if (!is_cool(sampler)) return;
    const double tail_ns = fmin(sampler->device->cooldown_ratio * (double)busy_ns, TAIL_MOST_NS);
    sampler->cooldown_until_ns = clock_ns() + (uint64_t)tail_ns;
}

void sampler_cool_down(const struct sampler *sampler) {
    const uint64_t now_ns = clock_ns();
    if (sampler->cooldown_until_ns > now_ns) clock_sleep_ns(sampler->cooldown_until_ns - now_ns);
}

// ---- a batch ----

// A sample that was not cold is not taken back: the whole case does not count (worker/order/work_window.c).
static void note_flush(struct sampler *sampler, const struct batch *batch) {
    const struct device *device = sampler->device;
    if (!batch->is_cold || !device->has_flush_failed || *sampler->flush_error) return;
    snprintf(sampler->flush_error, sizeof sampler->flush_error, "%s", device->flush_doubt);
}

static void note_failure(struct sampler *sampler, size_t index, int status, const char *text) {
    sampler->wrong_side = index;
    snprintf(sampler->message, sizeof sampler->message, "a timed launch returned status %d%s%s", status,
             *text ? ": " : "", text);
}

static enum discard judge(const struct batch_time *time) {
    if (time->steal_ns) return DISCARD_STEAL;
    if (time->late_ns) return DISCARD_PREEMPTED;
    const double limit_ns = WAIT_SHARE * (double)time->duration_ns;
    if (time->wait_ns > WAIT_LEAST_NS && (double)time->wait_ns > limit_ns) return DISCARD_PREEMPTED;
    return DISCARD_NONE;
}

static bool run_batch(struct sampler *sampler, size_t index, const struct batch *batch,
                      struct batch_time *ret) {
    char text[SAMPLER_MESSAGE_BYTES - 64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    *ret = (struct batch_time){.kernel_clock_hz = NAN};
    if (sampler->on_side) sampler->on_side(sampler->arg, index);
    struct batch asked = *batch;
    asked.is_cold = is_cold(sampler);
    int status = sampler->device->backend->run(sampler->device, &asked, ret, &message);
    note_flush(sampler, &asked);
    plan_rest(sampler, ret->duration_ns);
    sampler->is_disturbed = judge(ret) != DISCARD_NONE;
    if (status != ASSAY_OK) note_failure(sampler, index, status, text);
    return status == ASSAY_OK;
}

static struct batch next_batch(const struct sampler *sampler, size_t index) {
    struct batch batch = sampler->sides[index].batch;
    batch.first_set = sampler->sides[index].next_set % batch.set_count;
    return batch;
}

uint64_t sampler_time(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches) {
    struct batch batch = sampler->sides[side].batch;
    batch.first_set = first_set;
    batch.launches = launches;
    batch.is_timed = true;
    struct batch_time time;
    return run_batch(sampler, side, &batch, &time) ? time.duration_ns : 0;
}

bool sampler_launch(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches) {
    return sampler_time(sampler, side, first_set, launches) != 0;
}

// ---- calibration ----

// Up to whole rotations where every set is to be used equally often; as few as a replay may hold, but one
// rotation.
static uint32_t round_launches(const struct sampler *sampler, uint32_t set_count, double wanted) {
    if (!sampler->device->wants_whole_rotations)
        return wanted < LAUNCHES_MAX ? (uint32_t)wanted : LAUNCHES_MAX;
    const uint32_t launches = wanted < REPLAYED_MAX ? (uint32_t)wanted : REPLAYED_MAX;
    return (launches + set_count - 1) / set_count * set_count;
}

struct calibration_of_side {
    uint32_t least;                       // launches that warm up
    uint32_t done, batches, same_batches; // launches so far; batches; batches with the present count
    uint64_t limit_ns;                    // very slow kernels: three batches will do
};

static bool is_calibrated(const struct sampler *sampler, const struct calibration_of_side *at,
                          uint32_t launches) {
    if (sampler->device->wants_whole_rotations)
        return at->done >= at->least && at->same_batches >= REPLAYED_BATCHES;
    return at->done >= at->least * launches ||
           (at->done >= 3 && device_now_ns(sampler->device) >= at->limit_ns);
}

static bool may_change(const struct sampler *sampler, const struct calibration_of_side *at) {
    return sampler->device->wants_whole_rotations ? at->batches <= REPLAYED_CHANGES
                                                  : at->done <= at->least * 4;
}

// The shortest of a few batches says how many launches fill a sample; a second look with that many corrects
// what a cold start hid. The same count serves all samples of the side.
static bool calibrate(struct sampler *sampler, size_t index) {
    struct sampler_side *side = &sampler->sides[index];
    const uint32_t sets = side->batch.set_count;
    uint32_t launches = round_launches(sampler, sets, 1);
    struct calibration_of_side at = {
        .least = sampler->sampling->warmup_count > 3 ? sampler->sampling->warmup_count : 3,
        .limit_ns = device_now_ns(sampler->device) + sampler->sampling->case_budget_ns / 10};
    while (!is_calibrated(sampler, &at, launches)) {
        struct batch batch = next_batch(sampler, index);
        batch.launches = launches;
        struct batch_time time;
        sampler_cool_down(sampler);
        if (!run_batch(sampler, index, &batch, &time)) return false;
        side->sample_ns = time.duration_ns;
        at.done += launches;
        ++at.batches;
        ++at.same_batches;
        const double each_ns = (double)time.duration_ns / launches;
        const double wanted = ceil((double)sampler->sampling->sample_time_ns / each_ns);
        if (is_cold(sampler) || !(wanted > launches * 1.1) || !may_change(sampler, &at)) continue;
        const uint32_t before = launches;
        launches = round_launches(sampler, sets, wanted);
        if (launches != before) at.same_batches = 0;
    }
    side->batch.launches = launches;
    return true;
}

int sampler_prepare(struct sampler *sampler, struct err *err) {
    (void)err;
    sampler->wrong_side = SIZE_MAX;
    for (size_t i = 0; i < sampler->side_count; ++i) sampler->sides[i].batch.is_timed = true;
    for (size_t i = 0; i < sampler->side_count; ++i)
        if (!calibrate(sampler, i)) return 0;
    return 0;
}

// ---- one sample ----

// A host that is held up before it looks whether the whole device is done sees the same once, not time and
// again.
static bool is_late(struct sampler *sampler, size_t index, const struct batch_time *time) {
    struct sampler_side *side = &sampler->sides[index];
    side->late_count = time->late_ns ? side->late_count + 1 : 0;
    if (side->late_count < LATE_SAMPLES) return false;
    sampler->wrong_side = index;
    sampler->is_late = true;
    snprintf(sampler->message, sizeof sampler->message,
             "work on another stream went on for %.1f us after its stream was done",
             (double)time->late_ns / 1e3);
    return true;
}

static void note_sample(struct sampler *sampler, struct sampler_side *side, const struct batch_time *time,
                        struct sample sample, enum discard forced) {
    sample.start_ns = time->start_ns - sampler->origin_ns;
    sample.duration_ns = time->duration_ns;
    sample.kernel_clock_hz = time->kernel_clock_hz > 0 ? time->kernel_clock_hz : NAN;
    sample.discard = forced != DISCARD_NONE ? forced : judge(time);
    MEM_GROW(side->items, side->capacity, side->count + 1);
    MEM_GROW(side->tails_ns, side->tail_capacity, side->count + 1);
    side->tails_ns[side->count] = time->tail_ns;
    side->items[side->count++] = sample;
}

// What the host reads after nothing but spinning for as long as this side's samples: up to 3 us on most
// machines, but 12 us were seen after batches of milliseconds, of every kernel. 0 where it is not known.
static double tail_of_nothing_ns(const struct sampler *sampler, const struct sampler_side *side) {
    struct device *device = sampler->device;
    double tails_ns[TAIL_CONTROLS];
    size_t count = 0;
    if (!device->backend->read_tail_ns) return 0;
    for (size_t i = 0; i < TAIL_CONTROLS; ++i) {
        const double tail_ns = device->backend->read_tail_ns(device, side->sample_ns);
        if (!isnan(tail_ns)) tails_ns[count++] = tail_ns;
    }
    const double median_ns = count ? describe_unsorted_median(tails_ns, count) : 0;
    return median_ns > 0 ? median_ns : 0;
}

// Less than what is late in one sample may still be there in all of them.
static void judge_tails(struct sampler *sampler, size_t index) {
    struct sampler_side *side = &sampler->sides[index];
    double *tails_ns = mem_alloc((side->count + 1) * sizeof *tails_ns);
    size_t count = 0;
    for (size_t i = 0; i < side->count; ++i)
        if (side->items[i].discard == DISCARD_NONE) tails_ns[count++] = side->tails_ns[i];
    const double tail_ns = count >= TAIL_SAMPLES ? describe_unsorted_median(tails_ns, count) : 0;
    free(tails_ns);
    if (!(tail_ns > TAIL_LEAST_NS)) return; // most often: nothing more is measured
    if (!(tail_ns - tail_of_nothing_ns(sampler, side) > TAIL_LEAST_NS)) return;
    sampler->wrong_side = index;
    sampler->is_late = true;
    snprintf(
        sampler->message, sizeof sampler->message,
        "in the middle of its samples work on another stream went on for %.1f us after its stream was done",
        tail_ns / 1e3);
}

// forced: why this sample will not count whatever happens in it; DISCARD_NONE: it may. wrong_side is set when
// it went wrong.
static int take_sample(struct sampler *sampler, size_t index, enum discard forced, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    struct sample sample = {.launches = side->batch.launches};
    const struct batch batch = next_batch(sampler, index);
    if (sampler->sample_begin) TRY(sampler->sample_begin(sampler->arg, index, &batch, err));
    sampler_cool_down(sampler);
    sample.clock_hz = sampler->device->backend->read_clock_probe_hz(sampler->device);
    struct batch_time time;
    if (!run_batch(sampler, index, &batch, &time)) return 0;
    if (is_late(sampler, index, &time)) return 0;
    if (sampler->sample_end) {
        const int code = sampler->sample_end(sampler->arg, index, &batch, forced == DISCARD_AUDIT, err);
        TRY(code);
        sampler->is_caught |= code > 0;
        if (code > 0) sampler->wrong_side = index;
        if (code > 0) return 0;
    }
    side->next_set = (batch.first_set + batch.launches) % batch.set_count;
    note_sample(sampler, side, &time, sample, forced);
    return 0;
}

static int take_audit(struct sampler *sampler, size_t index, struct err *err) {
    const struct batch batch = next_batch(sampler, index);
    TRY(sampler->audit_begin(sampler->arg, index, &batch, err));
    TRY(take_sample(sampler, index, DISCARD_AUDIT, err));
    const bool is_run = sampler->wrong_side == SIZE_MAX;
    const int wrong = sampler->audit_end(sampler->arg, index, &batch, err);
    if (wrong < 0 || !is_run) return wrong < 0 ? wrong : 0;
    if (wrong) {
        sampler->wrong_side = index;
        sampler->is_caught = true;
        return 0;
    }
    // What the audit did to the caches is not the next sample's business.
    sampler_launch(sampler, index, batch.first_set, batch.launches);
    return 0;
}

// ---- how many ----

static double cv_pct(const struct sampler_side *side, double *scratch) {
    struct samples samples = {.count = side->count, .items = side->items};
    const size_t n = samples_times_ns(&samples, scratch);
    const double mean = describe_mean(scratch, n);
    return 100 * describe_sd(scratch, n, mean) / mean;
}

static uint32_t count_wanted(const struct sampler *sampler, double *scratch) {
    const struct sampling *sampling = sampler->sampling;
    double worst = 0;
    for (size_t i = 0; i < sampler->side_count; ++i) {
        const double cv = cv_pct(&sampler->sides[i], scratch);
        if (!(cv <= worst) && !isnan(worst)) worst = cv; // undefined counts as noisy, whatever the others are
    }
    uint32_t count = sampling->sample_count;
    if (!(worst <= SAMPLER_CV_NOISY_PCT) && sampling->sample_count_noisy > count)
        count = sampling->sample_count_noisy;
    if (!(worst <= SAMPLER_CV_NOISIER_PCT) && sampling->sample_count_noisier > count)
        count = sampling->sample_count_noisier;
    return count;
}

static bool is_narrow(const struct sampler_side *side, double until_pct, double *scratch) {
    struct samples samples = {.count = side->count, .items = side->items};
    const size_t n = samples_times_ns(&samples, scratch);
    struct interval interval;
    float_order_sort(scratch, n);
    if (n < 6 || bootstrap_median_interval(scratch, n, &interval) < 0) return false;
    return 50 * (interval.hi - interval.lo) <= until_pct * describe_median(scratch, n);
}

struct progress_of_case {
    uint32_t pairs, wanted; // without the first; wanted grows
    uint32_t next_look;     // pairs at which --until looks again
    uint64_t deadline_ns;   // 0: none
};

static bool is_done(const struct sampler *sampler, struct progress_of_case *progress) {
    if (progress->deadline_ns && device_now_ns(sampler->device) >= progress->deadline_ns &&
        progress->pairs > 0)
        return true;
    size_t most = 1;
    for (size_t i = 0; i < sampler->side_count; ++i)
        if (sampler->sides[i].count > most) most = sampler->sides[i].count;
    double *scratch = mem_alloc(most * sizeof *scratch);
    bool done = false;
    if (sampler->sampling->until_pct > 0) {
        const bool is_time = progress->pairs >= progress->next_look;
        if (is_time) progress->next_look = progress->pairs + UNTIL_PAIRS_STEP;
        done = progress->pairs >= UNTIL_PAIRS_MAX || is_time;
        for (size_t i = 0; i < sampler->side_count && done && progress->pairs < UNTIL_PAIRS_MAX; ++i)
            done = is_narrow(&sampler->sides[i], sampler->sampling->until_pct, scratch);
    } else if (progress->pairs >= progress->wanted) {
        progress->wanted = count_wanted(sampler, scratch);
        done = progress->pairs >= progress->wanted;
    }
    free(scratch);
    return done;
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
    return count < UNTIL_PAIRS_MAX ? (uint32_t)count : UNTIL_PAIRS_MAX;
}

// A B, then B A, then A B: which side takes its turn at `place` of pair number `pair`.
static size_t side_at(const struct sampler *sampler, uint32_t pair, size_t place) {
    const bool is_reversed = (pair % 2 != 0) != sampler->is_flipped;
    return is_reversed ? sampler->side_count - 1 - place : place;
}

static int run_pair(struct sampler *sampler, uint32_t pair, const uint32_t *audit_pairs, struct err *err) {
    const uint32_t block = block_samples(sampler);
    for (size_t place = 0; place < sampler->side_count; ++place) {
        const size_t index = side_at(sampler, pair, place);
        if (audit_pairs[index] == pair && sampler->audit_begin) TRY(take_audit(sampler, index, err));
        for (uint32_t i = 0; i < block && sampler->wrong_side == SIZE_MAX; ++i)
            TRY(take_sample(sampler, index, pair == 0 && i == 0 ? DISCARD_FIRST_PAIR : DISCARD_NONE, err));
        if (sampler->wrong_side != SIZE_MAX) return 0;
    }
    return 0;
}

int sampler_run(struct sampler *sampler, struct err *err) {
    const struct sampling *sampling = sampler->sampling;
    const uint32_t block = block_samples(sampler);
    uint32_t audit_pairs[WORK_SIDES_MAX] = {0};
    const uint32_t span = sampling->sample_count > block ? sampling->sample_count / block : 1;
    for (size_t i = 0; i < sampler->side_count; ++i)
        audit_pairs[i] = 1 + (uint32_t)rng_below(sampler->seed, rng_stream("audit"), i, span);
    struct progress_of_case progress = {.wanted = sampling->sample_count, .next_look = UNTIL_PAIRS_LEAST};
    if (sampling->case_budget_ns)
        progress.deadline_ns = device_now_ns(sampler->device) + sampling->case_budget_ns;
    sampler->wrong_side = SIZE_MAX;
    uint32_t pair = 0;
    do {
        TRY(run_pair(sampler, pair, audit_pairs, err));
        progress.pairs += pair++ > 0 ? block : block - 1; // the first sample of each side is dropped
    } while (sampler->wrong_side == SIZE_MAX && ((block > 1 && pair < 2) || !is_done(sampler, &progress)));
    for (size_t i = 0; i < sampler->side_count && sampler->audit_begin; ++i) // stopped before its turn came
        if (audit_pairs[i] >= pair && sampler->wrong_side == SIZE_MAX) TRY(take_audit(sampler, i, err));
    for (size_t i = 0; i < sampler->side_count && sampler->wrong_side == SIZE_MAX; ++i)
        judge_tails(sampler, i);
    return 0;
}

// ---- single calls ----

static bool time_call(struct sampler *sampler, size_t index, uint64_t *ret_ns) {
    struct sampler_side *side = &sampler->sides[index];
    struct batch batch = side->batch;
    struct batch_time time;
    batch.first_set = (side->next_set + side->call_count++) % batch.set_count;
    batch.launches = 1;
    batch.is_timed = false; // not replayed: all that a call costs
    const bool is_run = run_batch(sampler, index, &batch, &time);
    *ret_ns = time.duration_ns;
    return is_run;
}

static bool time_calls(struct sampler *sampler, size_t index) {
    double times_ns[CALLS_MOST];
    size_t count = 0;
    uint64_t spent_ns = 0, time_ns;
    sampler->sides[index].call_count = 0;
    if (!time_call(sampler, index, &time_ns)) return false; // wakes what has slept
    while (count < CALLS_MOST && (count < CALLS_LEAST || spent_ns < CALLS_BUDGET_NS)) {
        if (!time_call(sampler, index, &time_ns)) return false;
        times_ns[count++] = (double)time_ns;
        spent_ns += time_ns;
    }
    sampler->sides[index].call_wall_ns = describe_unsorted_median(times_ns, count);
    return true;
}

typedef int (*call_hook)(void *state, void *stream, struct assay_message *message);

static void run_hook(struct sampler *sampler, size_t index, call_hook hook) {
    char text[SAMPLER_MESSAGE_BYTES - 64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    const int status = hook(sampler->sides[index].batch.state, sampler->device->stream, &message);
    if (status != ASSAY_OK && sampler->wrong_side == SIZE_MAX) note_failure(sampler, index, status, text);
}

void sampler_time_calls(struct sampler *sampler) {
    for (size_t i = 0; i < sampler->side_count && !sampler->device->is_virtual; ++i) {
        const struct batch_hooks *hooks = sampler->sides[i].batch.hooks;
        if (hooks && hooks->call_begin) run_hook(sampler, i, hooks->call_begin);
        if (sampler->wrong_side == SIZE_MAX) time_calls(sampler, i);
        if (hooks && hooks->call_end) run_hook(sampler, i, hooks->call_end);
        if (sampler->wrong_side != SIZE_MAX) return;
    }
}

void sampler_fini(struct sampler *sampler) {
    for (size_t i = 0; i < sampler->side_count; ++i) {
        free(sampler->sides[i].items);
        free(sampler->sides[i].tails_ns);
    }
    memset(sampler, 0, sizeof *sampler);
}

double sampler_clock_hz(const struct sampler_side *side) {
    double *clocks = mem_alloc((side->count ? side->count : 1) * sizeof *clocks);
    size_t n = 0;
    for (size_t i = 0; i < side->count; ++i)
        if (side->items[i].discard == DISCARD_NONE && isfinite(side->items[i].clock_hz))
            clocks[n++] = side->items[i].clock_hz;
    const double median = describe_unsorted_median(clocks, n); // NAN of none
    free(clocks);
    return median;
}
