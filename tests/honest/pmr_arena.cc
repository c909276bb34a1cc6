// SPDX-License-Identifier: Apache-2.0
//
// Style: containers of every launch take their memory from the workspace.
#include <memory_resource>
#include <vector>

#include "honest.h"

static const size_t arena_bytes = 1 << 16;

static int setup(struct honest *, size_t *workspace_bytes) {
    *workspace_bytes = arena_bytes;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    std::pmr::monotonic_buffer_resource arena(h->workspace, arena_bytes, std::pmr::null_memory_resource());
    std::pmr::vector<float> row((size_t)h->head_dim, 0.0f, &arena);
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        honest_row_to(h, i, row.data());
        memcpy(honest_place_of(h, i).o, row.data(), row.size() * sizeof(float));
    }
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
