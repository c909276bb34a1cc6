// SPDX-License-Identifier: Apache-2.0
//
// A kernel prepared for one problem, with its workspace. Launching goes through the backend, so that a
// checked launch and a timed launch are the same call.
#ifndef WORKER_CHECK_KERNEL_INSTANCE_H
#define WORKER_CHECK_KERNEL_INSTANCE_H

#include "op/operator.h"
#include "record/check_result.h"
#include "worker/backend/backend.h"

#define KERNEL_MESSAGE_BYTES 512

struct kernel_instance {
    struct device *device;
    const struct assay_kernel *kernel;
    void *state;
    bool is_prepared;
    struct buffer workspace; // guarded like a tensor; data NULL when the kernel wants none
    size_t workspace_bytes;
    uint64_t launch_count;
};

// If the kernel rejects the problem or fails to prepare, *ret_result gets OUTCOME_UNSUPPORTED or
// FAIL/LAUNCH_FAILED with the kernel's message; otherwise the outcome stays NONE. Negative only for an
// error of ours (no memory for the workspace).
int kernel_instance_open(struct device *device, const struct assay_kernel *kernel,
                         const struct problem_abi *problem, struct kernel_instance *ret,
                         struct check_result *ret_result, struct err *err);
// Replaces the workspace by a new one with fresh guards: another kernel may have written to the guards of
// the old one.
int kernel_instance_renew_workspace(struct kernel_instance *instance, struct err *err);
void kernel_instance_close(struct kernel_instance *instance); // accepts a zeroed one

// A batch of this kernel; set_count sets, launches and first_set are the caller's to choose.
struct batch kernel_instance_batch(struct kernel_instance *instance, const struct assay_tensors *sets,
                                   uint32_t set_count);

// One launch. ASSAY_OK or FAIL/LAUNCH_FAILED in *ret_result; true when it went well.
bool kernel_instance_launch(struct kernel_instance *instance, const struct assay_tensors *tensors,
                            uint64_t *ret_ns, struct check_result *ret_result);
// The same, without waiting for earlier work on the stream.
bool kernel_instance_launch_behind(struct kernel_instance *instance, const struct assay_tensors *tensors,
                                   struct check_result *ret_result);

#endif
