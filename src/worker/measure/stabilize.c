// SPDX-License-Identifier: Apache-2.0
//
// Busy for a while, read the clock, again: until the last readings agree.
#include "worker/measure/stabilize.h"

#include <math.h>
#include <stddef.h>

#define BUSY_NS 2000000u // between two readings

static void spread_of(const double *readings, struct stabilize_result *ret) {
    double low = readings[0], high = readings[0];
    for (size_t i = 1; i < STABILIZE_READINGS; ++i) {
        low = fmin(low, readings[i]);
        high = fmax(high, readings[i]);
    }
    ret->clock_hz = (low + high) / 2;
    ret->spread_pct = 100 * (high - low) / ret->clock_hz;
}

struct stabilize_result stabilize_run(const struct settle *settle) {
    struct stabilize_result result = {.spread_pct = NAN, .clock_hz = NAN};
    double readings[STABILIZE_READINGS];
    const uint64_t start_ns = device_now_ns(settle->device);
    for (size_t count = 0; result.duration_ns < STABILIZE_LIMIT_NS; ++count) {
        const uint64_t busy_from_ns = device_now_ns(settle->device);
        do settle->keep_busy(settle->arg);
        while (device_now_ns(settle->device) - busy_from_ns < BUSY_NS);
        readings[count % STABILIZE_READINGS] = settle->device->backend->read_clock_probe_hz(settle->device);
        result.duration_ns = device_now_ns(settle->device) - start_ns;
        const bool has_clock = isfinite(readings[count % STABILIZE_READINGS]);
        if (has_clock && count + 1 >= STABILIZE_READINGS) spread_of(readings, &result);
        if (result.duration_ns < settle->least_ns) continue;
        if (!has_clock ||
            result.spread_pct <= STABILIZE_SPREAD_PCT) { // no clock to wait for: the least is all there is
            result.is_settled = true;
            break;
        }
    }
    return result;
}
