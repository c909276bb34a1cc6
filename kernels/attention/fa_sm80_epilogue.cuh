// SPDX-License-Identifier: Apache-2.0
//
// fp16 and bf16, for every rung of fa_sm80: NaN and infinity in V under a mask, and the epilogue
// (normalise and store O). How a kernel is put together: fa_sm80_fragments.cuh. A thread holds the
// columns 8 d + 2 t and 8 d + 2 t + 1 of O, d < D / 8, t = lane % 4: the accumulator layout of m16n8k16.
#ifndef ATTENTION_FA_SM80_EPILOGUE_CUH
#define ATTENTION_FA_SM80_EPILOGUE_CUH

#include "attention/fa_sm80_fragments.cuh"

// NaN and infinity in V of a masked block: added to the rows that see the key, then replaced by 0 in shared
// memory.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_absorb_nonfinite(fa_sm80_fragments<D> &self,
                                                         const fa_sm80_problem &problem, uint32_t shared_v,
                                                         int first_key) {
    using traits = fa_sm80_traits<D>;
    const uint32_t low = mma_exponent_mask(T()), both = low | low << 16;
    uint32_t *words = reinterpret_cast<uint32_t *>(fa_sm80_shared_pointer(shared_v));
    constexpr int word_count = BLOCK_N * D / 2;
    bool has_nonfinite = false;
    for (int w = (int)threadIdx.x; w < word_count; w += THREADS)
        has_nonfinite |= (words[w] & low) == low || (words[w] & both & ~low) == (both & ~low);
    if (!__syncthreads_or(has_nonfinite)) return;
#pragma unroll 1
    for (int key = 0; key < BLOCK_N; ++key) {
#pragma unroll
        for (int d = 0; d < traits::d_tiles; ++d) {
            const uint32_t chunk = traits::layout::at((uint32_t)key, (uint32_t)d);
            const uint32_t word = words[chunk * 4u + (uint32_t)(self.lane & 3)];
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const uint32_t half = word >> (16 * e) & 0xffffu;
                if ((half & low) != low) continue;
                const float value = mma_widen(half, T());
#pragma unroll
                for (int row = 0; row < M_TILES * 2; ++row)
                    if (first_key + key < fa_sm80_visible_keys<D>(self, problem, row))
                        self.o[row >> 1][d][2 * (row & 1) + e] += value; // any P above 0 gives the same
            }
        }
    }
    __syncthreads();
    for (int w = (int)threadIdx.x; w < word_count; w += THREADS) {
        uint32_t word = words[w];
        if ((word & low) == low) word &= 0xffff0000u;
        if ((word >> 16 & low) == low) word &= 0xffffu;
        words[w] = word;
    }
    __syncthreads();
}

// Epilogue: O divided by the row sums, through this warp's part of the Q buffer to global memory in 16-byte
// chunks.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_store_o(fa_sm80_fragments<D> &self, const fa_sm80_problem &problem,
                                                const fa_sm80_tile &tile) {
    using layout = typename fa_sm80_traits<D>::layout;
    const struct attention_args &args = problem.attention.args;
    const int g = self.lane >> 2, t = self.lane & 3;
    char *warp_tile = fa_sm80_shared_pointer(self.shared_q);
    __syncwarp();
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        const int i = row >> 1, at = 2 * (row & 1), tile_row = 16 * i + 8 * (row & 1) + g;
        float factor;
        const bool has_keys = fa_sm80_finalize_row<D>(self, problem, tile, row, &factor);
#pragma unroll
        for (int d = 0; d < fa_sm80_traits<D>::d_tiles; ++d) {
            const uint32_t pair = mma_pack(self.o[i][d][at] * factor, self.o[i][d][at + 1] * factor, T());
            char *chunk = warp_tile + layout::at((uint32_t)tile_row, (uint32_t)d) * MMA_CHUNK_BYTES;
            reinterpret_cast<uint32_t *>(chunk)[t] = has_keys ? pair : 0u;
        }
    }
    __syncwarp();
    char *out = problem.attention.data.o + attention_device_head(args.o, tile.batch, tile.head);
#pragma unroll
    for (int c = self.lane; c < WARP_ROWS * layout::chunks; c += 32) {
        const int tile_row = c / layout::chunks, chunk = c % layout::chunks;
        if (tile.first_row + tile_row >= args.seq_q) break; // rows ascend
        const uint4 value = *reinterpret_cast<const uint4 *>(
            warp_tile + layout::at((uint32_t)tile_row, (uint32_t)chunk) * MMA_CHUNK_BYTES);
        *reinterpret_cast<uint4 *>(out + (tile.first_row + tile_row) * args.o.stride_row * 2 +
                                   chunk * MMA_CHUNK_BYTES) = value;
    }
}

#endif
