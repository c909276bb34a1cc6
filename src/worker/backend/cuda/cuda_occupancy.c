// SPDX-License-Identifier: Apache-2.0
//
// Theoretical occupancy, as NVIDIA's occupancy calculator (Nsight Compute) has it. The driver's own call
// wants the function's handle, which a record of a launch does not have.
#include "worker/backend/cuda/cuda_device_internal.h"

enum {
    WARP_THREADS = 32,
    REGISTERS_STEP = 256, // registers of a warp come in these; compute capability 7.0 and newer
    WARPS_STEP = 4,       // sub-partitions of a multiprocessor, each with a part of the registers
    SHARED_STEP = 128,
};

static uint32_t rounded_up(uint32_t value, uint32_t step) {
    return (value + step - 1) / step * step;
}

void cuda_occupancy(const struct cuda_sm_limits *limits, const struct cuda_block *block,
                    uint32_t ret[CUDA_OCCUPANCY_COUNT]) {
    const uint32_t warps = rounded_up(block->threads, WARP_THREADS) / WARP_THREADS;
    const uint32_t shared = rounded_up(block->shared_bytes + limits->reserved_shared_bytes, SHARED_STEP);
    for (int i = 0; i < CUDA_OCCUPANCY_COUNT; ++i) ret[i] = UINT32_MAX;
    if (limits->threads && warps) ret[CUDA_OCCUPANCY_WARPS] = limits->threads / WARP_THREADS / warps;
    if (limits->blocks) ret[CUDA_OCCUPANCY_BLOCKS] = limits->blocks;
    if (limits->registers && block->registers && warps) {
        const uint32_t a_warp = rounded_up(block->registers * WARP_THREADS, REGISTERS_STEP);
        ret[CUDA_OCCUPANCY_REGISTERS] = limits->registers / a_warp / WARPS_STEP * WARPS_STEP / warps;
    }
    if (limits->shared_bytes && shared) ret[CUDA_OCCUPANCY_SHARED] = limits->shared_bytes / shared;
}

uint32_t cuda_blocks_per_sm(const uint32_t limits[CUDA_OCCUPANCY_COUNT]) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < CUDA_OCCUPANCY_COUNT; ++i)
        if (limits[i] < least) least = limits[i];
    return limits[CUDA_OCCUPANCY_WARPS] == UINT32_MAX ? 0 : least;
}
