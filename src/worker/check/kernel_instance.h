// SPDX-License-Identifier: Apache-2.0
//
// A kernel prepared for one problem, with its workspace. Launching goes through the backend, so that a
// checked launch and a timed launch are the same call.
#ifndef WORKER_CHECK_KERNEL_INSTANCE_H
#define WORKER_CHECK_KERNEL_INSTANCE_H

#include "record/check_result.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/host/host_client.h"
#include "worker/module/kernel.h"

// Where a side's kernel is: in this process, or in a host.
struct kernel_home {
    struct device *device;
    const struct kernel *kernel; // in this process; NULL: in the host
    struct host *host;
    uint32_t side; // whose outputs it writes
    bool is_plain; // what it says needs no status and no advice: an exception, a reference
};

struct kernel_instance {
    struct kernel_home home;
    void *state;                  // in this process
    void (*release)(void *state); // of kernel_prepared
    bool is_prepared;
    struct buffer workspace; // guarded like a tensor; data NULL when the kernel wants none
    size_t workspace_bytes;
    uint64_t launch_count;
    size_t mapped_capacity, mapped_count;
    uint64_t
        *mapped; // [mapped_count] generation of the buffers that the host has mapped as that set; 0: none
};

// problem: of the case, as the kernel sees it; no inputs are needed yet. wanted: the case (NULL: a problem of
// no order, without a host). If the kernel rejects the problem or
// fails to prepare, *ret_result gets OUTCOME_UNSUPPORTED or FAIL/LAUNCH_FAILED with the kernel's message; if
// its process ends, how it did; otherwise the outcome stays NONE. Negative only for an error of ours (no
// memory for the workspace).
int kernel_instance_open(const struct kernel_home *home, const struct work_case *wanted,
                         const struct assay_problem *problem, struct kernel_instance *ret,
                         struct check_result *ret_result, struct err *err);
// The same without a workspace: to ask, not to launch.
int kernel_instance_prepare(const struct kernel_home *home, const struct work_case *wanted,
                            const struct assay_problem *problem, struct kernel_instance *ret,
                            struct check_result *ret_result, struct err *err);
// Replaces the workspace by a new one with fresh guards: another kernel may have written to the guards of
// the old one.
int kernel_instance_renew_workspace(struct kernel_instance *instance, struct err *err);
void kernel_instance_close(struct kernel_instance *instance); // accepts a zeroed one

// Selects the side's outputs in these buffers, and lets its process map them if it has not yet. Call before a
// batch on them.
int kernel_instance_show(struct kernel_instance *instance, struct case_buffers *buffers, struct err *err);

// A batch of this kernel; set_count sets, launches and first_set are the caller's to choose.
struct batch kernel_instance_batch(struct kernel_instance *instance, const struct assay_tensors *sets,
                                   uint32_t set_count);

// One launch. ASSAY_OK or FAIL/LAUNCH_FAILED in *ret_result; true when it went well.
bool kernel_instance_launch(struct kernel_instance *instance, struct case_buffers *buffers, uint64_t *ret_ns,
                            struct check_result *ret_result);
// On each of these sets once, numbered in turn and shown, in one batch: the same result. Not on an
// accelerator.
bool kernel_instance_launch_sets(struct kernel_instance *instance, struct case_buffers *const *items,
                                 const struct assay_tensors *sets, uint32_t count,
                                 struct check_result *ret_result);
// The first, without waiting for earlier work on the stream. behind_ns: of a kernel in a host, whose stream
// has no such work of ours: it is busy that long, and then has the outputs as they are now.
bool kernel_instance_launch_behind(struct kernel_instance *instance, struct case_buffers *buffers,
                                   uint64_t behind_ns, struct check_result *ret_result);

// A wait in which the kernel has nothing to do.
struct idle_watch {
    uint64_t park_ns;    // for threads to fall asleep
    uint64_t watch_ns;   // after that; their CPU time counts
    uint64_t alone_ns;   // in place of both: of a process with one thread, which has nobody to wait for
    uint64_t busy_ns;    // more of it than this: they work
    uint64_t held_up_ns; // waited in addition, at most, for threads that get no processor
};
// Returns the CPU time that the kernel's threads used in watch_ns. Where other programs kept them from it,
// what they used as soon as they could, beyond park_ns each. Negative, at once: not known here.
int64_t kernel_instance_idle(struct kernel_instance *instance, const struct idle_watch *watch);

#endif
