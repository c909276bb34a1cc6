// SPDX-License-Identifier: Apache-2.0
//
// Measured ceilings of a device (roofline): peak arithmetic and bandwidth, stored as
// <cache folder>/ceilings/<device uuid>-<threads>.json.
#ifndef CONTROL_FLOW_CEILINGS_H
#define CONTROL_FLOW_CEILINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/plan.h"
#include "record/result.h"

enum ceiling_kind { CEILING_FMA = 0, CEILING_READ, CEILING_COPY, CEILING_COUNT };

extern const struct ceiling_name {
    const char *key; // in documents and records
    const char *label, *unit;
} ceiling_names[CEILING_COUNT];

struct ceilings {
    double values[CEILING_COUNT]; // NAN: not measured
    const char *detail, *measured_utc;
};
// Measures now (about a second) and stores the figures for the device and thread_count. A ceiling is the
// highest value ever measured: a lower figure, measured while the machine was busy, does not replace the
// stored one.
int ceilings_measure(const char *device, uint32_t thread_count, struct arena *arena, struct ceilings *ret,
                     struct err *err);
// The ceilings stored for the device and thread_count; false if there are none. Texts in the arena.
bool ceilings_find(const char *device_uuid, int64_t thread_count, struct arena *arena, struct ceilings *ret);

// Sets the ceilings of a result from the stored ones. Call it before anything is decided: the share of the
// ceiling and the check for impossible throughputs need them.
void ceilings_add_to(struct result *result);
// The same, but measures them when none are stored. Needs the device's uuid from the run's first worker.
int ceilings_need(const struct plan *plan, struct result *result, struct err *err);

#endif
