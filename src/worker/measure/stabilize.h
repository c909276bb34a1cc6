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

#define STABILIZE_READINGS   10  // the last ten readings must agree
#define STABILIZE_SPREAD_PCT 0.5 // within this
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

// When it gives up: after 25 times its least time (5 s of 200 ms), with a warning, and the measurement goes
// on. has_given_up: once it has, on a processor, after a tenth of that: others move its clock, and go on so.
uint64_t stabilize_limit_ns(uint64_t least_ns, bool has_given_up);
struct stabilize_result stabilize_run(const struct stabilize_request *request);

#endif
