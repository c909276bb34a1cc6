// SPDX-License-Identifier: Apache-2.0
//
// The context of a device: making it current, finding out that a launch has broken it, and the settings that
// all kernels of the process share: limits of the context, attributes of the stream, lines that a kernel has
// pinned in the cache. Changed by one kernel, they would change another kernel's times.
#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define LIMIT_L2_FETCH_BYTES     5
#define LIMIT_L2_PERSIST_BYTES   6
#define ATTRIBUTE_ACCESS_WINDOW  1
#define STREAM_ATTRIBUTE_BYTES   64
#define STREAM_ATTRIBUTE_ALIGNED 8

static const struct {
    int limit;
    const char *name;
} limits[CUDA_CONTEXT_LIMITS] = {
    {LIMIT_L2_FETCH_BYTES, "the L2's fetch granularity"},
    {LIMIT_L2_PERSIST_BYTES, "the part of the L2 for persisting accesses"},
};

int cuda_context_open(struct cuda_device *cuda, struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    const char *name = cuda->device.info.device;
    cuda_result code = driver->primary_ctx_retain(&cuda->context, cuda->ordinal);
    if (code) return cuda_fail(driver, code, err, "device %s gives no context", name);
    code = driver->ctx_set_current(cuda->context);
    if (code) return cuda_fail(driver, code, err, "the context of device %s cannot be used", name);
    code = driver->stream_create(&cuda->stream, CUDA_STREAM_NON_BLOCKING_FLAG);
    if (code) return cuda_fail(driver, code, err, "device %s gives no stream", name);
    // A limit that this device does not know stays unknown, and cannot be changed either.
    for (size_t i = 0; i < CUDA_CONTEXT_LIMITS; ++i)
        cuda->context_state.is_known[i] =
            driver->ctx_get_limit(&cuda->context_state.limits[i], limits[i].limit) == CUDA_OK;
    return 0;
}

// ---- a lost context ----

// A context that a launch has broken fails every later call, so we ask the driver instead of keeping a list
// of codes. sentence: why it is lost; NULL: the driver's words for the code.
static void record_loss(struct cuda_device *cuda, cuda_result code, const char *sentence) {
    if (*cuda->lost || cuda_code_is_of_capture(code) || cuda->driver->ctx_synchronize() == CUDA_OK) return;
    const struct cuda_code *known = cuda_code_find(code);
    cuda->device.loss = known && known->loss ? known->loss : DEVICE_LOSS_OTHER;
    if (sentence)
        snprintf(cuda->lost, sizeof cuda->lost, "%s", sentence);
    else
        cuda_error_text(cuda->driver, code, cuda->lost, sizeof cuda->lost);
}

int cuda_call_fail(struct cuda_device *cuda, cuda_result code, struct err *err, const char *what, ...) {
    char text[512];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    record_loss(cuda, code, NULL);
    return cuda_fail(cuda->driver, code, err, "%s", text);
}

int cuda_memory_fail(struct cuda_device *cuda, cuda_result code, const char *label, size_t bytes,
                     struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    size_t free_bytes = 0, total_bytes = 0;
    if (code != CUDA_ERROR_OUT_OF_MEMORY_CODE || driver->mem_get_info(&free_bytes, &total_bytes) != 0)
        return cuda_call_fail(cuda, code, err, "cannot allocate %s (%zu bytes) on device %s", label, bytes,
                              cuda->device.info.device);
    char amount[32];
    if (bytes < 1024)
        snprintf(amount, sizeof amount, "%zu bytes", bytes);
    else if (bytes < 1048576)
        snprintf(amount, sizeof amount, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(amount, sizeof amount, "%.1f MiB", (double)bytes / 1048576);
    return cuda_fail(driver, code, err, "no memory for %s: %s asked for, %.1f of %.1f MiB free on %s", label,
                     amount, (double)free_bytes / 1048576, (double)total_bytes / 1048576,
                     cuda->device.info.device);
}

int cuda_enter(struct cuda_device *cuda, struct err *err) {
    const char *device = cuda->device.info.device;
    if (*cuda->lost)
        return err_set(err, ERR_UNAVAILABLE, "device %s was lost to this process: %s", device, cuda->lost);
    const cuda_result code = cuda->driver->ctx_set_current(cuda->context);
    return code ? cuda_call_fail(cuda, code, err, "the context of device %s cannot be made current", device)
                : 0;
}

int cuda_launch_fail(struct cuda_device *cuda, cuda_result code, const char *what,
                     struct assay_message *message) {
    char words[256];
    struct strbuf text = {0};
    const struct cuda_code *known = cuda_code_find(code);
    cuda_error_text(cuda->driver, code, words, sizeof words);
    strbuf_addf(&text, "%s%s%s", what, *what ? ": " : "", words);
    if (known && known->meaning) strbuf_addf(&text, "; %s", known->meaning);
    record_loss(cuda, code, strbuf_text(&text));
    const int status = assay_say(message, ASSAY_FAILED, strbuf_text(&text));
    strbuf_fini(&text);
    return status;
}

int cuda_reenter(struct cuda_device *cuda, struct assay_message *message) {
    const cuda_result code = cuda->driver->ctx_set_current(cuda->context);
    return code ? cuda_launch_fail(cuda, code, "the context cannot be made current", message) : ASSAY_OK;
}

// ---- settings that all kernels share ----

bool cuda_context_state_restore(struct device *device, char *ret_text, size_t capacity) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_context_state *opened = &cuda->context_state;
    bool is_changed = false;
    if (cuda_enter(cuda, NULL) < 0) return false; // the next launch reports it
    for (size_t i = 0; i < CUDA_CONTEXT_LIMITS; ++i) {
        size_t now = 0;
        if (!opened->is_known[i] || cuda->driver->ctx_get_limit(&now, limits[i].limit)) continue;
        if (now == opened->limits[i]) continue;
        (void)cuda->driver->ctx_set_limit(limits[i].limit, opened->limits[i]);
        if (!is_changed)
            snprintf(ret_text, capacity,
                     "changed %s from %zu to %zu bytes: a limit of the context, which all kernels share, so "
                     "the times of others would change too",
                     limits[i].name, opened->limits[i], now);
        is_changed = true;
    }
    return is_changed;
}

// An access window that a launch leaves on the stream would apply to the next kernel. Lines that a kernel has
// pinned stay while that kernel runs, and are released for the next one. A device that cannot pin lines
// refuses both calls.
void cuda_context_state_begin(struct cuda_device *cuda, const struct batch *batch) {
    _Alignas(STREAM_ATTRIBUTE_ALIGNED) const unsigned char no_window[STREAM_ATTRIBUTE_BYTES] = {0};
    struct cuda_context_state *last = &cuda->context_state;
    (void)cuda->driver->stream_set_attribute(cuda->stream, ATTRIBUTE_ACCESS_WINDOW, no_window);
    if (last->kernel == batch->kernel && last->state == batch->state) return;
    last->kernel = batch->kernel;
    last->state = batch->state;
    if (batch->is_behind) return; // such a batch must not wait for earlier work
    (void)cuda->driver->ctx_reset_persisting_l2();
}
