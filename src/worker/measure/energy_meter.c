// SPDX-License-Identifier: Apache-2.0
#include "worker/measure/energy_meter.h"

#include <math.h>

struct energy_span energy_span_begin(const struct device *device) {
    return (struct energy_span){.block_ns = device_now_ns(device)};
}

void energy_span_before(struct energy_span *span, struct device *device) {
    if (span->is_open) return;
    if ((double)(device_now_ns(device) - span->block_ns) < device->state_resolution_ns) return;
    device->backend->window_begin(device, &span->window);
    span->is_open = true;
}

void energy_span_after(struct energy_span *span, uint32_t launches) {
    if (span->is_open) span->launches += launches;
}

void energy_span_end(struct energy_span *span, struct device *device, struct energy_meter *meter) {
    const bool is_open = span->is_open && span->launches;
    span->is_open = false;
    if (!is_open) return;
    device->backend->window_end(device, &span->window);
    if (!span->window.energy_mj) return;
    meter->energy_j += (double)span->window.energy_mj / 1e3;
    meter->duration_s += (double)span->window.duration_ns / 1e9;
    meter->launches += span->launches;
}

double energy_meter_launch_j(const struct energy_meter *meter) {
    return meter->launches ? meter->energy_j / (double)meter->launches : NAN;
}

double energy_meter_power_w(const struct energy_meter *meter) {
    return meter->duration_s > 0 ? meter->energy_j / meter->duration_s : NAN;
}
