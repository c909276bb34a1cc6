// SPDX-License-Identifier: Apache-2.0
//
// What the samples of a side say: times, clocks, how many pairs count, whether they are enough.
#include "worker/measure/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/invalid_cause.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/float_order.h"

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

double sampler_clocks_apart_pct(const struct sampler *sampler) {
    double low_hz = INFINITY, high_hz = 0;
    for (size_t i = 0; i < sampler->side_count; ++i) {
        const double hz = sampler_clock_hz(&sampler->sides[i]);
        if (!isfinite(hz)) continue;
        low_hz = fmin(low_hz, hz);
        high_hz = fmax(high_hz, hz);
    }
    return high_hz > 0 ? 100 * (high_hz / low_hz - 1) : 0;
}

bool sampler_has_clocks_apart(const struct sampler *sampler) {
    // A sampler that never ran has no settings, and no samples either.
    return sampler_clocks_apart_pct(sampler) > CLOCKS_APART_MAX_PCT &&
           sampler->sampling->power_mode != POWER_MODE_SUSTAINED;
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
    return SAMPLER_TIMER_STEPS * fmax(device->timer_step_ns, 1); // records hold whole nanoseconds
}

uint32_t sampler_count_wanted(const struct sampler *sampler) {
    const struct sampling *sampling = sampler->sampling;
    double worst_pct = 0;
    for (size_t i = 0; i < sampler->side_count; ++i) {
        size_t n;
        double *times_ns = sampler_times_ns(&sampler->sides[i], &n);
        const double mean_ns = describe_mean(times_ns, n);
        const double cv_pct = 100 * describe_sd(times_ns, n, mean_ns) / mean_ns;
        free(times_ns);
        // An undefined CV counts as noisy, whatever the other sides' are.
        if (!(cv_pct <= worst_pct) && !isnan(worst_pct)) worst_pct = cv_pct;
    }
    uint32_t count = sampling->sample_count;
    if (!(worst_pct <= SAMPLER_CV_NOISY_PCT) && sampling->sample_count_noisy > count)
        count = sampling->sample_count_noisy;
    if (!(worst_pct <= SAMPLER_CV_NOISIER_PCT) && sampling->sample_count_noisier > count)
        count = sampling->sample_count_noisier;
    return count;
}

bool sampler_is_narrow(const struct sampler_side *side, double until_pct) {
    size_t n;
    double *times_ns = sampler_times_ns(side, &n);
    struct interval interval;
    float_order_sort(times_ns, n);
    const bool is_enough = n >= 6 && bootstrap_median_interval(times_ns, n, NULL, &interval) >= 0 &&
                           50 * (interval.hi - interval.lo) <= until_pct * describe_median(times_ns, n);
    free(times_ns);
    return is_enough;
}
