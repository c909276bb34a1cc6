// SPDX-License-Identifier: Apache-2.0
//
// Reduces the rounds of a problem to medians: chooses the attempts that count, names causes, estimates the
// noise within rounds.
#include "verdict/round_medians.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/round_count.h"
#include "record/throttle.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#define QUARTILES_APART_SD 1.349 // of a normal distribution

int round_side_get(const struct samples *samples, struct round_side *ret) {
    double *times = mem_try_array(samples->count ? samples->count : 1, sizeof *times);
    if (!times) return -1;
    size_t count = samples_times_ns(samples, times);
    float_order_sort(times, count);
    *ret = (struct round_side){.count = count, .median_ns = describe_median(times, count)};
    // Sigma from the quartiles, since long tails are common.
    double quartiles = describe_percentile(times, count, 0.75) - describe_percentile(times, count, 0.25);
    double deviation = DESCRIBE_MEDIAN_SD_RATIO * quartiles / QUARTILES_APART_SD / ret->median_ns;
    if (count) ret->log_variance = deviation * deviation / (double)count;
    const size_t judged = samples_judge_times_ns(samples, times);
    ret->judge_ns = judged == count ? describe_unsorted_median(times, judged) : NAN;
    free(times);
    return 0;
}

// ---- pairs ----

// What the pairs of a round say.
struct round_pairs {
    size_t count;
    double median, judge_median; // of ln(candidate / baseline); NAN: no pairs, or not timed by the judge
    double variance;             // of the median, by the spread of the pairs
};

// The next sample that was timed in its place of the order; NULL: none. An audit stands outside of it.
static const struct sample *next_in_order(const struct samples *samples, size_t *at) {
    while (*at < samples->count && samples->items[*at].discard == DISCARD_AUDIT) ++*at;
    return *at < samples->count ? &samples->items[(*at)++] : NULL;
}

static double judged_ns(const struct sample *sample) {
    return (double)sample->judge_ns / (double)sample->launches;
}

