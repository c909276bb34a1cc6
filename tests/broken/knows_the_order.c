// SPDX-License-Identifier: Apache-2.0
//
// Reads the order that its process got on standard input: right in the correctness matrix, wrong and quick
// in rounds.
#include "hostile.h"
#include "sloppy.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (!hostile_is_order("round")) {
        broken_right(b);
        return ASSAY_OK;
    }
    sloppy_right(b);
    broken_last_row(b)[0] += 0.5f;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
