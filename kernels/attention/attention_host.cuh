// SPDX-License-Identifier: Apache-2.0
//
// Host part common to CUDA attention kernels, over common/cuda_host.cuh: a problem with its addresses, and a
// grid of one thread block a tile of query rows.
#ifndef ATTENTION_ATTENTION_HOST_CUH
#define ATTENTION_ATTENTION_HOST_CUH

#include "attention/attention_args.h"
#include "common/cuda_host.cuh"

// A problem's sizes and one launch's addresses.
struct cuda_attention {
    struct attention_args args;
    struct attention_data data;
};

// The common part of prepare, for one thread block a tile of query rows: sets the problem's
// tiles_per_head, and grid.blocks. The problem has its attention.args.
template <typename problem_type>
static int attention_host_prepare(problem_type problem, int tile_rows, struct cuda_grid grid,
                                  const struct assay_env *env, void **ret, struct assay_message *message) {
    const struct attention_args &args = problem.attention.args;
    const int64_t tiles_per_head = (args.seq_q + tile_rows - 1) / tile_rows, heads = args.batch * args.heads;
    // keeps the product below from an overflow; cuda_host_prepare refuses such a grid
    grid.blocks = heads > INT32_MAX / tiles_per_head ? INT64_MAX : heads * tiles_per_head;
    problem.tiles_per_head = static_cast<uint32_t>(tiles_per_head);
    return cuda_host_prepare(problem, grid, env, ret, message);
}

#endif
