// SPDX-License-Identifier: Apache-2.0
//
// What is there to know of one problem's samples on one side? Figures are summary.h's and describe.h's; here
// they are brought together.
#include "control/verdict/sample_set.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "control/verdict/rounds/round_medians.h"
#include "stats/float_order.h"

static void count_samples(const struct result_round *round, uint32_t side, struct sample_set *ret) {
    const struct samples *samples = &round->samples[side];
    ret->taken_count += samples->count;
    for (size_t i = 0; i < samples->count; ++i) {
        if (round->is_valid)
            ++ret->discarded_counts[samples->items[i].discard];
        else
            ++ret->invalid_count;
    }
    ret->discarded_counts[DISCARD_NONE] = 0;
}

static void fill_bounds(struct sample_set *ret) {
    ret->has_order = describe_order_interval(ret->sorted_ns, ret->n, SAMPLE_SET_LEVEL, &ret->order);
    describe_percentile_bound(ret->sorted_ns, ret->n, 0.95, SAMPLE_SET_LEVEL, &ret->p95_bound_ns);
    describe_percentile_bound(ret->sorted_ns, ret->n, 0.99, SAMPLE_SET_LEVEL, &ret->p99_bound_ns);
}

int sample_set_get(const struct result *result, const struct result_case *item, uint32_t side,
                   struct sample_set *ret) {
    struct sample_set set = {.item = item,
                             .side = side,
                             .outcome = result_case_outcome(item, side),
                             .p95_bound_ns = NAN,
                             .p99_bound_ns = NAN};
    int status = summary_get(result, item, side, &set.summary);
    set.round_median_ns = mem_try_array(item->round_count + 1, sizeof *set.round_median_ns);
    if (!set.round_median_ns) status = -1;
    for (size_t r = 0; r < item->round_count && status == 0; ++r) {
        count_samples(&item->rounds[r], side, &set);
        set.round_median_ns[r] = NAN; // and stays so where what was measured is wrong
        if (!set.summary.figures.is_set || !item->rounds[r].is_valid) continue;
        struct round_side at;
        status = round_side_get(&item->rounds[r].samples[side], &at);
        if (status == 0) set.round_median_ns[r] = at.median_ns;
    }
    if (status == 0 && set.summary.figures.is_set) {
        set.n = result_case_times(item, side, &set.sorted_ns);
        float_order_sort(set.sorted_ns, set.n);
        fill_bounds(&set);
    }
    if (status < 0)
        sample_set_fini(&set);
    else
        *ret = set;
    return status;
}

void sample_set_fini(struct sample_set *set) {
    free(set->sorted_ns);
    free(set->round_median_ns);
    *set = (struct sample_set){0};
}
