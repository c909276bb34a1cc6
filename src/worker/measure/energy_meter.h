// SPDX-License-Identifier: Apache-2.0
//
// The energy of one side's launches, where the device counts energy (NVML: millijoules since the driver was
// loaded, a counter that moves every 20 to 100 ms) and a side has the device for a while: a block of samples
// of the sustained power mode. The counter lags by up to the resolution of the device's state, so a span
// begins that long after its block: what it shows at both ends is then of this side alone. What the harness
// does between two samples is part of it.
#ifndef WORKER_MEASURE_ENERGY_METER_H
#define WORKER_MEASURE_ENERGY_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/backend/backend.h"

struct energy_meter { // totals over spans; zeroed: none yet
    double energy_j, duration_s;
    uint64_t launches;
};

struct energy_span {
    uint64_t block_ns; // when the block began
    bool is_open;
    uint64_t launches; // since it was opened
    struct state_window window;
};

struct energy_span energy_span_begin(const struct device *device);
// Before a batch of the block: opens the span as soon as the counter shows nothing of earlier work.
void energy_span_before(struct energy_span *span, struct device *device);
void energy_span_after(struct energy_span *span, uint32_t launches); // of a batch, whatever it was for
void energy_span_end(struct energy_span *span, struct device *device, struct energy_meter *meter);

double energy_meter_launch_j(const struct energy_meter *meter); // of one launch; NAN: not counted
double energy_meter_power_w(const struct energy_meter *meter);  // mean; NAN: not counted

#endif
