// SPDX-License-Identifier: Apache-2.0
//
// Running a batch where its kernel lives: in this process, or in a host.
#ifndef WORKER_HOST_BATCH_RUN_H
#define WORKER_HOST_BATCH_RUN_H

#include "worker/backend/backend.h"

// As backend.run. HOST_GONE_STATUS (host_client.h) when the kernel's process has ended.
int batch_run(struct device *device, const struct batch *batch, struct batch_time *ret,
              struct assay_message *message);

// Keeps the inputs of the batch's set k where its kernel lives, to come late in the next batch with
// batch.late = ret; ret is zeroed. batch_drop_inputs ends that, also when this fails.
int batch_keep_inputs(struct device *device, const struct batch *batch, uint32_t k, struct late_inputs *ret,
                      struct err *err);
void batch_drop_inputs(struct device *device, const struct batch *batch, struct late_inputs *late);

// host_is_restless, and, before data for the batch are drawn, host_settle.
bool batch_is_restless(const struct batch *batch);
void batch_settle(const struct batch *batch);

// batch_hooks.call_begin and call_end, where the kernel has them.
int batch_calls_hook(struct device *device, const struct batch *batch, bool is_begin,
                     struct assay_message *message);

#endif
