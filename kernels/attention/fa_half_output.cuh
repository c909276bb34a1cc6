// SPDX-License-Identifier: Apache-2.0
//
// fp16 and bf16: O += P V on the tensor cores. Place in a kernel: fa_thread.cuh.
#ifndef ATTENTION_FA_HALF_OUTPUT_CUH
#define ATTENTION_FA_HALF_OUTPUT_CUH

#include "attention/fa_thread.cuh"

// P is rounded to 16 bits where it lies.
template <typename T, int D>
__device__ __forceinline__ void
fa_output(fa_thread<D> &self, const float (&p)[M_TILES][fa_shape<D>::n_tiles][4], uint32_t shared_v) {
    using shape = fa_shape<D>;
#pragma unroll
    for (int step = 0; step < BLOCK_N / 16; ++step) {
        uint32_t a[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) mma_pack_tiles(a[i], p[i][2 * step], p[i][2 * step + 1], T());
#pragma unroll
        for (int pair = 0; pair < shape::d_tiles / 2; ++pair) {
            uint32_t b[4];
            mma_tile_b_rows<typename shape::layout>(b, shared_v, 16 * step, pair, self.lane);
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                mma_multiply(self.o[i][2 * pair], a[i], b[0], b[1], T());
                mma_multiply(self.o[i][2 * pair + 1], a[i], b[2], b[3], T());
            }
        }
    }
}

#endif
