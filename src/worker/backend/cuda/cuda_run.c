// SPDX-License-Identifier: Apache-2.0
//
// Runs a batch. A timed batch is replayed as a graph; otherwise the launches are enqueued one by one and
// waited for, all together or (is_by_call) each by itself. Every error that the driver reports then is the
// kernel's.
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "worker/backend/cuda/cuda_device_internal.h"

static int run_one_by_one(struct cuda_device *cuda, const struct batch *batch, struct batch_time *ret,
                          struct assay_message *message) {
    const struct cuda_driver *driver = cuda->driver;
    cuda_result code = batch->is_behind ? 0 : driver->stream_synchronize(cuda->stream);
    if (code) return cuda_launch_fail(cuda, code, "before the launch", message);
    if (batch->is_cold) cuda_flush_cache(&cuda->device);
    ret->start_ns = clock_ns();
    const int status = cuda_launch_all(cuda, batch, message);
    if (status != ASSAY_OK) {
        // The kernel's own message says more, unless the device is broken.
        code = driver->ctx_synchronize();
        if (!code) return status;
        char said[256];
        snprintf(said, sizeof said, "launch returned %d (%.200s)", status,
                 message && message->text ? message->text : "");
        return cuda_launch_fail(cuda, code, said, message);
    }
    code = driver->stream_synchronize(cuda->stream);
    const uint64_t done_ns = clock_ns();
    if (!code) code = cuda_wait_for_tail(cuda, ret);
    if (code) return cuda_launch_fail(cuda, code, "", message);
    ret->duration_ns = (done_ns > ret->start_ns ? done_ns - ret->start_ns : 1) + ret->late_ns;
    return ASSAY_OK;
}

// Each launch is waited for as a program would that needs its result, until nothing runs on the device any
// more: work on another stream is part of the call.
static int call_all(struct cuda_device *cuda, const struct batch *batch, struct assay_message *message) {
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        struct batch one = *batch;
        one.first_set = (batch->first_set + i) % batch->set_count;
        one.launches = 1;
        status = cuda_launch_all(cuda, &one, message);
        const cuda_result code = cuda->driver->ctx_synchronize();
        if (code) return cuda_launch_fail(cuda, code, "", message);
    }
    return status;
}

static int run_by_call(struct cuda_device *cuda, const struct batch *batch, struct batch_time *ret,
                       struct assay_message *message) {
    const struct batch_hooks *hooks = batch->hooks;
    const cuda_result code = cuda->driver->stream_synchronize(cuda->stream);
    if (code) return cuda_launch_fail(cuda, code, "before the launch", message);
    int status =
        hooks && hooks->call_begin ? hooks->call_begin(batch->state, cuda->stream, message) : ASSAY_OK;
    if (batch->is_cold) cuda_flush_cache(&cuda->device);
    ret->start_ns = clock_ns();
    if (status == ASSAY_OK) status = call_all(cuda, batch, message);
    const uint64_t done_ns = clock_ns();
    ret->duration_ns = done_ns > ret->start_ns ? done_ns - ret->start_ns : 1;
    if (!hooks || !hooks->call_end) return status;
    const int ended = hooks->call_end(batch->state, cuda->stream, status == ASSAY_OK ? message : NULL);
    return status == ASSAY_OK ? ended : status;
}

int cuda_run(struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message) {
    struct cuda_device *cuda = cuda_device_of(device);
    *ret = (struct batch_time){.start_ns = clock_ns(), .duration_ns = 1, .kernel_clock_hz = NAN};
    if (*cuda->lost) return assay_say(message, ASSAY_FAILED, cuda->lost);
    int status = cuda_reenter(cuda, message);
    if (status != ASSAY_OK) return status;
    cuda_context_state_begin(cuda, batch);
    status = batch->is_timed && batch->is_by_call ? run_by_call(cuda, batch, ret, message)
             : batch->is_timed                    ? cuda_graph_run(cuda, batch, ret, message)
                                                  : run_one_by_one(cuda, batch, ret, message);
    char changed[256], text[300];
    if (*cuda->lost || !cuda_context_state_restore(device, changed, sizeof changed) || status != ASSAY_OK)
        return status;
    snprintf(text, sizeof text, "launch %s", changed);
    return assay_say(message, ASSAY_FAILED, text);
}
