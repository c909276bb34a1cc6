// SPDX-License-Identifier: Apache-2.0
//
// Before the samples: how many launches fill one, so that all sides' last about as long and both clocks
// agree.
#include <math.h>

#include "base/mem.h"
#include "stats/float_order.h"
#include "worker/measure/sampler_internal.h"

#define LAUNCHES_MAX       1000000u
#define REPLAYED_MAX       20000u // launches of a sample that is one replay: each node takes memory
#define RANGE_BATCHES      3u     // batches with the launch count found, before it is used
#define RANGE_CHANGES      4u     // batches after which the launches of a sample may still change
#define JUDGE_BATCHES      7u     // that show how far the clocks differ
#define JUDGE_QUICK        3u     // of them, when these agree already
#define JUDGE_USUAL        4u     // of them, sorted by that
#define JUDGE_SHARE_AIM    0.01   // that they shall differ by
#define JUDGE_LENGTHENING  4.0    // a sample becomes at most so many times as long for it
#define EQUAL_RATIO        1.05   // samples of two sides that differ by less are equally long
#define EQUAL_STRETCH_MOST 3.0
#define EQUAL_BATCHES      2u // besides the last one, to see how long a sample takes

// If every set must be used equally often, limits the count to REPLAYED_MAX and rounds it up to whole
// rotations, so at least one.
static uint32_t round_launches(const struct sampler *sampler, uint32_t set_count, double wanted) {
    if (!sampler->device->wants_whole_rotations)
        return wanted < LAUNCHES_MAX ? (uint32_t)wanted : LAUNCHES_MAX;
    const uint32_t launches = wanted < REPLAYED_MAX ? (uint32_t)wanted : REPLAYED_MAX;
    return (launches + set_count - 1) / set_count * set_count;
}

// A batch that is no sample, with at most *launches.
static int run_range(struct sampler *sampler, size_t index, uint32_t *launches, struct batch_time *ret,
                     struct err *err) {
    struct batch batch = sampler_next_batch(sampler, index);
    sampler_pause(sampler, index);
    batch.launches = *launches;
    sampler_settle(sampler, index);
    if (sampler->range_begin) TRY(sampler->range_begin(sampler->arg, index, &batch, err));
    *launches = batch.launches;
    sampler_cool_down(sampler);
    if (!sampler_run_batch(sampler, index, batch, ret)) return 0;
    return sampler->range_end ? sampler_end_batch(sampler, sampler->range_end, index, &batch, err) : 0;
}

// The shortest of a few: a batch that was disturbed says nothing of the others.
static void note_sample_ns(struct sampler_side *side, const struct batch_time *time) {
    if (time->duration_ns < side->sample_ns) side->sample_ns = time->duration_ns;
}

// Where threads of a kernel's own hold up the answers of its process, the clocks differ by more than
// JUDGE_SHARE of a short sample: how many times as long samples have to be. 1: they are long enough.
static int find_lengthening(struct sampler *sampler, size_t index, double *ret, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    double shares[JUDGE_BATCHES];
    size_t confirmed_count = 0;
    *ret = 1;
    if (!side->batch.host) return 0; // one clock
    for (size_t i = 0; i < JUDGE_BATCHES; ++i) {
        struct batch_time time;
        TRY(run_range(sampler, index, &side->batch.launches, &time, err));
        if (sampler_has_failed(sampler)) return 0;
        note_sample_ns(side, &time);
        shares[i] = fabs((double)time.judge_ns - (double)time.duration_ns) / (double)time.duration_ns;
        confirmed_count += judge_clock_confirms(&time);
        if (confirmed_count == JUDGE_QUICK && i + 1 == JUDGE_QUICK) return 0;
    }
    float_order_sort(shares, JUDGE_BATCHES);
    *ret = fmax(1, fmin(shares[JUDGE_USUAL] / JUDGE_SHARE_AIM, JUDGE_LENGTHENING));
    return 0;
}

static int stretch(struct sampler *sampler, size_t index, double ratio, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    struct batch_time time;
    if (sampler_has_failed(sampler) || !(ratio > 1)) return 0;
    side->batch.launches = round_launches(sampler, side->batch.set_count, ratio * side->batch.launches);
    TRY(run_range(sampler, index, &side->batch.launches, &time, err));
    if (!sampler_has_failed(sampler)) side->sample_ns = time.duration_ns;
    return 0;
}

