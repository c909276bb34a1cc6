// SPDX-License-Identifier: Apache-2.0
//
// Fragments of mma.sync m16n8k16 out of a swizzled tile of halves in shared memory, `chunks` chunks of 16 bytes a row. `tile` is
// the shared address of the tile's first row, which must be a multiple of 8 rows from where the tile was swizzled.
#ifndef COMMON_MMA_TILE_CUH
#define COMMON_MMA_TILE_CUH

#include "common/mma_sm80.cuh"

#include <stdint.h>

// A: 16 rows from `row`, 16 columns from 16 step.
template <int chunks>
__device__ __forceinline__ void mma_tile_a(uint32_t (&ret)[4], uint32_t tile, int row, int step, int lane) {
    const uint32_t at =
        mma_swizzle((uint32_t)(row + (lane & 15)), (uint32_t)(2 * step + (lane >> 4)), chunks);
    mma_load(ret, tile + at * 16u);
}

// Two of B, whose columns are the tile's rows: ret[0..1] the eight rows from `row`, ret[2..3] the next eight.
template <int chunks>
__device__ __forceinline__ void mma_tile_b_columns(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                                   int lane) {
    const uint32_t at = mma_swizzle((uint32_t)(row + (lane & 7) + ((lane >> 4) << 3)),
                                    (uint32_t)(2 * step + ((lane >> 3) & 1)), chunks);
    mma_load(ret, tile + at * 16u);
}

// Two of B, whose rows are the tile's rows from `row`: ret[0..1] the eight columns from 16 pair, ret[2..3] the next eight.
template <int chunks>
__device__ __forceinline__ void mma_tile_b_rows(uint32_t (&ret)[4], uint32_t tile, int row, int pair,
                                                int lane) {
    const uint32_t at =
        mma_swizzle((uint32_t)(row + (lane & 15)), (uint32_t)(2 * pair + (lane >> 4)), chunks);
    mma_load_transposed(ret, tile + at * 16u);
}

#endif
