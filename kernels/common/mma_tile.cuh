// SPDX-License-Identifier: Apache-2.0
//
// Tiles in shared memory for mma.sync: layout of their rows, and fragments loaded from them by ldmatrix. A
// tile's rows have 4, 8 or 16 chunks of 16 bytes; a k step is 32 bytes of a row: 16 halves for m16n8k16, 32
// e4m3 for m16n8k32, whose fragments are the same bytes. `tile` is the shared memory address of the first
// row, a multiple of 8 rows from the start of the tile, which is aligned to a row; `row`, relative to it, is
// a multiple of 8.
#ifndef COMMON_MMA_TILE_CUH
#define COMMON_MMA_TILE_CUH

#include <stdint.h>

#include "common/mma_sm80.cuh"

// A layout maps (row, chunk) to an index in units of 16 bytes (at), and moves an address whose chunk is 0 or
// 1 along its row by `step` k steps of 32 bytes (advance).

// Rows without a swizzle: the eight rows that an ldmatrix matrix reads fall on one or two groups of four
// banks.
template <int row_chunks> struct mma_unswizzled {
    static constexpr int chunks = row_chunks;
    static __device__ __forceinline__ uint32_t at(uint32_t row, uint32_t chunk) {
        return row * chunks + chunk;
    }
    static __device__ __forceinline__ uint32_t advance(uint32_t address, int step) {
        return address + (uint32_t)step * 32u;
    }
};

// XOR swizzle of chunks by row number: eight consecutive rows at one chunk fall on eight different groups of
// four banks. Two rows of four chunks share the 128 bytes of all banks, hence the shift. Tiles are aligned to
// rows, so that the chunk is a bit field of the address and one XOR moves along the row.
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

// ldmatrix address of the lane at (lane_row, lane_chunk) of the fragment at row `row`, k step `step`.
template <typename layout>
__device__ __forceinline__ uint32_t mma_fragment_address(uint32_t tile, int row, int step, int lane_row,
                                                         int lane_chunk) {
    const uint32_t first = tile + layout::at((uint32_t)lane_row, (uint32_t)lane_chunk) * MMA_CHUNK_BYTES;
    return layout::advance(first, step) + (uint32_t)(row * layout::chunks * MMA_CHUNK_BYTES);
}

// Loads the fragment of operand A: 16 rows from `row`, k step `step`.
template <typename layout>
__device__ __forceinline__ void mma_fragment_a(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                               int lane) {
    ldmatrix_x4(ret, mma_fragment_address<layout>(tile, row, step, lane & 15, lane >> 4));
}

// Loads two fragments of operand B from a K-major tile (columns of B are rows of the tile): ret[0..1] for the
// eight rows from `row`, ret[2..3] for the next eight.
template <typename layout>
__device__ __forceinline__ void mma_fragment_b(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                               int lane) {
    ldmatrix_x4(
        ret, mma_fragment_address<layout>(tile, row, step, (lane & 7) + ((lane >> 4) << 3), lane >> 3 & 1));
}

// Loads two fragments of operand B from an MN-major tile, by ldmatrix.trans (rows of B are 16 rows of the
// tile from `row`): ret[0..1] of chunk 2 step, ret[2..3] of the next chunk. A 16-bit column is one dimension
// in fp16 and bf16, two neighbouring dimensions in e4m3.
template <typename layout>
__device__ __forceinline__ void mma_fragment_b_trans(uint32_t (&ret)[4], uint32_t tile, int row, int step,
                                                     int lane) {
    ldmatrix_x4_trans(ret, mma_fragment_address<layout>(tile, row, step, lane & 15, lane >> 4));
}

#endif
