// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in fp8 e4m3 for sm_89 (Ada) and newer, D = 64 and 128, O in fp16. P is kept in fp16:
// only the inputs are rounded more coarsely.
//
// Algorithm: the main loop of fa_sm80.cu. Q K^T by mma.sync m16n8k32 on the fp8 bytes, fragments by
// ldmatrix as if two e4m3 were one half. The scales of Q and K go into the factor of the scores, that of
// V into the final scaling of O. P is rounded to fp16, V widened to it in registers, exactly, and
// multiplied by m16n8k16 with fp32 accumulators.
// Pipeline and copies: cp.async into STAGES buffers, rows of 64 or 128 bytes, swizzled. Every stride is a
// multiple of 16 bytes by the ABI. NaN in a V that some rows do not see: as in fa_sm80.cu; e4m3 has no
// infinity.
//
// Tiles: 128 rows, 64 keys, 8 warps of 16 rows.
// Budget, D = 64: Q 8 KiB + 2 x (K 4 + V 4) KiB = 24 KiB of shared memory; 123 registers for sm_89, Q
// among them, two thread blocks a multiprocessor. D = 128: 48 KiB, 174 registers, one thread block.
// Nothing is spilled.
// Expected limit on sm_89: the tensor cores. 16 x 64 scores at D = 64 take 16 mma at fp8's and 32 at
// fp16's rate (192 clocks), 64 clocks of exp2, and 64 conversions of V a lane, which every warp repeats.
// sm_90 has no mma.sync of e4m3: the compiler widens Q and K to fp16 (NVIDIA/cutlass#1986), so that the
// kernel is correct there but slower than fa_sm80, with 13 registers spilled at D = 64. Hopper's own fp8
// is wgmma.
// Tried and lost, by the compiler's report: 4 warps of 32 rows would convert V half as often, but take
// 218 registers at D = 64 and spill at D = 128; Q read again for every key block saves 4 registers.
// Not tried: V widened once a key block through shared memory.
#define FA_SM80_NAME "fp8_sm89"
#define FA_SM80_SUMMARY                                                                                      \
    "fp8 e4m3: Q K^T by mma.sync m16n8k32, P in fp16, V widened in registers; D = 64 and 128"
#define FA_SM80_ELEMENT_BYTES          1
#define FA_SM80_LAYOUT                 mma_swizzled
#define FA_SM80_COPY                   cp_async_16
#define FA_SM80_FRAGMENT_REGISTERS_MAX 144

#include "attention/fa_sm80_fragments.cuh"
#include "common/mma_sm89.cuh"

// O += P V, with P rounded to fp16 in its registers. A transposed 8x8 matrix of byte pairs gives a lane two
// keys of two neighbouring dimensions; the bytes of each dimension are joined (prmt) and widened into two B
// fragments, one of the even and one of the odd dimensions. So a thread holds column 16 q + 4 t + 2 e + odd
// of O in o[][2 q + odd][at + e].
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_pv(fa_sm80_fragments<D> &self,
                                           const float (&p)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                           uint32_t shared_v) {
#pragma unroll
    for (int step = 0; step < BLOCK_N / 16; ++step) {
        uint32_t a[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) mma_pack_tiles(a[i], p[i][2 * step], p[i][2 * step + 1], __half());
#pragma unroll
        for (int pair = 0; pair < D / 32; ++pair) {
            uint32_t bytes[4];
            mma_fragment_b_trans<typename fa_sm80_traits<D>::layout>(bytes, shared_v, 16 * step, pair,
                                                                     self.lane);
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                const uint32_t first = __byte_perm(bytes[2 * q], 0, 0x3120);      // of keys 0 to 7
                const uint32_t second = __byte_perm(bytes[2 * q + 1], 0, 0x3120); // of keys 8 to 15
#pragma unroll
                for (int odd = 0; odd < 2; ++odd) {
                    const uint32_t b0 = mma_widen_e4m3x2(first >> 16 * odd),
                                   b1 = mma_widen_e4m3x2(second >> 16 * odd);
#pragma unroll
                    for (int i = 0; i < M_TILES; ++i)
                        mma_sync(self.o[i][4 * pair + 2 * q + odd], a[i], b0, b1, __half());
                }
            }
        }
    }
}

