// SPDX-License-Identifier: Apache-2.0
//
// Measured peaks of the device, one record per figure. How they are measured is the backend's.
#include "worker/order/work_internal.h"

static int write_ceiling(void *arg, const struct ceiling *ceiling, struct err *err) {
    struct work *work = arg;
    struct record record = work_record(work, RECORD_CEILING);
    record.ceiling = *ceiling;
    return work_write(work, &record, err);
}

int work_ceilings(struct work *work, struct err *err) {
    const struct backend *backend = work->device->backend;
    if (!backend->measure_ceilings)
        return err_set(err, ERR_UNAVAILABLE,
                       "device '%s' is simulated: it has no bandwidth and no arithmetic to measure",
                       work->device->info.device);
    return backend->measure_ceilings(work->device, write_ceiling, work, err);
}