static int find_sample_ns(struct sampler *sampler, size_t index, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    for (uint32_t i = 0; i < EQUAL_BATCHES && sampler->side_count > 1 && !sampler_has_failed(sampler); ++i) {
        struct batch_time time;
        TRY(run_range(sampler, index, &side->batch.launches, &time, err));
        if (!sampler_has_failed(sampler)) note_sample_ns(side, &time);
    }
    return 0;
}

// A launch in a longer sample is quicker, since the first ones of a sample are slow: unequal samples of the
// same kernel differed by 1 to 7 %. So all sides are made longer by the same factor, and then about as long
// as the longest, unless one launch of that takes longer than a sample has to.
static int equalize(struct sampler *sampler, struct err *err) {
    double longest = 1;
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < sampler->side_count && !sampler_has_failed(sampler); ++i) {
        double longer;
        TRY(find_lengthening(sampler, i, &longer, err));
        longest = fmax(longest, longer);
    }
    for (size_t i = 0; i < sampler->side_count; ++i) {
        TRY(stretch(sampler, i, longest, err));
        // Else what looked at the clocks has seen enough of such batches.
        if (longest > 1 || !sampler->sides[i].batch.host) TRY(find_sample_ns(sampler, i, err));
        if (sampler->sides[i].sample_ns > longest_ns) longest_ns = sampler->sides[i].sample_ns;
    }
    for (size_t i = 0; i < sampler->side_count && !sampler_has_failed(sampler); ++i) {
        const double ratio = (double)longest_ns / (double)sampler->sides[i].sample_ns;
        if (ratio > EQUAL_RATIO) TRY(stretch(sampler, i, fmin(ratio, EQUAL_STRETCH_MOST), err));
    }
    return 0;
}

// Batches grow until one fills a sample; another batch with that many launches corrects the effect of a
// cold start. The same count serves all samples of the side.
static int autorange(struct sampler *sampler, size_t index, struct err *err) {
    struct sampler_side *side = &sampler->sides[index];
    const struct sampling *sampling = sampler->sampling;
    const bool is_replayed = sampler->device->wants_whole_rotations;
    const uint32_t set_count = side->batch.set_count;
    const uint32_t least = sampling->warmup_count > 3 ? sampling->warmup_count : 3;
    // Of a side with two clocks more batches follow, which compare them.
    const uint32_t least_batches = side->batch.host && !is_replayed ? 1 : RANGE_BATCHES;
    const uint64_t limit_ns = device_now_ns(sampler->device) + sampling->case_budget_ns / 10;
    uint32_t launches = round_launches(sampler, set_count, 1);
    uint32_t done = 0, batches = 0, same_batches = 0; // launches; batches; batches since launches changed
    for (;;) {
        if (done >= least && same_batches >= least_batches) break;
        // For very slow kernels three launches are enough.
        if (!is_replayed && done >= 3 && device_now_ns(sampler->device) >= limit_ns) break;
        struct batch_time time;
        TRY(run_range(sampler, index, &launches, &time, err));
        if (sampler_has_failed(sampler)) return 0;
        side->sample_ns = time.duration_ns;
        done += launches;
        ++batches;
        ++same_batches;
        const double launch_ns = (double)time.duration_ns / launches;
        const double aim_ns = fmax((double)sampling->sample_time_ns, sampler_timer_least_ns(sampler->device));
        const double wanted = ceil(aim_ns / launch_ns);
        const bool may_change = batches <= RANGE_CHANGES;
        if (sampling->cache_mode == CACHE_COLD || !(wanted > launches * 1.1) || !may_change) continue;
        const uint32_t before = launches;
        launches = round_launches(sampler, set_count, wanted);
        if (launches != before) same_batches = 0;
    }
    side->batch.launches = launches;
    return 0;
}

int sampler_prepare(struct sampler *sampler, struct err *err) {
    sampler->failure.kind = SAMPLER_FAILURE_NONE;
    for (size_t i = 0; i < sampler->side_count; ++i) sampler->sides[i].batch.is_timed = true;
    for (size_t i = 0; i < sampler->side_count && !sampler_has_failed(sampler); ++i)
        TRY(autorange(sampler, i, err));
    const bool is_cold = sampler->sampling->cache_mode == CACHE_COLD;
    return sampler->device->backend->is_accelerator || is_cold ? 0 : equalize(sampler, err);
}