// 0x80 in every byte that is a NaN, 0 in all others.
__device__ __forceinline__ uint32_t fp8_nan_bytes(uint32_t word) {
    return ((word & 0x7f7f7f7fu) + 0x01010101u) & 0x80808080u;
}

// NaN in V of a masked block: added to the rows that see the key, then replaced by 0 in shared memory.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_absorb_nonfinite(fa_sm80_fragments<D> &self,
                                                         const fa_sm80_problem &problem, uint32_t shared_v,
                                                         int first_key) {
    using traits = fa_sm80_traits<D>;
    uint32_t *words = reinterpret_cast<uint32_t *>(fa_sm80_shared_pointer(shared_v));
    constexpr int word_count = traits::tile_bytes / 4;
    bool has_nonfinite = false;
    for (int w = (int)threadIdx.x; w < word_count; w += THREADS)
        has_nonfinite |= fp8_nan_bytes(words[w]) != 0;
    if (!__syncthreads_or(has_nonfinite)) return;
#pragma unroll 1
    for (int key = 0; key < BLOCK_N; ++key) {
#pragma unroll
        for (int q = 0; q < D / 16; ++q) {
            const uint32_t chunk = traits::layout::at((uint32_t)key, (uint32_t)q);
            const uint32_t nan = fp8_nan_bytes(words[chunk * 4u + (uint32_t)(self.lane & 3)]);
#pragma unroll
            for (int byte = 0; byte < 4; ++byte) {
                if (!(nan >> 8 * byte & 0x80u)) continue;
#pragma unroll
                for (int row = 0; row < M_TILES * 2; ++row)
                    if (first_key + key < fa_sm80_visible_keys<D>(self, problem, row))
                        self.o[row >> 1][2 * q + (byte & 1)][2 * (row & 1) + (byte >> 1)] = NAN;
            }
        }
    }
    __syncthreads();
    for (int w = (int)threadIdx.x; w < word_count; w += THREADS)
        words[w] &= ~((fp8_nan_bytes(words[w]) >> 7) * 0xffu);
    __syncthreads();
}

// Epilogue: O divided by the row sums and scaled, directly to global memory: four lanes write 32 bytes of a
// row at a time.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_store_o(fa_sm80_fragments<D> &self, const fa_sm80_problem &problem,
                                                const fa_sm80_tile &tile) {
    const struct attention_args &args = problem.attention.args;
    const float *scales = problem.attention.data.v_scale;
    const float v_scale = scales ? scales[tile.batch * args.heads_kv + tile.head / args.group] : 1.0f;
    char *out = problem.attention.data.o + attention_device_head(args.o, tile.batch, tile.head);
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        const int i = row >> 1, at = 2 * (row & 1), row_of_head = self.first_row + 8 * row;
        float factor;
        const bool has_keys = fa_sm80_finalize_row<D>(self, problem, tile, row, &factor);
        factor *= v_scale;
        if (row_of_head >= args.seq_q) continue;
        char *out_row = out + row_of_head * args.o.stride_row * 2 + (self.lane & 3) * 8;
#pragma unroll
        for (int q = 0; q < D / 16; ++q) {
            const float(&even)[4] = self.o[i][2 * q], (&odd)[4] = self.o[i][2 * q + 1];
            const uint2 value = {mma_pack(even[at] * factor, odd[at] * factor, __half()),
                                 mma_pack(even[at + 1] * factor, odd[at + 1] * factor, __half())};
            *reinterpret_cast<uint2 *>(out_row + 32 * q) = has_keys ? value : uint2{};
        }
    }
}

#include "attention/fa_sm80_host.cuh"
#include "attention/fa_sm80_mainloop.cuh"
