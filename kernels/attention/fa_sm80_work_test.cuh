// SPDX-License-Identifier: Apache-2.0
//
// WORK_TEST: deliberate extra work, for the 16-bit kernels with P V by mma.sync. Included by
// fa_sm80_mainloop.cuh.
//
// WORK_TEST=1 repeats part of the arithmetic, so that a gate has a known slowdown to detect. How much
// (WORK_PCT) is an argument of the kernel: builds that repeat 0 and 6 % are the same code. The unit of
// work: one step of 16 dimensions of Q K^T for 16 keys, their share of the exponentials, and 16 columns
// of P V. A key block has BLOCK_N / 16 x D / 16 units. Enough of them are repeated, on the same data, to
// add WORK_PCT to the time of a problem with many tiles; the repetitions are spread over key blocks and,
// by thread block number, over tiles. The results are returned, so that the compiler cannot drop them.
#ifndef ATTENTION_FA_SM80_WORK_TEST_CUH
#define ATTENTION_FA_SM80_WORK_TEST_CUH

#include "attention/fa_sm80_fragments.cuh"

#ifndef WORK_TEST
#define WORK_TEST 0
#endif
#ifndef WORK_PCT
#define WORK_PCT 0
#endif
static_assert(WORK_TEST != 0 || WORK_PCT == 0, "WORK_PCT needs WORK_TEST=1");

// A repeated unit costs 1.6 times its share, since it overlaps with no copies and no other products; so 6
// tenths of WORK_PCT are repeated.
#define WORK_COST_TENTHS 6

template <typename T, int D>
__device__ __forceinline__ float fa_sm80_repeat_work(const fa_sm80_fragments<D> &self, int block,
                                                     int work_pct, uint32_t shared_k, uint32_t shared_v) {
    using layout = typename fa_sm80_traits<D>::layout;
    constexpr int units_a_block = (BLOCK_N / 16) * (D / 16);
    // Spreads thread blocks over the phases 0 to 999; 617 and 1000 share no factor, so all of them occur.
    const int64_t phase = (int64_t)(blockIdx.x * 617u % 1000u);
    const int64_t rate = (int64_t)units_a_block * work_pct * WORK_COST_TENTHS;
    const int64_t before = (block * rate + phase) / 1000, after = ((block + 1) * rate + phase) / 1000;
    float total = 0.0f;
#pragma unroll 1
    for (int64_t unit = before; unit < after; ++unit) {
        const int slot = (int)(unit % units_a_block), key = slot / (D / 16) * 16, step = slot % (D / 16);
        uint32_t b[4], v[4];
        mma_fragment_b<layout>(b, shared_k, key, step, self.lane);
        mma_fragment_b_trans<layout>(v, shared_v, key, step, self.lane);
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            uint32_t a[4];
            float s[2][4] = {}, o[2][4] = {};
            mma_fragment_a<layout>(a, self.shared_q, 16 * i, step, self.lane);
            mma_sync(s[0], a, b[0], b[1], T());
            mma_sync(s[1], a, b[2], b[3], T());
            constexpr int exponentials = 8 / (D / 16);
#pragma unroll
            for (int e = 0; e < exponentials; ++e) s[e & 1][e >> 1] = exp2_approx(s[e & 1][e >> 1]);
            a[0] = mma_pack(s[0][0], s[0][1], T());
            a[1] = mma_pack(s[0][2], s[0][3], T());
            a[2] = mma_pack(s[1][0], s[1][1], T());
            a[3] = mma_pack(s[1][2], s[1][3], T());
            mma_sync(o[0], a, v[0], v[1], T());
            mma_sync(o[1], a, v[2], v[3], T());
#pragma unroll
            for (int e = 0; e < 4; ++e) total += o[0][e] + o[1][e];
        }
    }
    return total;
}

#endif