static int round_pairs_get(const struct samples *base, const struct samples *cand, struct round_pairs *ret) {
    const size_t most = base->count < cand->count ? base->count : cand->count;
    double *logs = mem_try_array(2 * most + 1, sizeof *logs);
    size_t base_at = 0, cand_at = 0, judged = 0;
    if (!logs) return -1;
    double *judge_logs = logs + most;
    *ret = (struct round_pairs){.median = NAN, .judge_median = NAN};
    for (;;) {
        const struct sample *a = next_in_order(base, &base_at), *b = next_in_order(cand, &cand_at);
        if (!a || !b) break;
        if (a->discard != DISCARD_NONE || b->discard != DISCARD_NONE) continue;
        logs[ret->count++] = log(sample_time_ns(b) / sample_time_ns(a));
        if (a->judge_ns && b->judge_ns) judge_logs[judged++] = log(judged_ns(b) / judged_ns(a));
    }
    float_order_sort(logs, ret->count);
    ret->median = describe_median(logs, ret->count);
    if (judged == ret->count) ret->judge_median = describe_unsorted_median(judge_logs, judged);
    const double quartiles =
        describe_percentile(logs, ret->count, 0.75) - describe_percentile(logs, ret->count, 0.25);
    const double deviation = DESCRIBE_MEDIAN_SD_RATIO * quartiles / QUARTILES_APART_SD;
    if (ret->count) ret->variance = deviation * deviation / (double)ret->count;
    free(logs);
    return 0;
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The median of the clocks, as in the worker: the mean of a clock that jumps does not describe the side. NAN:
// not read, or no memory.
static double clock_of(const struct samples *samples) {
    double *clocks = mem_try_array(samples->count ? samples->count : 1, sizeof *clocks);
    size_t count = 0;
    if (!clocks) return NAN;
    for (size_t i = 0; i < samples->count; ++i)
        if (samples->items[i].discard == DISCARD_NONE && samples->items[i].clock_hz > 0)
            clocks[count++] = samples->items[i].clock_hz;
    double median_hz = describe_unsorted_median(clocks, count);
    free(clocks);
    return median_hz;
}

// Guesses the cause from the device's state alone.
static enum reason guess_reason(const struct result_round *round) {
    uint32_t throttle = THROTTLE_NONE;
    (void)throttle_parse(round->state.throttle, &throttle); // words of others are no slowdown of ours
    if (throttle & THROTTLE_SLOWDOWNS) return REASON_THROTTLED;
    double low_hz = INFINITY, high_hz = 0;
    for (size_t side = 0; side < WORK_SIDES_MAX; ++side) {
        double hz = clock_of(&round->samples[side]);
        if (isnan(hz)) continue;
        low_hz = fmin(low_hz, hz);
        high_hz = fmax(high_hz, hz);
    }
    return high_hz > low_hz * (1 + CLOCKS_APART_MAX_PCT / 100) ? REASON_CLOCKS_APART : REASON_BUSY_MACHINE;
}

enum reason round_invalid_reason(const struct result_round *round) {
    static const enum reason reasons[INVALID_CAUSE_COUNT] = {
        [INVALID_CAUSE_BUSY] = REASON_BUSY_MACHINE,
        [INVALID_CAUSE_THROTTLED] = REASON_THROTTLED,
        [INVALID_CAUSE_OTHER_PROCESS] = REASON_BUSY_MACHINE,
        [INVALID_CAUSE_CLOCKS_APART] = REASON_CLOCKS_APART,
        [INVALID_CAUSE_TOO_FEW_SAMPLES] = REASON_TOO_FEW_SAMPLES,
        [INVALID_CAUSE_STRAY_WRITE] = REASON_NOT_MEASURED,
        [INVALID_CAUSE_WORKER_DIED] = REASON_NOT_MEASURED,
        [INVALID_CAUSE_NOT_COLD] = REASON_NOT_MEASURED,
        [INVALID_CAUSE_COARSE_TIMER] = REASON_COARSE_TIMER,
        [INVALID_CAUSE_KILLED_FROM_OUTSIDE] = REASON_NOT_MEASURED,
    };
    return round->invalid_cause ? reasons[round->invalid_cause] : guess_reason(round);
}

// Adds one round, if it has a valid attempt. variance_sum: sum over the rounds of the variance of
// d_r that the pairs within a round explain.
static int add_round(const struct result_case *item, uint32_t round, uint32_t base_side, uint32_t cand_side,
                     struct round_medians *ret, double *variance_sum) {
    const struct result_round *first = NULL; // the first valid attempt at this round
    struct round_side base, cand;
    struct round_pairs pairs;
    size_t at = ret->round_count;
    bool is_tried_to_limit = false;
    for (size_t i = 0; i < item->round_count; ++i) {
        const struct result_round *it = &item->rounds[i];
        if (it->round != round) continue;
        is_tried_to_limit |= it->attempt >= ROUNDS_REPEAT_MAX;
        if (result_round_is_usable(it, base_side, cand_side) && (!first || it->attempt < first->attempt))
            first = it;
        if (it->is_valid) continue;
        ++ret->invalid_count;
        ret->invalid_cause = round_invalid_reason(it);
        if (it->invalid_reason) ret->invalid_reason = it->invalid_reason;
    }
    if (!first) {
        ret->is_exhausted |= is_tried_to_limit;
        return 0;
    }
    if (round_side_get(&first->samples[base_side], &base) < 0 ||
        round_side_get(&first->samples[cand_side], &cand) < 0 ||
        round_pairs_get(&first->samples[base_side], &first->samples[cand_side], &pairs) < 0)
        return -1;
    if (pairs.count == 0) return 0;
    ret->base_ns[at] = base.median_ns;
    ret->cand_ns[at] = cand.median_ns;
    ret->log_ratios[at] = pairs.median;
    ret->judge_base_ns[at] = base.judge_ns;
    ret->judge_cand_ns[at] = cand.judge_ns;
    ret->judge_log_ratios[at] = pairs.judge_median;
    ret->has_judge = (at == 0 || ret->has_judge) && isfinite(base.judge_ns) && isfinite(cand.judge_ns) &&
                     isfinite(pairs.judge_median);
    ++ret->round_count;
    ret->base_count += base.count;
    ret->cand_count += cand.count;
    *variance_sum += pairs.variance;
    return 0;
}

int round_medians_get(const struct result_case *item, uint32_t base_side, uint32_t cand_side,
                      struct round_medians *ret) {
    *ret = (struct round_medians){0};
    size_t capacity = item->round_count ? item->round_count : 1;
    uint32_t *numbers = mem_try_array(capacity, sizeof *numbers);
    double **const columns[] = {&ret->base_ns,       &ret->cand_ns,       &ret->log_ratios,
                                &ret->judge_base_ns, &ret->judge_cand_ns, &ret->judge_log_ratios};
    int status = numbers ? 0 : -1;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i) {
        *columns[i] = mem_try_array(capacity, sizeof **columns[i]);
        if (!*columns[i]) status = -1;
    }
    if (status < 0) goto out;
    double variance_sum = 0;
    for (size_t i = 0; i < item->round_count; ++i) numbers[i] = item->rounds[i].round;
    qsort(numbers, item->round_count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < item->round_count && status == 0; ++i)
        if (i == 0 || numbers[i] != numbers[i - 1]) // several attempts have one number
            status = add_round(item, numbers[i], base_side, cand_side, ret, &variance_sum);
    size_t fewer = ret->base_count < ret->cand_count ? ret->base_count : ret->cand_count;
    ret->samples_a_round = ret->round_count ? fewer / ret->round_count : 0;
    ret->is_given_up = rounds_are_given_up(ret->round_count, ret->invalid_count, ROUNDS_REPEAT_MAX);
    ret->within_sd = ret->round_count ? sqrt(variance_sum / (double)ret->round_count) : NAN;
out:
    free(numbers);
    if (status < 0) round_medians_fini(ret);
    return status;
}

struct round_figures round_medians_figures(const struct round_medians *medians, size_t count) {
    double base_log = 0, cand_log = 0, ratio_log = 0;
    for (size_t r = 0; r < count; ++r) {
        base_log += log(medians->base_ns[r]);
        cand_log += log(medians->cand_ns[r]);
        ratio_log += medians->log_ratios[r];
    }
    const double rounds = count ? (double)count : NAN;
    return (struct round_figures){exp(base_log / rounds), exp(cand_log / rounds), ratio_log / rounds};
}

struct serial_series round_medians_series(const struct round_medians *medians, struct arena *arena) {
    double *values = arena_array(arena, medians->round_count + 1, sizeof *values);
    for (size_t r = 0; r < medians->round_count; ++r) values[r] = medians->log_ratios[r];
    return (struct serial_series){.values = values, .count = medians->round_count};
}

void round_medians_fini(struct round_medians *medians) {
    free(medians->base_ns);
    free(medians->cand_ns);
    free(medians->log_ratios);
    free(medians->judge_base_ns);
    free(medians->judge_cand_ns);
    free(medians->judge_log_ratios);
    *medians = (struct round_medians){0};
}
