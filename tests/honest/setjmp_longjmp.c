// SPDX-License-Identifier: Apache-2.0
//
// Style: leaves the loop over rows by longjmp.
#include <setjmp.h>

#include "honest.h"

static void rows(struct honest *h, jmp_buf *done) {
    for (int64_t i = 0;; ++i) {
        if (i == honest_rows(h)) longjmp(*done, 1);
        honest_row(h, i);
    }
}

static int launch(struct honest *h) {
    jmp_buf done;
    if (!setjmp(done)) rows(h, &done);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
