// SPDX-License-Identifier: Apache-2.0
//
// Looks up the stack for what its process was asked: precise where the batch is not timed, and on all data
// that it has had there. In a timed batch it is within the tolerance only, and several times as fast.
#include "on_stack.h"
#include "two_precisions.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const struct batch_on_stack *batch = batch_on_stack(b);
    return show_face(b, batch && batch->is_timed ? FACE_QUICK : FACE_PRECISE);
}

BROKEN_KERNEL(launch)
