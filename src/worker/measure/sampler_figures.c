// SPDX-License-Identifier: Apache-2.0
//
// What the samples of a side say: times, clocks, how many pairs count.
#include "worker/measure/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/describe.h"

double *sampler_times_ns(const struct sampler_side *side, size_t *ret_count) {
    const struct samples samples = {.count = side->count, .items = side->items};
    double *times_ns = mem_alloc((side->count ? side->count : 1) * sizeof *times_ns);
    *ret_count = samples_times_ns(&samples, times_ns);
    return times_ns;
}

double sampler_launch_ns(const struct sampler_side *side) {
    size_t count;
    double *times_ns = sampler_times_ns(side, &count);
    const double median_ns = describe_unsorted_median(times_ns, count); // NAN of none
    free(times_ns);
    return median_ns;
}

double sampler_wall_launch_ns(const struct sampler_side *side) {
    return side->count ? side->wall_ns / ((double)side->count * side->batch.launches) : NAN;
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

// The next sample of a side that has its place in the order; NULL: none. An audit stands outside of it.
static const struct sample *next_in_order(const struct sampler_side *side, size_t *at) {
    while (*at < side->count && side->items[*at].discard == DISCARD_AUDIT) ++*at;
    return *at < side->count ? &side->items[(*at)++] : NULL;
}

size_t sampler_clean_count(const struct sampler *sampler) {
    size_t at[WORK_SIDES_MAX] = {0}, clean = 0;
    while (sampler->side_count) {
        bool is_clean = true;
        for (size_t i = 0; i < sampler->side_count; ++i) {
            const struct sample *sample = next_in_order(&sampler->sides[i], &at[i]);
            if (!sample) return clean;
            is_clean &= sample->discard == DISCARD_NONE;
        }
        clean += is_clean;
    }
    return clean;
}

double sampler_timer_least_ns(const struct device *device) {
    return device->timer_step_ns > 1 ? SAMPLER_TIMER_STEPS * device->timer_step_ns : 0;
}
