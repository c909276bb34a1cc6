// SPDX-License-Identifier: Apache-2.0
//
// Clock stabilization: keeps the device busy until the clock probe's readings agree. Nothing is timed
// before that.
#ifndef WORKER_MEASURE_STABILIZE_H
#define WORKER_MEASURE_STABILIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/backend/backend.h"

#define STABILIZE_READINGS   10          // the last ten readings must agree
#define STABILIZE_SPREAD_PCT 0.5         // within this
#define STABILIZE_LIMIT_NS   5000000000u // after this it gives up: a warning, and the measurement goes on
// After this once it has given up on a processor: others move its clock, and go on doing so.
#define STABILIZE_AGAIN_NS 500000000u

struct stabilize_readings {
    size_t count;
    double clock_hz[STABILIZE_READINGS]; // the last of them
};

struct stabilize_request {
    struct device *device;
    uint64_t least_ns;                  // busy at least this long
    uint64_t limit_ns;                  // then it gives up
    struct stabilize_readings *earlier; // go on from these, of what ran before; NULL: from none
    // Runs one or a few launches of the kernels to be measured. False: one failed, and there is no more to do
    // (on a virtual device time would not even pass).
    bool (*keep_busy)(void *arg);
    void *arg;
};

struct stabilize_result {
    bool is_stable;
    double spread_pct, clock_hz; // of the last readings; NAN when the device has no clock probe
    uint64_t duration_ns;
};

struct stabilize_result stabilize_run(const struct stabilize_request *request);

#endif
