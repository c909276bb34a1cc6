// SPDX-License-Identifier: Apache-2.0
//
// Tiles in shared memory that mma.sync reads: how their rows lie, and fragments out of them. A tile's rows have 4, 8 or 16 chunks
// of 16 bytes; a fragment's `step` is 32 bytes of a row: 16 halves for m16n8k16, 32 e4m3 for m16n8k32, whose fragments are the
// same bytes. `tile` is the shared address of the first row, a multiple of 8 rows from where the tile begins, which is a multiple
// of a row's bytes; `row`, from there, is a multiple of 8.
#ifndef COMMON_MMA_TILE_CUH
#define COMMON_MMA_TILE_CUH

#include "common/mma_sm80.cuh"

#include <stdint.h>

// A layout says where chunk `chunk` of row `row` lies, in units of 16 bytes, and which address is 32 `step` bytes further on in the
// row of `address`, whose chunk there is 0 or 1.

// Rows one after the other: the eight rows that ldmatrix reads at one chunk fall on one or two groups of four banks.
template <int row_chunks> struct mma_unswizzled {
    static constexpr int chunks = row_chunks;
    static __device__ __forceinline__ uint32_t at(uint32_t row, uint32_t chunk) {
        return row * chunks + chunk;
    }
    static __device__ __forceinline__ uint32_t advance(uint32_t address, int step) {
        return address + (uint32_t)step * 32u;
    }
};

// Chunks exchanged by the row's number: eight consecutive rows at one chunk fall on eight different groups of four banks. Two
// rows of four chunks share the 128 bytes of all banks, hence the shift. Tiles begin at multiples of a row, so that the chunk is
// some bits of the address: one exclusive-or goes along the row.
template <int row_chunks> struct mma_swizzled {
    static_assert(row_chunks == 4 || row_chunks == 8 || row_chunks == 16, "rows of 64, 128 or 256 bytes");
    static constexpr int chunks = row_chunks;
    static __device__ __forceinline__ uint32_t at(uint32_t row, uint32_t chunk) {
        return row * chunks + (chunk ^ (row_chunks == 4 ? row >> 1 & 3u : row & 7u));
    }
    static __device__ __forceinline__ uint32_t advance(uint32_t address, int step) {
        return address ^ (uint32_t)step * 32u;
    }
};

// Row `row` and 32 bytes from 32 `step` of the tile, for the lane whose place in the fragment is (lane_row, lane_chunk).
template <typename layout>
__device__ __forceinline__ uint32_t mma_fragment_address(uint32_t tile, int row, int step, int lane_row,
                                                     int lane_chunk) {
    const uint32_t first = tile + layout::at((uint32_t)lane_row, (uint32_t)lane_chunk) * MMA_CHUNK_BYTES;
    return layout::advance(first, step) + (uint32_t)(row * layout::chunks * MMA_CHUNK_BYTES);
}

// A: 16 rows from `row`, 32 bytes from 32 step.
template <typename layout>
__device__ __forceinline__ void mma_fragment_a(uint32_t (&ret)[4], uint32_t tile, int row, int step, int lane) {
    ldmatrix_x4(ret, mma_fragment_address<layout>(tile, row, step, lane & 15, lane >> 4));
}

// Two of B, whose columns are the tile's rows: ret[0..1] the eight rows from `row`, ret[2..3] the next eight.
template <typename layout>
__device__ __forceinline__ void mma_fragment_b(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                                   int lane) {
    ldmatrix_x4(ret, mma_fragment_address<layout>(tile, row, step, (lane & 7) + ((lane >> 4) << 3), lane >> 3 & 1));
}

// Two of B, whose rows are 16 of the tile's rows from `row`: ret[0..1] of chunk 2 step, ret[2..3] of the next chunk. Of halves,
// a column is a dimension; of e4m3 it is two neighbours, one byte each.
template <typename layout>
__device__ __forceinline__ void mma_fragment_b_trans(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                                int lane) {
    ldmatrix_x4_trans(ret, mma_fragment_address<layout>(tile, row, step, lane & 15, lane >> 4));
}

#endif
