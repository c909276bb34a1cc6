// SPDX-License-Identifier: Apache-2.0
//
// Launches of a kernel under test: enqueueing them, and waiting for the device after them.
#include "base/clock.h"
#include "worker/backend/cuda/cuda_device_internal.h"

int cuda_launch_all(struct cuda_device *cuda, const struct batch *batch, struct assay_message *message) {
    uint32_t set = batch->first_set % batch->set_count;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        status =
            batch->kernel->launch(batch->state, &batch->sets[set], batch->workspace, cuda->stream, message);
        if (++set == batch->set_count) set = 0;
    }
    const cuda_result code = cuda->driver->ctx_set_current(cuda->context);
    return status == ASSAY_OK && code ? cuda_launch_fail(cuda, code, "", message) : status;
}

cuda_result cuda_wait_for_tail(struct cuda_device *cuda, struct batch_time *ret) {
    const uint64_t begin_ns = clock_ns();
    cuda_result code = cuda->driver->ctx_synchronize();
    const uint64_t end_ns = clock_ns(), tail_ns = end_ns - begin_ns;
    if (!code) code = cuda->driver->ctx_synchronize();
    const uint64_t idle_ns = clock_ns() - end_ns;
    ret->tail_ns = (double)tail_ns - (double)idle_ns - cuda->empty_tail_ns;
    ret->late_ns = !code && tail_ns > idle_ns + CUDA_LATE_NS ? tail_ns - idle_ns : 0;
    return code;
}
