// SPDX-License-Identifier: Apache-2.0
//
// Queries to a worker outside a run: what a module declares, which devices there are. The parent never loads
// a module itself.
#ifndef CONTROL_FLOW_WORKER_QUERY_H
#define CONTROL_FLOW_WORKER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/plan.h"
#include "record/record.h"
#include "record/result.h"

// The kernel of a side as its module declares it. ERR_DATA: the file is no module; ERR_USAGE: it has several
// kernels and none is named.
// The code of a side runs then: in a host, which may lack a part of its sandbox where isolation is not
// ISOLATION_PROCESS. Assay's own modules are described by the worker itself.
struct query_side {
    const struct result_side *side;
    enum isolation isolation;
    const struct operator_set *operators; // one of which is the side's; NULL: the compiled ones
};
int query_kernel(const struct query_side *query, struct arena *arena, struct kernel_description *ret,
                 struct err *err);
// Checks "BLOCK_M=64,BLOCK_N=32" for that side's kernel. ERR_USAGE with what the kernel declares.
int query_check_config(const struct query_side *query, const char *config, struct arena *arena,
                       struct err *err);
// Which problems a kernel supports: of the cases of each index, one at least. OUTCOME_OK: it does;
// UNSUPPORTED; another one: it failed when it was asked; NONE: not answered, since the worker ended, which is
// the error.
struct query_support {
    const struct result_side *side;
    enum isolation isolation;
    struct operator_set operators; // of the cases
    const char *device;
    const struct sim_device *sim; // NULL: a real device
    uint32_t thread_count;
    size_t case_count;
    struct work_case *cases; // those of one index together
};
int query_supported(const struct query_support *query, enum outcome *ret, size_t index_count,
                    struct err *err);
// True if a kernel of that name is linked into this program.
bool query_is_linked_in(const char *kernel_name);

// True if two Python sides can be imported into one process: not if both register the same name.
bool query_can_share_process(const struct operator_set *operators, const struct result_side *a,
                             const struct result_side *b);

typedef int (*query_device_fn)(void *arg, const struct device_description *device, struct err *err);
// Describes the named device; NULL: every device of all backends, then those that are missing. ERR_USAGE: no
// such name, or an ambiguous one. ERR_UNAVAILABLE: the device is not there.
int query_devices(const char *device, query_device_fn on_device, void *arg, struct err *err);
// The identity of the plan's device; its measurements are stored under it. Takes the plan, because a resumed
// run records its own device. Texts in the arena. A simulated device has one thread and an unknown driver;
// any other is opened by a worker.
struct device_identity {
    const char *uuid, *driver; // driver NULL: not known
    int64_t thread_count;
};
int query_device_identity(const struct plan *plan, struct arena *arena, struct device_identity *ret,
                          struct err *err);

// Opens the plan's device in a worker, before anything is printed about a run. On an error: the worker's
// sentence.
int query_device_is_there(const struct plan *plan, struct err *err);

#endif
