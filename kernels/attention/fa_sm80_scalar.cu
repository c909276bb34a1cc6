// SPDX-License-Identifier: Apache-2.0
//
// Attention forward for sm_80 and newer, fp16 and bf16, D = 64 and 128. First rung of three (fa_sm80_mma.cu, fa_sm80.cu):
// Q K^T on the tensor cores, everything else as in a kernel without them.
//
// Algorithm: the frame of fa_sm80.cu (blocks of keys, online softmax in registers) with P V by FFMA in fp32: the weight of a key
// lies in one of the four lanes that share a row and is handed to the others by a shuffle, V is read from shared memory two
// columns at a time and widened. P is never rounded. Copies are synchronous: a thread loads 16 bytes, waits, stores them.
// Special values: as in fa_sm80.cu.
//
// Tiles: 128 rows, 32 keys, 4 warps of 32 rows: a V that was read and widened serves four rows of a thread. One buffer of K and one
// of V, plain rows: ldmatrix meets conflicts of eight rows on one group of banks, as in fa_sm80_mma.cu.
// Budget, D = 64: Q 16 KiB + K 4 + V 4 KiB; 166 registers (O 64, S 32), three blocks, 12 warps a multiprocessor. D = 128: 48 KiB,
// 255 registers, two blocks. Nothing is spilled (nvcc 13.0, sm_90a).
// Expected limit: FFMA. A key costs a warp D FFMA and, for V and the weights, D / 8 loads, D / 4 conversions and 4 shuffles; the
// tensor cores would need a tenth of that time. Latency of the copies is not hidden but by other warps.
// The loop over the keys is unrolled, since P lies in registers. Tried and lost, by the compiler's report: blocks of 128 keys, 1.3 KiB
// spilled at D = 128 and a minute and a half of compiling.
// Predicted for the next rung: P V on the tensor cores 1.5 to 2 x, asynchronous copies 1.3 to 1.5 x. Measured: docs/measurements.md.
#define FA_NAME          "fa_sm80_scalar"
#define FA_SUMMARY       "the first rung: Q K^T by mma.sync, P V by FFMA, plain copies; fp16, bf16, D = 64 and 128"
#define FA_ELEMENT_BYTES 2
#define FA_LAYOUT        mma_plain
#define FA_COPY          mma_copy_sync
#define FA_STAGES_FIXED  // one buffer: nothing is copied in advance
#define FA_KEYS          32, 64
#define STAGES           1
#ifndef BLOCK_N
#define BLOCK_N 32
#endif
#ifndef NUM_WARPS
#define NUM_WARPS 4
#endif

#include "attention/fa_half.cuh"

// O += P V.
template <typename T, int D>
__device__ __forceinline__ void
fa_output(fa_thread<D> &self, const float (&p)[M_TILES][fa_shape<D>::n_tiles][4], uint32_t shared_v) {
    using shape = fa_shape<D>;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(fa_shared_pointer(shared_v));
#pragma unroll // p is in registers
    for (int key = 0; key < BLOCK_N; ++key) {
        const int owner = key % 8 / 2; // of the four lanes
        float weight[M_TILES * 2];
#pragma unroll
        for (int row = 0; row < M_TILES * 2; ++row)
            weight[row] = __shfl_sync(0xffffffffu, p[row >> 1][key / 8][2 * (row & 1) + (key & 1)], owner, 4);
#pragma unroll
        for (int d = 0; d < shape::d_tiles; ++d) {
            const uint32_t word = words[shape::layout::at((uint32_t)key, (uint32_t)d) * 4u + (self.lane & 3)];
            const float low = mma_widen(word & 0xffffu, T()), high = mma_widen(word >> 16, T());
#pragma unroll
            for (int row = 0; row < M_TILES * 2; ++row) {
                float(&o)[4] = self.o[row >> 1][d];
                const int at = 2 * (row & 1);
                o[at] = fmaf(weight[row], low, o[at]);
                o[at + 1] = fmaf(weight[row], high, o[at + 1]);
            }
        }
    }
}

#include "attention/fa_frame.cuh"
#include "attention/fa_host.cuh"
