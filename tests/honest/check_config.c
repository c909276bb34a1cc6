// SPDX-License-Identifier: Apache-2.0
//
// Style: two build parameters that do not go together with all values, which check_config says.
#include "honest.h"

#ifndef ROWS
#define ROWS 4
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

static const int64_t rows[] = {4, 8}, blocks[] = {1, 2, 4};
static const struct assay_param params[] = {
    {.name = "ROWS", .help = "rows of a block", .value = ROWS, .values = rows, .value_count = 2},
    {.name = "BLOCKS", .help = "blocks of a step", .value = BLOCKS, .values = blocks, .value_count = 3}};

static int check_config(const struct assay_scalar *values, uint32_t count, struct assay_message *message) {
    const double all =
        assay_scalar_get(values, count, "ROWS", ROWS) * assay_scalar_get(values, count, "BLOCKS", BLOCKS);
    if (all <= 16) return ASSAY_OK;
    return assay_say(message, ASSAY_INVALID_CONFIG, "a step has at most 16 rows");
}

static int launch(struct honest *h) {
    for (int64_t step = 0; step < honest_rows(h); step += ROWS * BLOCKS)
        for (int64_t i = step; i < step + ROWS * BLOCKS && i < honest_rows(h); ++i) honest_row(h, i);
    return ASSAY_OK;
}

HONEST_CALLBACKS(launch, honest_no_setup, honest_no_cleanup)

static const struct assay_kernel kernels[] = {{HONEST_ENTRY("honest"), .params = params, .param_count = 2,
                                               .param_bytes = sizeof params[0],
                                               .check_config = check_config}};
ASSAY_MODULE(kernels)
