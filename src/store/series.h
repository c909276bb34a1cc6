// SPDX-License-Identifier: Apache-2.0
//
// Stored results as series: where the time of a problem and side changed for good, and between which commits.
// Times compare only on one device and driver, and not with counts, so that each device, driver and metric
// has a series of its own.
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

#include "store/store.h"

// Between two results of one series.
struct series_change {
    size_t before, after; // indices into the results: the last at the old level, the first at the new one
    double median_before_ns, median_after_ns; // medians of the two levels
    double change_pct;                        // positive: slower from `after` on
    double low_pct, high_pct;                 // 95 % interval
    double p; // two-sided, multiplied by the places that could have been chosen
};

// Below 0, 0, above 0: whether results of two runs are of one series.
int series_compare_runs(const struct stored_run *a, const struct stored_run *b);

// results: oldest first, of any problems, sides and devices. By `after`, in the arena. ERR_INTERNAL: no
// memory.
int series_find_changes(const struct stored_result *results, size_t count, struct arena *arena,
                        struct series_change **ret, size_t *ret_count, struct err *err);

// The same of one series alone, which is told by its figures.
struct series_point {
    size_t place;                      // its index among the results
    double median_ns, low_ns, high_ns; // NAN: not known
};
struct series_found {
    struct series_change *items; // free() them
    size_t count, capacity;
};
// Oldest first; adds to *found.
int series_find_in(const struct series_point *points, size_t count, struct series_found *found,
                   struct err *err);

#endif
