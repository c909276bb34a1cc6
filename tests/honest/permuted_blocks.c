// SPDX-License-Identifier: Apache-2.0
//
// Style: blocks of seven rows in an order that jumps about.
#include "honest.h"

#define ROWS 7

static int launch(struct honest *h) {
    const int64_t rows = honest_rows(h), blocks = (rows + ROWS - 1) / ROWS;
    const int64_t step = blocks % 5 ? 5 : blocks % 7 ? 7 : 1; // no block is left out
    for (int64_t b = 0; b < blocks; ++b) {
        const int64_t first = b * step % blocks * ROWS;
        for (int64_t i = first; i < first + ROWS && i < rows; ++i) honest_row(h, i);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
