// SPDX-License-Identifier: Apache-2.0
//
// Style: build parameters with values that are allowed: rows are taken in blocks.
#include "honest.h"

#ifndef BLOCK
#define BLOCK 8
#endif

static const int64_t blocks[] = {4, 8, 16};
static const struct assay_param params[] = {
    {.name = "BLOCK", .help = "rows of a block", .value = BLOCK, .values = blocks, .value_count = 3}};

static int launch(struct honest *h) {
    for (int64_t first = 0; first < honest_rows(h); first += BLOCK)
        for (int64_t i = first; i < first + BLOCK && i < honest_rows(h); ++i) honest_row(h, i);
    return ASSAY_OK;
}

HONEST_CALLBACKS(launch, honest_no_setup, honest_no_cleanup)

static const struct assay_kernel kernels[] = {
    {HONEST_ENTRY("honest"), .params = params, .param_count = 1, .param_bytes = sizeof params[0]}};
ASSAY_MODULE(kernels)
