// SPDX-License-Identifier: Apache-2.0
//
// Questions to a worker outside a run: what does a module declare, which devices are there, what is the
// ceiling. The parent never loads a module itself.
#ifndef CONTROL_FLOW_WORKER_QUERY_H
#define CONTROL_FLOW_WORKER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/plan.h"
#include "record/record.h"
#include "record/result.h"

// The kernel of a side as its module declares it. ERR_DATA when the module is none, or has several and none
// is named.
int query_kernel(const struct result_side *side, struct arena *arena, struct kernel_description *ret,
                 struct err *err);
// Is "BLOCK_M=64,BLOCK_N=32" possible for that side's kernel? ERR_USAGE with what it declares when not.
int query_check_config(const struct result_side *side, const char *config, struct arena *arena,
                       struct err *err);
// Is a kernel of that name linked into this program?
bool query_is_linked_in(const char *kernel_name);

// Can two sides written in Python be imported into one process? Not where both register something under the
// same name.
bool query_can_share_process(const struct result_side *a, const struct result_side *b);

typedef int (*query_device_fn)(void *arg, const struct device_description *device, struct err *err);
// The device that the name means; NULL: every device of a worker's backends, then what is missing. ERR_USAGE:
// no such name, or several are meant. ERR_UNAVAILABLE: it is not there.
int query_devices(const char *device, query_device_fn on_device, void *arg, struct err *err);
// Which device is the plan's, under which driver, and how many of its threads would be used? What
// measurements of it are stored under. Of the plan, not of a session: a run that is resumed says itself where
// it runs. Texts in the arena. A simulated device answers from its script (one thread, the driver not known),
// any other through a worker.
struct device_identity {
    const char *uuid, *driver; // driver NULL: not known
    int64_t thread_count;
};
int query_device_identity(const struct plan *plan, struct arena *arena, struct device_identity *ret,
                          struct err *err);

// Can the plan's device be opened? Asked before anything is said of a run; the worker's sentence else.
int query_device_is_there(const struct plan *plan, struct err *err);

struct ceilings {
    double fma_gflop_per_s, read_gb_per_s, copy_gb_per_s; // NAN: not measured
    const char *detail, *measured_utc;
};
// Measures now, and stores the figures for the device and that many threads (a file in the cache folder). A
// ceiling is the most that was ever seen: a figure below the stored one, of a busier moment, does not replace
// it.
int query_ceilings(const char *device, uint32_t thread_count, struct arena *arena, struct ceilings *ret,
                   struct err *err);
// The stored ones of a device used with that many threads; false when there are none.
bool ceilings_find(const char *device_uuid, int64_t thread_count, struct arena *arena, struct ceilings *ret);

#endif
