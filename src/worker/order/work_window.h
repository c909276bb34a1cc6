// SPDX-License-Identifier: Apache-2.0
//
// Whether the samples of a case may be used: decided from the device's state over their window, blind to the
// samples, for all sides together (docs/deciding.md, "The rounds rule"). Not valid are: a hardware or thermal
// slowdown or another process on the device at either end, other programs on the processors for more than
// `busy_pct` of the window, clock probes of the sides more than 1 % apart. Other reasons of throttling (a
// power cap) are only recorded.
#ifndef WORKER_ORDER_WORK_WINDOW_H
#define WORKER_ORDER_WORK_WINDOW_H

#include "record/record.h"
#include "worker/backend/backend.h"
#include "worker/measure/sampler.h"

#define WINDOW_LOAD_MAX_PCT 2.0
#define WINDOWS_OPEN_MAX    32

// Why the samples of a case cannot be used; cause NONE and no text: they can.
struct invalidity {
    enum invalid_cause cause;
    char text[512];
};

struct work_windows {
    struct device *device;
    double busy_pct;                            // what others may take of the processors
    struct state_window whole;                  // since the worker began, or the last case that was disturbed
    struct state_window open[WINDOWS_OPEN_MAX]; // begun before each of the last cases, in a ring
    size_t case_count;
    bool is_load_unknown;      // the device does not report the load, so it rejects no case; set after a case
    struct device_state begin; // of the device when the samples of the present case began
};

// busy_pct: of struct run_limits.
void work_windows_init(struct work_windows *windows, struct device *device, double busy_pct);
// Call before the first launch of a case that may count.
void work_windows_begin(struct work_windows *windows);
// Call before the first sample, when references have ended: what the device says of itself, and who uses it.
void work_windows_look(struct work_windows *windows);
// After the last: fills state->state with the throttle reasons of both ends, the higher temperature, and
// the end's other figures, and *ret with the first reason found. If the case's own window is shorter than
// the device resolves, a longer one that ends with it is used. The load over the worker's time so far is
// checked for every case too, since it shows small steady loads.
void work_windows_end(struct work_windows *windows, const struct sampler *sampler, struct device_state *state,
                      struct invalidity *ret);

#endif
