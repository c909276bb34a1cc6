// SPDX-License-Identifier: Apache-2.0
//
// The loop of clock stabilization: busy for a while, read the clock probe, until the last readings agree.
#include "worker/measure/stabilize.h"

#include <math.h>
#include <stddef.h>

#define BUSY_NS 2000000u // between two readings
#define NEWEST  3u       // readings of this time, at least

#define LIMIT_RATIO 25u // of the least time
#define AGAIN_SHARE 10u // of the limit

uint64_t stabilize_limit_ns(uint64_t least_ns, bool has_given_up) {
    const uint64_t limit_ns = LIMIT_RATIO * least_ns;
    return has_given_up ? limit_ns / AGAIN_SHARE : limit_ns;
}

struct stabilize_result stabilize_run(const struct stabilize_request *request) {
    struct stabilize_result result = {.spread_pct = NAN, .clock_hz = NAN};
    struct device *device = request->device;
    struct stabilize_readings own = {0};
    struct stabilize_readings *readings = request->earlier ? request->earlier : &own;
    const uint64_t start_ns = device_now_ns(device);
    for (size_t count = 1; result.duration_ns < request->limit_ns; ++count) {
        const uint64_t busy_from_ns = device_now_ns(device);
        do {
            if (!request->keep_busy(request->arg)) return result;
        } while (device_now_ns(device) - busy_from_ns < BUSY_NS);
        const double clock_hz = device->backend->read_clock_probe_hz(device);
        readings->clock_hz[readings->count++ % STABILIZE_READINGS] = clock_hz;
        result.duration_ns = device_now_ns(device) - start_ns;
        if (isfinite(clock_hz) && count >= NEWEST && readings->count >= STABILIZE_READINGS) {
            double low_hz = clock_hz, high_hz = clock_hz;
            for (size_t i = 0; i < STABILIZE_READINGS; ++i) {
                low_hz = fmin(low_hz, readings->clock_hz[i]);
                high_hz = fmax(high_hz, readings->clock_hz[i]);
            }
            result.clock_hz = (low_hz + high_hz) / 2;
            result.spread_pct = 100 * (high_hz - low_hz) / result.clock_hz;
        }
        if (result.duration_ns < request->least_ns) continue;
        // Without a clock probe, only the minimum time counts.
        result.is_stable = !isfinite(clock_hz) || result.spread_pct <= STABILIZE_SPREAD_PCT;
        if (result.is_stable) break;
    }
    return result;
}
