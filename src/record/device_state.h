// SPDX-License-Identifier: Apache-2.0
//
// State of a device at one moment or over one window. A value that is not known is NAN or "" and is not
// written; it is never zero.
#ifndef RECORD_DEVICE_STATE_H
#define RECORD_DEVICE_STATE_H

#include "record/member.h"
#include "record/throttle.h"

struct device_state {
    double temperature_c;
    double clock_hz; // SM clock, or the CPU's frequency where the kernel exposes it
    double memory_clock_hz;
    double power_w;
    double energy_j;       // of the whole case (stabilization, warm-up, all sides), not of one side
    double others_pct;     // CPU time of other processes in the window, share of all processors
    double steal_pct;      // CPU time taken by the hypervisor in the window
    double clock_probe_hz; // median of the clock probe's readings in the window
    double window_ns;
    char throttle[THROTTLE_TEXT_BYTES]; // reasons, comma-separated; "none"; "" = not known
    char governor[32];                  // "performance", ...; "" = not exposed
    int turbo;                          // 1, 0, -1 = not known
    int other_process_count;            // other processes that use the device; -1 = not known
};

extern const struct member_table device_state_members;
struct device_state device_state_unknown(void); // every member absent

#endif
