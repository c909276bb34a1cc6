// SPDX-License-Identifier: Apache-2.0
//
// Warming up: keeps the device busy until the clock that we measure on it holds still. Nothing is timed
// before.
#ifndef WORKER_MEASURE_STABILIZE_H
#define WORKER_MEASURE_STABILIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/backend/backend.h"

#define STABILIZE_READINGS   10          // the last ten readings must agree
#define STABILIZE_SPREAD_PCT 0.5         // within this
#define STABILIZE_LIMIT_NS   5000000000u // or it has taken too long: a warning, and the measurement goes on

struct settle {
    struct device *device;
    uint64_t least_ns;            // busy at least this long
    void (*keep_busy)(void *arg); // a launch or a few: what will be measured
    void *arg;
};

struct stabilize_result {
    bool is_settled;
    double spread_pct, clock_hz; // of the last readings; NAN when the device has no clock probe
    uint64_t duration_ns;
};

struct stabilize_result stabilize_run(const struct settle *settle);

#endif
