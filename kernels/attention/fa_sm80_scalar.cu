// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128. First rung of three
// (fa_sm80_mma.cu, fa_sm80.cu): Q K^T on the tensor cores, everything else without them.
//
// Algorithm: the main loop of fa_sm80.cu (key blocks, online softmax in registers) with P V by FFMA in
// fp32: P of a key lies in one of the four lanes that share a row and is broadcast by a shuffle; V is
// read from shared memory two columns at a time and widened. P is never rounded. Loads are synchronous: a
// thread loads 16 bytes, waits, stores them to shared memory.
// NaN and infinity: as in fa_sm80.cu.
//
// Tiles: 128 rows, 32 keys, 4 warps of 32 rows: a widened element of V serves four rows of a thread. One
// buffer of K and one of V, rows unswizzled: ldmatrix has eight-way bank conflicts, as in fa_sm80_mma.cu.
// Budget, D = 64: Q 16 KiB + K 4 + V 4 KiB; 166 registers (O 64, S 32), three thread blocks, 12 warps a
// multiprocessor. D = 128: 48 KiB, 255 registers, two thread blocks. Nothing is spilled (nvcc 13.0,
// sm_90a).
// Expected limit: FFMA. A key costs a warp D FFMA and, for V and P, D / 8 loads, D / 4 conversions and 4
// shuffles; the tensor cores would need a tenth of that time. The latency of loads is hidden only by
// other warps.
// The loop over the keys is unrolled, since P lies in registers.
// Tried and lost, by the compiler's report: blocks of 128 keys, 1.3 KiB spilled at D = 128 and a minute
// and a half of compiling.
// Predicted for the next rung: P V on the tensor cores 1.5 to 2 x, cp.async 1.3 to 1.5 x. Measured:
// docs/measurements.md.
#define FA_SM80_NAME "fa_sm80_scalar"
#define FA_SM80_SUMMARY                                                                                      \
    "the first rung: Q K^T by mma.sync, P V by FFMA, synchronous copies; fp16, bf16, D = 64 and 128"
#define FA_SM80_ELEMENT_BYTES  2
#define FA_SM80_LAYOUT         mma_unswizzled
#define FA_SM80_COPY           copy_sync_16
#define FA_SM80_SINGLE_STAGE   // one buffer, no prefetch: no STAGES in the configuration
#define FA_SM80_BLOCK_N_VALUES 32, 64
#define STAGES                 1
#ifndef BLOCK_N
#define BLOCK_N 32
#endif
#ifndef NUM_WARPS
#define NUM_WARPS 4
#endif

#include "attention/fa_sm80_epilogue.cuh"

// O += P V by FFMA.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_pv(fa_sm80_fragments<D> &self,
                                           const float (&p)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                           uint32_t shared_v) {
    using traits = fa_sm80_traits<D>;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(fa_sm80_shared_pointer(shared_v));
#pragma unroll // P lies in registers
    for (int key = 0; key < BLOCK_N; ++key) {
        const int owner = key % 8 / 2; // which of the four lanes of a row holds P
        float p_row[M_TILES * 2];
#pragma unroll
        for (int row = 0; row < M_TILES * 2; ++row)
            p_row[row] = __shfl_sync(0xffffffffu, p[row >> 1][key / 8][2 * (row & 1) + (key & 1)], owner, 4);
#pragma unroll
        for (int d = 0; d < traits::d_tiles; ++d) {
            const uint32_t word =
                words[traits::layout::at((uint32_t)key, (uint32_t)d) * 4u + (self.lane & 3)];
            const float low = mma_widen(word & 0xffffu, T()), high = mma_widen(word >> 16, T());
#pragma unroll
            for (int row = 0; row < M_TILES * 2; ++row) {
                float(&o)[4] = self.o[row >> 1][d];
                const int at = 2 * (row & 1);
                o[at] = fmaf(p_row[row], low, o[at]);
                o[at + 1] = fmaf(p_row[row], high, o[at + 1]);
            }
        }
    }
}

#include "attention/fa_sm80_host.cuh"
#include "attention/fa_sm80_mainloop.cuh"
