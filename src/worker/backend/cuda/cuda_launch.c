// SPDX-License-Identifier: Apache-2.0
//
// Kernels under test on the device: a batch that is not timed is launched one by one and waited for, and
// whatever the driver says then is the kernel's doing. An error that breaks the context is said once and
// kept.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "worker/backend/cuda/cuda_codes.h"
#include "worker/backend/cuda/cuda_internal.h"

// ---- a lost context ----

// The driver is asked, not a list: a context that a launch has broken fails every call from then on.
static bool is_broken(struct cuda_device *machine, cuda_result code) {
    return !cuda_code_is_of_capture(code) && machine->driver->ctx_synchronize() != 0;
}

static void mark_lost(struct cuda_device *machine, cuda_result code, const char *sentence) {
    if (*machine->lost) return;
    const struct cuda_code *known = cuda_code_find(code);
    machine->device.loss = known && known->loss ? known->loss : DEVICE_LOSS_OTHER;
    snprintf(machine->lost, sizeof machine->lost, "%s", sentence);
}

void cuda_note_loss(struct cuda_device *machine, cuda_result code) {
    if (*machine->lost || !is_broken(machine, code)) return;
    char words[sizeof machine->lost];
    cuda_error_text(machine->driver, code, words, sizeof words);
    mark_lost(machine, code, words);
}

int cuda_enter(struct cuda_device *machine, struct err *err) {
    const char *device = machine->device.info.device;
    if (*machine->lost)
        return err_set(err, ERR_UNAVAILABLE, "device %s was lost to this process: %s", device, machine->lost);
    const cuda_result code = machine->driver->ctx_set_current(machine->context);
    if (!code) return 0;
    cuda_note_loss(machine, code);
    return cuda_fail(machine->driver, code, err, "the context of device %s cannot be made current", device);
}

int cuda_launch_fail(struct cuda_device *machine, cuda_result code, const char *what,
                     struct assay_message *message) {
    char words[256];
    struct strbuf text = {0};
    const struct cuda_code *known = cuda_code_find(code);
    cuda_error_text(machine->driver, code, words, sizeof words);
    strbuf_addf(&text, "%s%s%s", what, *what ? ": " : "", words);
    if (known && known->meaning) strbuf_addf(&text, "; %s", known->meaning);
    if (!*machine->lost && is_broken(machine, code)) mark_lost(machine, code, strbuf_text(&text));
    const int status = assay_say(message, ASSAY_FAILED, strbuf_text(&text));
    strbuf_fini(&text);
    return status;
}

int cuda_take_back(struct cuda_device *machine, struct assay_message *message) {
    const cuda_result code = machine->driver->ctx_set_current(machine->context);
    return code ? cuda_launch_fail(machine, code, "the context cannot be made current", message) : ASSAY_OK;
}

int cuda_launch_all(struct cuda_device *machine, const struct batch *batch, struct assay_message *message) {
    uint32_t set = batch->first_set % batch->set_count;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        status = batch->kernel->launch(batch->state, &batch->sets[set], batch->workspace, machine->stream,
                                       message);
        if (++set == batch->set_count) set = 0;
    }
    const cuda_result code = machine->driver->ctx_set_current(machine->context);
    return status == ASSAY_OK && code ? cuda_launch_fail(machine, code, "", message) : status;
}

// ---- one by one ----

// What the kernel itself said is the better half where the device is sound: the driver's word only where it
// is not.
static int refuse(struct cuda_device *machine, int status, struct assay_message *message) {
    cuda_result code = machine->driver->ctx_synchronize();
    if (!code) return status;
    char said[256];
    snprintf(said, sizeof said, "launch returned %d (%.200s)", status,
             message && message->text ? message->text : "");
    return cuda_launch_fail(machine, code, said, message);
}

static cuda_result time_synchronize(struct cuda_device *machine, uint64_t *ret_ns) {
    const uint64_t from_ns = clock_ns();
    const cuda_result code = machine->driver->ctx_synchronize();
    *ret_ns = clock_ns() - from_ns;
    return code;
}

cuda_result cuda_wait_for_tail(struct cuda_device *machine, struct batch_time *ret) {
    uint64_t tail_ns = 0, idle_ns = 0;
    cuda_result code = time_synchronize(machine, &tail_ns);
    if (!code) code = time_synchronize(machine, &idle_ns);
    ret->tail_ns = (double)tail_ns - (double)idle_ns - machine->tail_of_nothing_ns;
    ret->late_ns = !code && tail_ns > idle_ns + CUDA_LATE_NS ? tail_ns - idle_ns : 0;
    return code;
}

static int run_one_by_one(struct cuda_device *machine, const struct batch *batch, struct batch_time *ret,
                          struct assay_message *message) {
    const struct cuda_driver *driver = machine->driver;
    cuda_result code = batch->is_behind ? 0 : driver->stream_synchronize(machine->stream);
    if (code) return cuda_launch_fail(machine, code, "before the launch", message);
    if (batch->is_cold) cuda_flush_cache(&machine->device);
    ret->start_ns = clock_ns();
    int status = cuda_launch_all(machine, batch, message);
    if (status != ASSAY_OK) return refuse(machine, status, message);
    code = driver->stream_synchronize(machine->stream);
    const uint64_t done_ns = clock_ns();
    if (!code) code = cuda_wait_for_tail(machine, ret);
    if (code) return cuda_launch_fail(machine, code, "", message);
    ret->duration_ns = (done_ns > ret->start_ns ? done_ns - ret->start_ns : 1) + ret->late_ns;
    return ASSAY_OK;
}

int cuda_run(struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message) {
    struct cuda_device *machine = cuda_device_of(device);
    *ret = (struct batch_time){.start_ns = clock_ns(), .duration_ns = 1, .kernel_clock_hz = NAN};
    if (*machine->lost) return assay_say(message, ASSAY_FAILED, machine->lost);
    int status = cuda_take_back(machine, message);
    if (status != ASSAY_OK) return status;
    cuda_context_state_begin(machine, batch);
    status = batch->is_timed ? cuda_graph_run(machine, batch, ret, message)
                             : run_one_by_one(machine, batch, ret, message);
    char changed[256], text[300];
    if (*machine->lost || !cuda_context_state_restore(device, changed, sizeof changed) || status != ASSAY_OK)
        return status;
    snprintf(text, sizeof text, "launch %s", changed);
    return assay_say(message, ASSAY_FAILED, text);
}
