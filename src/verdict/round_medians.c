// SPDX-License-Identifier: Apache-2.0
//
// Which rounds of a problem count, and what is each side's median in them? Blind to the medians themselves: only the
// device's state and the presence of samples choose.
#include "verdict/rounds.h"

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#include <stdlib.h>
#include <string.h>

// Median per-launch time of a side in one round; *ret_count: samples behind it.
static int median_of(const struct samples *samples, double *ret_median_ns, size_t *ret_count) {
    double *times = mem_try_array(samples->count, sizeof *times);
    if (!times) return -1;
    size_t count = samples_times_ns(samples, times);
    float_order_sort(times, count);
    *ret_median_ns = describe_median(times, count); // NaN when every sample was discarded
    *ret_count = count;
    free(times);
    return 0;
}

// The first valid attempt at this round; NULL: none.
static const struct result_round *attempt_find(const struct result_case *item, uint32_t round,
                                               uint32_t base_side, uint32_t cand_side) {
    const struct result_round *first = NULL;
    for (size_t i = 0; i < item->round_count; i++) {
        const struct result_round *it = &item->rounds[i];
        if (it->round != round || !result_round_is_usable(it, base_side, cand_side)) continue;
        if (!first || it->attempt < first->attempt) first = it;
    }
    return first;
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Numbers of the rounds tried, ascending, each once.
static size_t list_numbers(const struct result_case *item, uint32_t *numbers) {
    size_t count = 0;
    for (size_t i = 0; i < item->round_count; i++) numbers[i] = item->rounds[i].round;
    qsort(numbers, item->round_count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < item->round_count; i++)
        if (count == 0 || numbers[count - 1] != numbers[i]) numbers[count++] = numbers[i];
    return count;
}

static void note_invalid(const struct result_case *item, uint32_t round, struct round_medians *ret) {
    for (size_t i = 0; i < item->round_count; i++) {
        const struct result_round *it = &item->rounds[i];
        if (it->round != round || it->is_valid) continue;
        ret->invalid_count++;
        if (it->invalid_reason) ret->invalid_reason = it->invalid_reason;
    }
}

static bool is_tried_to_limit(const struct result_case *item, uint32_t round) {
    for (size_t i = 0; i < item->round_count; i++)
        if (item->rounds[i].round == round && item->rounds[i].attempt >= ROUNDS_REPEAT_MAX) return true;
    return false;
}

static int add_round(const struct result_case *item, uint32_t round, uint32_t base_side, uint32_t cand_side,
                     struct round_medians *ret) {
    const struct result_round *it = attempt_find(item, round, base_side, cand_side);
    size_t base_count = 0, cand_count = 0, at = ret->round_count;
    note_invalid(item, round, ret);
    if (!it) {
        if (!ret->is_exhausted && is_tried_to_limit(item, round)) {
            ret->is_exhausted = true;
            ret->count_before_exhausted = ret->round_count;
        }
        return 0;
    }
    if (median_of(&it->samples[base_side], &ret->base_ns[at], &base_count) < 0) return -1;
    if (median_of(&it->samples[cand_side], &ret->cand_ns[at], &cand_count) < 0) return -1;
    if (base_count == 0 || cand_count == 0) return 0;
    ret->round_count++;
    ret->base_count += base_count;
    ret->cand_count += cand_count;
    return 0;
}

int round_medians_get(const struct result_case *item, uint32_t base_side, uint32_t cand_side,
                      struct round_medians *ret) {
    *ret = (struct round_medians){0};
    size_t capacity = item->round_count ? item->round_count : 1;
    uint32_t *numbers = mem_try_array(capacity, sizeof *numbers);
    ret->base_ns = mem_try_array(capacity, sizeof *ret->base_ns);
    ret->cand_ns = mem_try_array(capacity, sizeof *ret->cand_ns);
    int status = numbers && ret->base_ns && ret->cand_ns ? 0 : -1;
    if (status < 0) goto out;
    size_t count = list_numbers(item, numbers);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_round(item, numbers[i], base_side, cand_side, ret);
out:
    free(numbers);
    if (status < 0) round_medians_fini(ret);
    return status;
}

void round_medians_fini(struct round_medians *medians) {
    free(medians->base_ns);
    free(medians->cand_ns);
    *medians = (struct round_medians){0};
}
