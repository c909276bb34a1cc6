// SPDX-License-Identifier: Apache-2.0
//
// What one thread of the mma.sync kernels knows and does: the configuration, its part of Q, of the scores and of O, mask and
// online softmax. Common to all of them; a kernel (fa_*.cu, fp8_sm89.cu) is made in this order:
//   1. macros that say what it is: FA_NAME, FA_SUMMARY, FA_ELEMENT_BYTES (of Q, K and V), FA_LAYOUT (of tiles in shared memory),
//      FA_COPY (into them), and defaults of the configuration that differ;
//   2. this file;
//   3. its own three parts, fa_output (O += P V), fa_absorb_special and fa_store: those of fa_half.cuh, or others;
//   4. fa_frame.cuh (the loop over the keys, the device function) and fa_host.cuh (the callbacks of the ABI).
#ifndef ATTENTION_FA_THREAD_CUH
#define ATTENTION_FA_THREAD_CUH

#include "common/attention_args.h"
#include "common/attention_device.cuh"
#include "common/cuda_host.cuh"
#include "common/mma_sm80.cuh"
#include "common/mma_tile.cuh"
#include "common/thread_block.cuh"

#include <stdint.h>

#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 64
#endif
#ifndef NUM_WARPS
#define NUM_WARPS 8
#endif
#ifndef STAGES
#define STAGES 2
#endif
// Registers that Q, O and S may take together when Q stays in registers: beyond that it is read again for every key block.
#ifndef FA_FRAGMENT_REGISTERS_MAX
#define FA_FRAGMENT_REGISTERS_MAX 72
#endif

#define THREADS   (NUM_WARPS * 32)
#define WARP_ROWS (BLOCK_M / NUM_WARPS)
#define M_TILES   (WARP_ROWS / 16)
#define LN2       0.69314718055994531f
#define LOG2_E    1.4426950408889634f

static_assert(WARP_ROWS % 16 == 0 && WARP_ROWS > 0, "a warp owns whole tiles of 16 rows");

struct fa_problem {
    struct cuda_attention attention;
    uint32_t tile_count; // of one head
    float scale_log2;    // scale x log2(e)
    int32_t work_pct;    // WORK_TEST: how much is repeated
};

template <int D> struct fa_shape {
    static constexpr int row_bytes = D * FA_ELEMENT_BYTES;
    using layout = FA_LAYOUT<row_bytes / MMA_CHUNK_BYTES>;
    static constexpr int k_steps = row_bytes / 32; // of Q K^T: 32 bytes of the dimensions each
    static constexpr int d_tiles = D / 8;
    static constexpr int n_tiles = BLOCK_N / 8;
    static constexpr int tile_bytes = BLOCK_N * row_bytes;
    static constexpr int q_bytes = BLOCK_M * row_bytes;
    static constexpr int shared_bytes = q_bytes + STAGES * 2 * tile_bytes;
    // D = 64 with 16 rows a warp fits 128 registers: 16 warps a multiprocessor.
    static constexpr int min_blocks = D == 64 && M_TILES == 1 && BLOCK_N <= 64 ? 16 / NUM_WARPS : 1;
    static constexpr bool is_q_in_registers =
        M_TILES * (k_steps * 4 + d_tiles * 4 + n_tiles * 4) <= FA_FRAGMENT_REGISTERS_MAX;
};

// One thread's view of its tile. Rows are pairs: index 2 i + r is row 16 i + 8 r + lane / 4 of the warp's rows. Which columns
// of O a thread has is between fa_output, fa_absorb_special and fa_store.
template <int D> struct fa_thread {
    float o[M_TILES][fa_shape<D>::d_tiles][4];
    float max_log2[M_TILES * 2]; // running maximum of the scaled scores, in base 2; -inf at first
    float sum[M_TILES * 2];      // of this thread's columns
    int first_row;               // of this thread, in the head
    uint32_t q[fa_shape<D>::is_q_in_registers ? M_TILES : 1][fa_shape<D>::k_steps][4];
    uint32_t q_flip;   // fp8: exclusive-or with every register of Q
    uint32_t shared_q; // shared addresses; Q of this warp's rows
    float scale_log2;  // of this head's scores; above 0
    int lane;
};

// What the warp works on: rows from first_row on of a head.
struct fa_place {
    int batch, head;
    int first_row;
};

// All of the block's shared memory is dynamic: Q's tile, then K and V of each stage.
__device__ __forceinline__ uint32_t fa_shared_first() {
    return mma_shared_address(thread_block_shared<256>()); // a row of 256 bytes: mma_swizzled
}
__device__ __forceinline__ char *fa_shared_pointer(uint32_t shared) {
    return reinterpret_cast<char *>(thread_block_shared<256>()) + (shared - fa_shared_first());
}

// Rows [first, first + row_count) of a tensor's head into a tile; rows from row_end on become 0.
template <int D, int row_count>
__device__ __forceinline__ void fa_load_tile(uint32_t shared, const char *head, int64_t stride_bytes,
                                             int first, int row_end) {
    using layout = typename fa_shape<D>::layout;
    constexpr int chunks = layout::chunks, rows_a_pass = THREADS / chunks;
    static_assert(row_count % rows_a_pass == 0 || row_count < rows_a_pass, "passes are whole");
    const int chunk = (int)threadIdx.x % chunks, row_of_thread = (int)threadIdx.x / chunks;
#pragma unroll
    for (int pass = 0; pass < row_count; pass += rows_a_pass) {
        const int row = pass + row_of_thread;
        if (row_count < rows_a_pass && row >= row_count) break;
        const bool is_inside = first + row < row_end;
        const char *from =
            head + (is_inside ? (int64_t)(first + row) * stride_bytes + chunk * MMA_CHUNK_BYTES : 0);
        FA_COPY(shared + layout::at((uint32_t)row, (uint32_t)chunk) * MMA_CHUNK_BYTES, from, is_inside);
    }
}

