// SPDX-License-Identifier: Apache-2.0
//
// fp16 and bf16: O += P V by mma.sync. How a kernel is put together: fa_sm80_fragments.cuh.
#ifndef ATTENTION_FA_SM80_PV_MMA_CUH
#define ATTENTION_FA_SM80_PV_MMA_CUH

#include "attention/fa_sm80_fragments.cuh"

// P is rounded to 16 bits in its registers: accumulators of two neighbouring mma are the A operand of the
// next one.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_pv(fa_sm80_fragments<D> &self,
                                           const float (&p)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                           uint32_t shared_v) {
    using traits = fa_sm80_traits<D>;
#pragma unroll
    for (int step = 0; step < BLOCK_N / 16; ++step) {
        uint32_t a[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) mma_pack_tiles(a[i], p[i][2 * step], p[i][2 * step + 1], T());
#pragma unroll
        for (int pair = 0; pair < traits::d_tiles / 2; ++pair) {
            uint32_t b[4];
            mma_fragment_b_trans<typename traits::layout>(b, shared_v, 16 * step, pair, self.lane);
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                mma_sync(self.o[i][2 * pair], a[i], b[0], b[1], T());
                mma_sync(self.o[i][2 * pair + 1], a[i], b[2], b[3], T());
            }
        }
    }
}

#endif
