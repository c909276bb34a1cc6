// SPDX-License-Identifier: Apache-2.0
//
// Style: a thread of each launch has an object of its own, whose destructor runs when the thread ends.
#include <memory>
#include <thread>

#include "honest.h"

struct buffer {
    std::unique_ptr<float[]> row{new float[HONEST_DIM_MAX]};
    ~buffer() { row[0] = 0; }
};

static thread_local buffer own;

static void rows(struct honest *h, int64_t first) {
    for (int64_t i = first; i < honest_rows(h); i += 2) {
        honest_row_to(h, i, own.row.get());
        memcpy(honest_place_of(h, i).o, own.row.get(), (size_t)h->head_dim * sizeof(float));
    }
}

static int launch(struct honest *h) {
    std::thread odd(rows, h, 1);
    rows(h, 0);
    odd.join();
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
