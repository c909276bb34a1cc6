// SPDX-License-Identifier: Apache-2.0
//
// State of a device at one moment or over one window. Absent is absent: NAN or "" and not written, never
// zero.
#ifndef RECORD_DEVICE_STATE_H
#define RECORD_DEVICE_STATE_H

#include "base/json.h"
#include "base/json_writer.h"
#include "record/throttle.h"

struct device_state {
    double temperature_c;
    double clock_hz; // SM clock, or the CPU's frequency where the kernel exposes it
    double memory_clock_hz;
    double power_w;
    double energy_j;       // of the whole case: stabilizing, warming up and all sides; no side's
    double others_pct;     // CPU time of others over the window, share of all processors
    double steal_pct;      // taken by the hypervisor over the window
    double clock_probe_hz; // median of our spin loop's readings in the window
    double window_ns;
    char throttle[THROTTLE_TEXT_BYTES]; // reasons, comma-separated; "none"; "" = not known
    char governor[32];                  // "performance", ...; "" = not exposed
    int turbo;                          // 1, 0, -1 = not known
    int other_process_count;            // others that use the device; -1 = not known
};

struct device_state device_state_unknown(void); // everything absent
void device_state_write(struct json_writer *w, const char *key, const struct device_state *state);
int device_state_parse(const struct json_at *at, struct device_state *ret, struct err *err);

#endif
