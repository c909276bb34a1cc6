// SPDX-License-Identifier: Apache-2.0
//
// Theoretical occupancy, as NVIDIA's occupancy calculator (Nsight Compute) has it. The driver's own call
// wants the function's handle, which a record of a launch does not have.
#include "worker/backend/cuda/cuda_internal.h"

enum {
    WARP_THREADS = 32,
    REGISTERS_STEP = 256, // registers of a warp come in these; compute capability 7.0 and newer
    WARPS_STEP = 4,       // sub-partitions of a multiprocessor, each with a part of the registers
    SHARED_STEP = 128,
};

static uint32_t rounded_up(uint32_t value, uint32_t step) {
    return (value + step - 1) / step * step;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t cuda_blocks_per_sm(const struct cuda_sm_limits *limits, const struct cuda_block *block) {
    if (!limits->threads || !block->threads) return 0;
    const uint32_t warps = rounded_up(block->threads, WARP_THREADS) / WARP_THREADS;
    uint32_t blocks = limits->threads / WARP_THREADS / warps;
    if (limits->blocks) blocks = least(blocks, limits->blocks);
    if (limits->registers && block->registers) {
        const uint32_t a_warp = rounded_up(block->registers * WARP_THREADS, REGISTERS_STEP);
        blocks = least(blocks, limits->registers / a_warp / WARPS_STEP * WARPS_STEP / warps);
    }
    const uint32_t shared = rounded_up(block->shared_bytes + limits->reserved_shared_bytes, SHARED_STEP);
    if (limits->shared_bytes && shared) blocks = least(blocks, limits->shared_bytes / shared);
    return blocks;
}