// Q of the warp's rows from 16 i on, 32 bytes from 32 step.
template <int D>
__device__ __forceinline__ void fa_query(uint32_t (&ret)[4], const fa_thread<D> &self, int i, int step) {
    mma_tile_a<typename fa_shape<D>::layout>(ret, self.shared_q, 16 * i, step, self.lane);
    if constexpr (FA_ELEMENT_BYTES == 1)
#pragma unroll
        for (int e = 0; e < 4; ++e) ret[e] ^= self.q_flip;
}

// s += Q K^T.
template <typename T, int D>
__device__ __forceinline__ void fa_scores(float (&s)[M_TILES][fa_shape<D>::n_tiles][4],
                                          const fa_thread<D> &self, uint32_t shared_k) {
    using shape = fa_shape<D>;
#pragma unroll
    for (int step = 0; step < shape::k_steps; ++step) {
        uint32_t a[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            if constexpr (shape::is_q_in_registers) {
#pragma unroll
                for (int e = 0; e < 4; ++e) a[i][e] = self.q[i][step][e];
            } else {
                fa_query<D>(a[i], self, i, step);
            }
        }
#pragma unroll
        for (int n = 0; n < shape::n_tiles; n += 2) {
            uint32_t b[4];
            mma_tile_b_columns<typename shape::layout>(b, shared_k, 8 * n, step, self.lane);
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                mma_multiply(s[i][n], a[i], b[0], b[1], T());
                mma_multiply(s[i][n + 1], a[i], b[2], b[3], T());
            }
        }
    }
}

// How many keys, from the first, the thread's row sees. Asked where a block has keys that some row does not see, and at the end: it
// costs a few additions there, and a register a row all the way if it were kept.
template <int D>
__device__ __forceinline__ int fa_visible(const fa_thread<D> &self, const fa_problem &problem, int row) {
    return attention_device_visible(problem.attention.args, self.first_row + 8 * row);
}

// Scores of keys that a row does not see become -inf: masked ones and those past the last key.
template <int D>
__device__ __forceinline__ void fa_mask(float (&s)[M_TILES][fa_shape<D>::n_tiles][4],
                                        const fa_thread<D> &self, const fa_problem &problem, int first_key) {
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        // from this thread's first column
        const int left = fa_visible<D>(self, problem, row) - first_key;
        const int visible = (left < BLOCK_N ? left : BLOCK_N) - 2 * (self.lane & 3);
#pragma unroll
        for (int n = 0; n < fa_shape<D>::n_tiles; ++n)
#pragma unroll
            for (int e = 0; e < 2; ++e)
                if (8 * n + e >= visible) s[row >> 1][n][2 * (row & 1) + e] = -INFINITY;
    }
}

// s becomes exp2(scaled score - maximum); O and the sums are scaled to the new maximum.
template <int D>
__device__ __forceinline__ void fa_softmax(float (&s)[M_TILES][fa_shape<D>::n_tiles][4], fa_thread<D> &self) {
    using shape = fa_shape<D>;
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        const int i = row >> 1, at = 2 * (row & 1);
        float max = s[i][0][at]; // fmaxf passes over a NaN; it reaches the sum below
#pragma unroll
        for (int n = 0; n < shape::n_tiles; ++n) max = fmaxf(max, fmaxf(s[i][n][at], s[i][n][at + 1]));
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
        max = fmaxf(self.max_log2[row], max * self.scale_log2);
        const float reference = max == -INFINITY ? 0.0f : max; // only -inf so far: weights 0, not NaN
        const float shrink = mma_exp2(self.max_log2[row] - reference);
        self.max_log2[row] = max;
        float sum = 0.0f;
#pragma unroll
        for (int n = 0; n < shape::n_tiles; ++n)
#pragma unroll
            for (int e = at; e < at + 2; ++e) {
                s[i][n][e] = mma_exp2(fmaf(s[i][n][e], self.scale_log2, -reference));
                sum += s[i][n][e];
            }
        self.sum[row] = self.sum[row] * shrink + sum;
#pragma unroll
        for (int d = 0; d < shape::d_tiles; ++d) {
            self.o[i][d][at] *= shrink;
            self.o[i][d][at + 1] *= shrink;
        }
    }
}

// The row's sum over all keys, its log-sum-exp written; ret_factor turns O into the output. False: it saw no key, 0 is the output.
template <int D>
__device__ __forceinline__ bool fa_end_row(const fa_thread<D> &self, const fa_problem &problem,
                                           const fa_place &place, int row, float *ret_factor) {
    const struct attention_args &args = problem.attention.args;
    const int row_of_head = place.first_row + 8 * row + (self.lane >> 2);
    float sum = self.sum[row];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const bool has_keys = fa_visible<D>(self, problem, row) > 0;
    const float max = self.max_log2[row];
    float *lse = problem.attention.data.lse;
    if (lse && (self.lane & 3) == 0 && row_of_head < args.seq_q)
        lse[((int64_t)place.batch * args.heads + place.head) * args.seq_q + row_of_head] =
            has_keys ? (max == -INFINITY ? 0.0f : max) * LN2 + logf(sum) : -INFINITY;
    *ret_factor = 1.0f / sum; // a row of -inf only: 0 x inf, NaN
    return has_keys;
}

#endif
