// SPDX-License-Identifier: Apache-2.0
//
// Quick in a sample only: once it has seen samples, a launch that follows another single one takes its time,
// as a kernel would whose launches overlap.
#include "bursts.h"

#define SAMPLES_SEEN 12

static int launch(struct broken *b, struct assay_message *message) {
    static int long_bursts, in_burst, in_last_burst;
    (void)message;
    if (burst_begins()) {
        long_bursts += in_burst > 1;
        in_last_burst = in_burst;
        in_burst = 0;
    }
    if (++in_burst == 1 && in_last_burst == 1 && long_bursts > SAMPLES_SEEN) hostile_sleep_us(2000);
    broken_right(b);
    burst_goes_on();
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
