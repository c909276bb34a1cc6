// SPDX-License-Identifier: Apache-2.0
//
// Precise in the first launch after a pause, as every launch of a check is. The others of a batch are within
// the tolerance only, and several times as fast, on data that no check has had.
#include "bursts.h"
#include "two_precisions.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const int status = show_face(b, burst_begins() ? FACE_PRECISE : FACE_QUICK);
    burst_goes_on();
    return status;
}

BROKEN_KERNEL(launch)
