// SPDX-License-Identifier: Apache-2.0
//
// What the hardware counted while a device function ran once (on a processor: a kernel), as a worker records
// it. Names are those of Nsight Compute and CUPTI, or of perf_event_open(2).
#ifndef RECORD_LAUNCH_COUNTERS_H
#define RECORD_LAUNCH_COUNTERS_H

#include <stddef.h>

#include "record/member.h"

#define LAUNCH_COUNTERS_MAX 1024
// Of our own: how far passes over the counters were apart in clock, the lowest to the highest.
#define CLOCK_SPREAD_NAME "assay__clock_spread.pct"

struct counter {
    const char *name; // "dram__bytes.sum"
    double value;
};

struct launch_counters {
    const char *function;     // its name on the device; NULL: not known
    const char *block, *grid; // "(640, 1, 1)"; NULL: no such thing
    size_t counter_count;
    struct counter *counters; // those that have a value
};

extern const struct member_table launch_counters_members;

#endif
