// SPDX-License-Identifier: Apache-2.0
//
// All samples of one problem and side, for those who want to look at them: the summary, the sorted times, the
// bounds that a summary has no room for, the medians of the rounds, and what was discarded why.
#ifndef CONTROL_VERDICT_SAMPLE_SET_H
#define CONTROL_VERDICT_SAMPLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/verdict/summary.h"
#include "record/result.h"
#include "stats/describe.h"

#define SAMPLE_SET_LEVEL 0.95 // of the order-statistic interval and of the one-sided bounds of percentiles

struct sample_set {
    const struct result_case *item; // borrowed
    uint32_t side;
    enum outcome outcome; // result_case_outcome()
    // figures.is_set false: no sample counts, or what was measured is wrong; then n is 0.
    struct summary summary;
    size_t n;
    double *sorted_ns; // n per-launch times that count, ascending
    bool has_order;    // false: n too small for an order-statistic interval
    struct order_interval order;
    double p95_bound_ns, p99_bound_ns;      // one-sided upper limits at SAMPLE_SET_LEVEL; NAN: n too small
    double *round_median_ns;                // item->round_count of them; NAN: no sample of that round counts
    size_t taken_count;                     // samples of this side in all rounds, whatever became of them
    size_t discarded_counts[DISCARD_COUNT]; // of the rounds that are valid
    size_t invalid_count;                   // samples of rounds that are not
};

// -1: no memory. The caller ends with sample_set_fini(), which accepts a zeroed one.
int sample_set_get(const struct result *result, const struct result_case *item, uint32_t side,
                   struct sample_set *ret);
void sample_set_fini(struct sample_set *set);

#endif
