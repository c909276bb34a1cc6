// SPDX-License-Identifier: Apache-2.0
//
// Style: iostream: a line on standard output in prepare, and a string stream in every launch.
#include <iostream>
#include <sstream>

#include "honest.h"

static int setup(struct honest *h, size_t *) {
    std::cout << "honest: " << h->seq_q << " rows of " << h->head_dim << std::endl;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    std::ostringstream text;
    text << h->seq_q;
    std::istringstream back(text.str());
    int64_t rows = 0;
    back >> rows;
    for (int64_t i = 0; i < h->batch * h->heads * rows; ++i) honest_row(h, i);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
