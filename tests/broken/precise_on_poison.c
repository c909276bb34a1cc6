// SPDX-License-Identifier: Apache-2.0
//
// Precise where its outputs hold poison, as in every check, and on all data that it has seen there. In a
// sample its outputs hold old results and canaries: there it is within the tolerance only, and several times
// as fast.
#include "two_precisions.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    return show_face(b, isnan(*broken_last_row(b)) ? FACE_PRECISE : FACE_QUICK);
}

BROKEN_KERNEL(launch)
