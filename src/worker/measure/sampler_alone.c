// SPDX-License-Identifier: Apache-2.0
//
// Whether a side had the device for itself while it was tested for late work. Processes of kernels are
// stopped, but what they have queued on a device goes on without them, and would make another side's
// batches look late.
#include <stdio.h>

#include "worker/measure/sampler.h"

#define QUIET_LOOKS 3u  // in a row: work that takes turns with ours is not seen in every one
#define LOOKS_MOST  12u // each waits for what it sees

static bool doubt(struct sampler *sampler, size_t index) {
    sampler->doubted_side = index;
    sampler->doubt_cause = INVALID_CAUSE_OTHER_PROCESS;
    snprintf(sampler->doubt, sizeof sampler->doubt,
             "batches ended late while another process had work on the device, and without that it cannot be "
             "said whose fault that is");
    return false;
}

bool sampler_drain(struct sampler *sampler, size_t index) {
    struct device *device = sampler->device;
    if (*sampler->doubt) return false; // it has been tried
    if (!device->backend->wait_for_others) return true;
    for (uint32_t looks = 0, quiet = 0; looks < LOOKS_MOST; ++looks) {
        quiet = device->backend->wait_for_others(device, NULL) ? 0 : quiet + 1;
        if (quiet == QUIET_LOOKS) return true;
    }
    return doubt(sampler, index);
}

bool sampler_was_alone(struct sampler *sampler, size_t index, const struct batch_time *time) {
    return time->others_ns ? doubt(sampler, index) : true;
}
