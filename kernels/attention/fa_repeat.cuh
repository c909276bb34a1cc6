// SPDX-License-Identifier: Apache-2.0
//
// More work on purpose, for the kernels of 16 bits with P V on the tensor cores. Place in a kernel: fa_frame.cuh includes it.
//
// WORK_TEST=1: part of the arithmetic is done twice, so that a gate has something known to see. How much (WORK_PCT) is an argument
// of the kernel: builds that repeat 0 and 6 % are the same code. The unit: one step of 16 dimensions of Q K^T for 16 keys, their
// share of the exponentials, and 16 columns of P V. A key block has BLOCK_N / 16 x D / 16 of them; so many are repeated, on the
// same data, that over the key blocks, and over the tiles by their number, the share of time comes to WORK_PCT where there are
// many tiles. Returned, so that the compiler cannot drop them.

#ifndef ATTENTION_FA_REPEAT_CUH
#define ATTENTION_FA_REPEAT_CUH

#include "attention/fa_thread.cuh"

#ifndef WORK_TEST
#define WORK_TEST 0
#endif
#ifndef WORK_PCT
#define WORK_PCT 0
#endif
static_assert(WORK_TEST != 0 || WORK_PCT == 0, "WORK_PCT needs WORK_TEST=1");

// Repeated alone, without the copies and products that overlap, a unit costs 1.6 times its share.
#define WORK_COST_TENTHS 6

template <typename T, int D>
__device__ __forceinline__ float fa_repeat(const fa_thread<D> &self, int block, int work_pct,
                                           uint32_t shared_k, uint32_t shared_v) {
    using layout = typename fa_shape<D>::layout;
    constexpr int units_a_block = (BLOCK_N / 16) * (D / 16);
    const int64_t phase =
        (int64_t)(blockIdx.x * 617u % 1000u); // 617 and 1000 share no factor: all phases come up
    const int64_t rate = (int64_t)units_a_block * work_pct * WORK_COST_TENTHS;
    const int64_t before = (block * rate + phase) / 1000, after = ((block + 1) * rate + phase) / 1000;
    float total = 0.0f;
#pragma unroll 1
    for (int64_t unit = before; unit < after; ++unit) {
        const int slot = (int)(unit % units_a_block), key = slot / (D / 16) * 16, step = slot % (D / 16);
        uint32_t b[4], v[4];
        mma_tile_b_columns<layout>(b, shared_k, key, step, self.lane);
        mma_tile_b_rows<layout>(v, shared_v, key, step, self.lane);
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            uint32_t a[4];
            float s[2][4] = {}, o[2][4] = {};
            mma_tile_a<layout>(a, self.shared_q, 16 * i, step, self.lane);
            mma_multiply(s[0], a, b[0], b[1], T());
            mma_multiply(s[1], a, b[2], b[3], T());
            constexpr int exponentials = 8 / (D / 16);
#pragma unroll
            for (int e = 0; e < exponentials; ++e) s[e & 1][e >> 1] = mma_exp2(s[e & 1][e >> 1]);
            a[0] = mma_pack(s[0][0], s[0][1], T());
            a[1] = mma_pack(s[0][2], s[0][3], T());
            a[2] = mma_pack(s[1][0], s[1][1], T());
            a[3] = mma_pack(s[1][2], s[1][3], T());
            mma_multiply(o[0], a, v[0], v[1], T());
            mma_multiply(o[1], a, v[2], v[3], T());
#pragma unroll
            for (int e = 0; e < 4; ++e) total += o[0][e] + o[1][e];
        }
    }
    return total;
}

#endif
