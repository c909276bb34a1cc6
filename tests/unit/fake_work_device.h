// SPDX-License-Identifier: Apache-2.0
//
// A fake device whose memory the host must not read directly (its tensors have a copy on the host, full of
// garbage), and whose device kernels run on the CPU: enough of a GPU for everything that src/worker/check
// does on one. A delay keeps a queue of device kernels until the next launch or copy, as a busy stream
// would.
#ifndef TESTS_UNIT_FAKE_WORK_DEVICE_H
#define TESTS_UNIT_FAKE_WORK_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fakes/device_host.h"
#include "worker/backend/backend.h"
#include "worker/backend/host_buffer.h"

#define FAKE_QUEUE_MAX 64

struct fake_work {
    struct device device; // first
    struct backend backend;
    struct device *cpu;
    uint32_t moves;     // whole tensors between host and device
    uint64_t late_ns;   // what the next late_launches say
    uint64_t others_ns; // and of each eight of them seven
    uint32_t late_launches;
    bool runs_ahead; // kernels do not wait for the stream
    bool fails;      // every copy from now on
    uint64_t scratch_count;
    bool is_delayed;
    uint32_t queued;
    struct fake_step {
        struct kernel_launch program;
        void *to; // a copy; NULL: the program
        const void *from;
        size_t bytes;
    } queue[FAKE_QUEUE_MAX];
};

static struct fake_work *fake_of(struct device *device) {
    return (struct fake_work *)(void *)device;
}

static void fake_run_now(const struct kernel_launch *program) {
    if (dev_run_on_host(program->entry, program->grid, program->block, program->args) < 0)
        BUG("there is no device kernel '%s'", program->entry);
}

static void fake_drain(struct fake_work *fake) {
    for (uint32_t i = 0; i < fake->queued; ++i) {
        const struct fake_step *step = &fake->queue[i];
        if (step->to)
            memcpy(step->to, step->from, step->bytes);
        else
            fake_run_now(&step->program);
    }
    fake->queued = 0;
    fake->is_delayed = false;
}

static int fake_scratch_alloc(struct device *device, size_t bytes, void **ret_data, struct err *err) {
    *ret_data = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!*ret_data) return err_set(err, ERR_UNAVAILABLE, "no scratch memory");
    memset(*ret_data, 0x5a, bytes);
    ++fake_of(device)->scratch_count;
    return 0;
}

static void fake_scratch_free(struct device *device, void *data) {
    if (data) --fake_of(device)->scratch_count;
    free(data);
}

static int fake_run_program(struct device *device, const struct kernel_launch *program, struct err *err) {
    struct fake_work *fake = fake_of(device);
    (void)err;
    if (!fake->is_delayed)
        fake_run_now(program);
    else if (fake->queued < FAKE_QUEUE_MAX)
        fake->queue[fake->queued++] = (struct fake_step){.program = *program};
    else
        BUG("the queue is full");
    return 0;
}

static int fake_copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
    fake_drain(fake_of(device));
    if (fake_of(device)->fails) return err_set(err, ERR_UNAVAILABLE, "the device is lost");
    memcpy(to, from, bytes);
    return 0;
}

static int fake_enqueue_copy(struct device *device, void *to, const void *from, size_t bytes,
                             struct err *err) {
    struct fake_work *fake = fake_of(device);
    if (!fake->is_delayed || fake->queued == FAKE_QUEUE_MAX) return fake_copy(device, to, from, bytes, err);
    fake->queue[fake->queued++] = (struct fake_step){.to = to, .from = from, .bytes = bytes};
    return 0;
}

static int fake_delay(struct device *device, uint64_t duration_ns, struct err *err) {
    (void)duration_ns, (void)err;
    fake_of(device)->is_delayed = true;
    return 0;
}

static const struct device_work fake_work_steps = {.scratch_alloc = fake_scratch_alloc,
                                                   .scratch_free = fake_scratch_free,
                                                   .run_program = fake_run_program,
                                                   .copy_in = fake_copy,
                                                   .copy_out = fake_copy,
                                                   .copy = fake_enqueue_copy,
                                                   .delay = fake_delay};

static int fake_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                             struct err *err) {
    TRY(host_buffer_alloc(device, spec, ret, err));
    ret->host = aligned_alloc(256, (spec->bytes + 255) / 256 * 256);
    memset(ret->host, 0x33, spec->bytes);
    return 0;
}

static void fake_buffer_free(struct device *device, struct buffer *buffer) {
    free(buffer->host);
    host_buffer_free(device, buffer);
    memset(buffer, 0, sizeof *buffer);
}

static int fake_upload(struct device *device, struct buffer *buffer, struct err *err) {
    ++fake_of(device)->moves;
    return fake_copy(device, buffer->data, buffer->host, buffer->bytes, err);
}

static int fake_download(struct device *device, struct buffer *buffer, struct err *err) {
    ++fake_of(device)->moves;
    return fake_copy(device, buffer->host, buffer->data, buffer->bytes, err);
}

static bool fake_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance) {
    struct buffer seen = *buffer;
    seen.host = seen.data;
    return host_buffer_is_violated(device, &seen, ret_distance);
}

static int fake_run(struct device *device, const struct batch *batch, struct batch_time *ret,
                    struct assay_message *message) {
    struct fake_work *fake = fake_of(device);
    if (!batch->is_behind || !fake->runs_ahead) fake_drain(fake);
    *ret = (struct batch_time){.duration_ns = 1};
    if (fake->late_launches) {
        --fake->late_launches;
        ret->late_ns = fake->late_ns;
        ret->others_ns = fake->late_launches % 8 ? fake->others_ns : 0;
    }
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i)
        status = batch->kernel->launch(batch->state, &batch->sets[(batch->first_set + i) % batch->set_count],
                                       batch->workspace, device->stream, message);
    fake_drain(fake);
    return status;
}

// On top of a device "cpu" that stays open as long.
static struct fake_work *fake_work_open(struct device *cpu) {
    struct fake_work *fake = mem_alloc(sizeof *fake);
    fake->cpu = cpu;
    fake->device = *cpu;
    fake->device.backend = &fake->backend;
    fake->backend = (struct backend){.name = "fake",
                                     .buffer_alloc = fake_buffer_alloc,
                                     .buffer_free = fake_buffer_free,
                                     .buffer_upload = fake_upload,
                                     .buffer_download = fake_download,
                                     .buffer_is_violated = fake_is_violated,
                                     .run = fake_run,
                                     .work = &fake_work_steps};
    return fake;
}

#endif
