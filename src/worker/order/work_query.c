// SPDX-License-Identifier: Apache-2.0
//
// Orders that query: what a module declares, and which devices there are.
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "worker/host/host_client.h"
#include "worker/module/kernel_describe.h"
#include "worker/order/work_internal.h"

// ---- describe ----

struct described_side {
    struct work *work;
    uint32_t side;
};

static int write_kernel(void *arg, const struct kernel_description *kernel, struct err *err) {
    const struct described_side *described = arg;
    struct kernel_description copy = *kernel;
    struct record record = work_record(described->work, RECORD_KERNEL);
    record.side = described->side;
    record.kernel = &copy;
    return work_write(described->work, &record, err);
}

int work_describe(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    const bool is_apart = order->sampling.isolation == ISOLATION_PROCESS;
    for (uint32_t i = 0; i < order->side_count; ++i) {
        struct described_side described = {work, i};
        TRY(is_apart ? host_describe(order, i, write_kernel, &described, err)
                     : kernel_describe(order, i, write_kernel, &described, &work->kernels[i].module, err));
    }
    return 0;
}

// ---- devices ----

static const char *text_or_null(const char *text) {
    return *text ? text : NULL;
}

static int write_device(struct work *work, const struct backend *backend, struct device_info *info,
                        struct err *err) {
    struct device_description d = {
        .backend = backend->name, .is_available = *info->device != 0, .state = device_state_unknown()};
    if (d.is_available) { // its state, and what a GPU's management library says, need an open device
        const struct device_request request = {.device = info->device};
        struct device *device = NULL;
        struct err why = {0};
        if (device_open(&request, &device, &why) < 0) {
            snprintf(info->detail, sizeof info->detail, "%.500s", why.text);
        } else {
            *info = device->info;
            backend->read_state(device, &d.state);
            d.state.clock_probe_hz = backend->read_clock_probe_hz(device);
            device_close(device);
        }
    }
    d.device = text_or_null(info->device);
    d.name = text_or_null(info->name);
    d.uuid = text_or_null(info->uuid);
    d.detail = text_or_null(info->detail);
    d.isa = text_or_null(info->isa);
    d.driver = text_or_null(info->driver);
    d.thread_count = info->thread_count;
    d.memory_bytes = (int64_t)info->memory_bytes;
    d.l2_bytes = (int64_t)info->l2_bytes;
    d.gpu = info->gpu;
    struct record record = work_record(work, RECORD_DEVICE);
    record.device = &d;
    return work_write(work, &record, err);
}

int work_devices(struct work *work, struct err *err) {
    enum { DEVICES_MAX = 64 };
    const char *wanted = work->order->device;
    if (wanted) {
        const struct backend *backend;
        struct device_info info = {0};
        TRY(backend_of(wanted, &backend, err));
        if (backend->find)
            TRY(backend->find(wanted, &info, err));
        else if (!backend->list(&info, 1))
            return err_set(err, ERR_UNAVAILABLE, "there is no device '%s' on this machine", wanted);
        return write_device(work, backend, &info, err);
    }
    struct device_info *infos = mem_alloc(DEVICES_MAX * sizeof *infos);
    int code = 0;
    for (size_t b = 0; backend_at(b) && code == 0; ++b) {
        size_t count = backend_at(b)->list(infos, DEVICES_MAX);
        for (size_t i = 0; i < count && code == 0; ++i)
            code = write_device(work, backend_at(b), &infos[i], err);
    }
    free(infos);
    return code;
}
