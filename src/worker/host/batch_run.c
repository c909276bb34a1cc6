// SPDX-License-Identifier: Apache-2.0
//
// The one place that tells a kernel in this process from one in a host.
#include "worker/host/batch_run.h"

#include "worker/backend/late_inputs.h"
#include "worker/host/host_client.h"

int batch_run(struct device *device, const struct batch *batch, struct batch_time *ret,
              struct assay_message *message) {
    if (!batch->host) return device->backend->run(device, batch, ret, message);
    const struct backend *backend = device->backend;
    const uint64_t steal_ns = backend->read_steal_ns ? backend->read_steal_ns(device) : 0;
    const int status = host_run(batch->host, device, batch, ret, message);
    if (backend->read_steal_ns) ret->steal_ns = backend->read_steal_ns(device) - steal_ns;
    if (device->backend->settle) device->backend->settle(device, batch, ret);
    return status;
}

int batch_keep_inputs(struct device *device, const struct batch *batch, uint32_t k, struct late_inputs *ret,
                      struct err *err) {
    if (batch->host) return host_keep_inputs(batch->host, batch->first_index + k, err);
    return late_inputs_keep(device, &batch->sets[k], ret, err);
}

void batch_drop_inputs(struct device *device, const struct batch *batch, struct late_inputs *late) {
    if (!batch->host) late_inputs_drop(device, late);
}

bool batch_is_restless(const struct batch *batch) {
    return batch->host && host_is_restless(batch->host);
}

void batch_settle(const struct batch *batch) {
    if (batch->host) host_settle(batch->host);
}

int batch_calls_hook(struct device *device, const struct batch *batch, bool is_begin,
                     struct assay_message *message) {
    if (batch->host) return host_calls_hook(batch->host, is_begin, message);
    const struct batch_hooks *hooks = batch->hooks;
    if (is_begin)
        return hooks && hooks->call_begin ? hooks->call_begin(batch->state, device->stream, message)
                                          : ASSAY_OK;
    return hooks && hooks->call_end ? hooks->call_end(batch->state, device->stream, message) : ASSAY_OK;
}
