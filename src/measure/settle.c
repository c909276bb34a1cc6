// SPDX-License-Identifier: Apache-2.0
//
// Busy for a while, read the clock, again: until the last readings agree.
#include "measure/settle.h"

#include <math.h>
#include <stddef.h>

#define BUSY_NS 2000000u // between two readings

static void spread_of(const double *readings, struct settle_result *ret) {
    double low = readings[0], high = readings[0];
    for (size_t i = 1; i < SETTLE_READINGS; ++i) {
        low = fmin(low, readings[i]);
        high = fmax(high, readings[i]);
    }
    ret->clock_hz = (low + high) / 2;
    ret->spread_pct = 100 * (high - low) / ret->clock_hz;
}

struct settle_result settle_run(const struct settle *settle) {
    struct settle_result result = {.spread_pct = NAN, .clock_hz = NAN};
    double readings[SETTLE_READINGS];
    const uint64_t start_ns = device_now_ns(settle->device);
    for (size_t count = 0; result.duration_ns < SETTLE_LIMIT_NS; ++count) {
        const uint64_t busy_from_ns = device_now_ns(settle->device);
        do settle->keep_busy(settle->arg);
        while (device_now_ns(settle->device) - busy_from_ns < BUSY_NS);
        readings[count % SETTLE_READINGS] = settle->device->backend->read_spin_hz(settle->device);
        result.duration_ns = device_now_ns(settle->device) - start_ns;
        const bool has_clock = isfinite(readings[count % SETTLE_READINGS]);
        if (has_clock && count + 1 >= SETTLE_READINGS) spread_of(readings, &result);
        if (result.duration_ns < settle->least_ns) continue;
        if (!has_clock ||
            result.spread_pct <= SETTLE_SPREAD_PCT) { // no clock to wait for: the least is all there is
            result.is_settled = true;
            break;
        }
    }
    return result;
}
