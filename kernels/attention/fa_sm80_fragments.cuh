// SPDX-License-Identifier: Apache-2.0
//
// Register fragments of the mma.sync kernels: build configuration, what one thread holds of Q, of the
// scores and of O, loads of tiles, Q K^T, mask and online softmax. A kernel (fa_sm80*.cu, fp8_sm89.cu) is
// put together in this order:
//   1. macros that define it: FA_SM80_NAME, FA_SM80_SUMMARY, FA_SM80_ELEMENT_BYTES (of Q, K and V),
//      FA_SM80_LAYOUT (of tiles in shared memory), FA_SM80_COPY (into them), and its own defaults of the
//      configuration;
//   2. this file;
//   3. three functions: fa_sm80_pv (O += P V), fa_sm80_absorb_nonfinite and fa_sm80_store_o: those of
//      fa_sm80_epilogue.cuh and fa_sm80_pv_mma.cuh, or its own;
//   4. fa_sm80_mainloop.cuh (loop over the key blocks, device function) and fa_sm80_host.cuh (the ABI).
#ifndef ATTENTION_FA_SM80_FRAGMENTS_CUH
#define ATTENTION_FA_SM80_FRAGMENTS_CUH

#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/attention_device.cuh"
#include "attention/attention_host.cuh"
#include "common/mma_sm80.cuh"
#include "common/mma_tile.cuh"
#include "common/thread_block.cuh"

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
// Q stays in registers if the fragments of Q, O and S take at most this many registers; otherwise Q is read
// from shared memory again for every key block.
#ifndef FA_SM80_FRAGMENT_REGISTERS_MAX
#define FA_SM80_FRAGMENT_REGISTERS_MAX 72
#endif

#define THREADS   (NUM_WARPS * 32)
#define WARP_ROWS (BLOCK_M / NUM_WARPS)
#define M_TILES   (WARP_ROWS / 16)
#define LN2       0.69314718055994531f
#define LOG2_E    1.4426950408889634f

static_assert(WARP_ROWS % 16 == 0 && WARP_ROWS > 0, "a warp owns a multiple of 16 rows");

struct fa_sm80_problem {
    struct cuda_attention attention;
    uint32_t tiles_per_head;
    float scale_log2; // scale x log2(e)
    int32_t work_pct; // WORK_TEST: how much is repeated

    int read_data(const struct assay_tensors *tensors, struct assay_message *message) {
        return attention_data_read(tensors, &attention.data, message);
    }
};

template <int D> struct fa_sm80_traits {
    static constexpr int row_bytes = D * FA_SM80_ELEMENT_BYTES;
    using layout = FA_SM80_LAYOUT<row_bytes / MMA_CHUNK_BYTES>;
    static constexpr int k_steps = row_bytes / 32; // k steps of Q K^T, 32 bytes each
    static constexpr int d_tiles = D / 8;
    static constexpr int n_tiles = BLOCK_N / 8;
    static constexpr int tile_bytes = BLOCK_N * row_bytes;
    static constexpr int q_bytes = BLOCK_M * row_bytes;
    static constexpr int shared_bytes = q_bytes + STAGES * 2 * tile_bytes;
    // D = 64 with 16 rows a warp fits 128 registers: 16 warps an SM.
    static constexpr int min_blocks = D == 64 && M_TILES == 1 && BLOCK_N <= 64 ? 16 / NUM_WARPS : 1;
    static constexpr bool is_q_in_registers =
        M_TILES * (k_steps * 4 + d_tiles * 4 + n_tiles * 4) <= FA_SM80_FRAGMENT_REGISTERS_MAX;
};

// A thread's fragments. Row index 2 i + r is row 16 i + 8 r + lane / 4 of the warp's rows. Which columns of O
// a thread holds is up to fa_sm80_pv, fa_sm80_absorb_nonfinite and fa_sm80_store_o.
template <int D> struct fa_sm80_fragments {
    float o[M_TILES][fa_sm80_traits<D>::d_tiles][4];
    float max_log2[M_TILES * 2]; // running maximum of the scaled scores, base 2; initially -inf
    float sum[M_TILES * 2];      // row sum over this thread's columns
    int first_row;               // this thread's first row in the head
    uint32_t q[fa_sm80_traits<D>::is_q_in_registers ? M_TILES : 1][fa_sm80_traits<D>::k_steps][4];
    uint32_t q_flip;   // fp8: sign flip, XORed into every register of Q
    uint32_t shared_q; // shared memory address of Q, this warp's rows
    float scale_log2;  // factor of this head's scores, above 0
    int lane;
};

// The rows of a head that a warp works on.
struct fa_sm80_tile {
    int batch, head;
    int first_row;
};

// All shared memory is dynamic: the tile of Q, then K and V of each stage.
__device__ __forceinline__ uint32_t fa_sm80_shared_base() {
    return smem_address(thread_block_shared<256>()); // mma_swizzled: aligned to a row of 256 bytes
}
__device__ __forceinline__ char *fa_sm80_shared_pointer(uint32_t shared) {
    return reinterpret_cast<char *>(thread_block_shared<256>()) + (shared - fa_sm80_shared_base());
}

// Loads rows [first, first + row_count) of a head into a tile; rows from row_end on become 0.
template <int D, int row_count>
__device__ __forceinline__ void fa_sm80_load_tile(uint32_t shared, const char *head, int64_t stride_bytes,
                                                  int first, int row_end) {
    using layout = typename fa_sm80_traits<D>::layout;
    constexpr int chunks = layout::chunks, rows_a_pass = THREADS / chunks;
    static_assert(row_count % rows_a_pass == 0 || row_count < rows_a_pass,
                  "whole passes, or one partial pass");
    const int chunk = (int)threadIdx.x % chunks, row_of_thread = (int)threadIdx.x / chunks;
#pragma unroll
    for (int pass = 0; pass < row_count; pass += rows_a_pass) {
        const int row = pass + row_of_thread;
        if (row_count < rows_a_pass && row >= row_count) break;
        const bool is_inside = first + row < row_end;
        const char *from =
            head + (is_inside ? (int64_t)(first + row) * stride_bytes + chunk * MMA_CHUNK_BYTES : 0);
        FA_SM80_COPY(shared + layout::at((uint32_t)row, (uint32_t)chunk) * MMA_CHUNK_BYTES, from, is_inside);
    }
}

// A fragment of Q: the warp's rows from 16 i on, 32 bytes from byte 32 step.
template <int D>
__device__ __forceinline__ void fa_sm80_load_q_fragment(uint32_t (&ret)[4], const fa_sm80_fragments<D> &self,
                                                        int i, int step) {
    mma_fragment_a<typename fa_sm80_traits<D>::layout>(ret, self.shared_q, 16 * i, step, self.lane);
    if constexpr (FA_SM80_ELEMENT_BYTES == 1)
#pragma unroll
        for (int e = 0; e < 4; ++e) ret[e] ^= self.q_flip;
}

// s += Q K^T.
template <typename T, int D>
__device__ __forceinline__ void fa_sm80_qk(float (&s)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                           const fa_sm80_fragments<D> &self, uint32_t shared_k) {
    using traits = fa_sm80_traits<D>;
#pragma unroll
    for (int step = 0; step < traits::k_steps; ++step) {
        uint32_t a[M_TILES][4];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            if constexpr (traits::is_q_in_registers) {
#pragma unroll
                for (int e = 0; e < 4; ++e) a[i][e] = self.q[i][step][e];
            } else {
                fa_sm80_load_q_fragment<D>(a[i], self, i, step);
            }
        }
#pragma unroll
        for (int n = 0; n < traits::n_tiles; n += 2) {
            uint32_t b[4];
            mma_fragment_b<typename traits::layout>(b, shared_k, 8 * n, step, self.lane);
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                mma_sync(s[i][n], a[i], b[0], b[1], T());
                mma_sync(s[i][n + 1], a[i], b[2], b[3], T());
            }
        }
    }
}

// Keys that the thread's row sees. Computed for masked blocks and at the end, a few additions each time;
// keeping it would cost a register a row throughout.
template <int D>
__device__ __forceinline__ int fa_sm80_visible_keys(const fa_sm80_fragments<D> &self,
                                                    const fa_sm80_problem &problem, int row) {
    return attention_device_visible(problem.attention.args, self.first_row + 8 * row);
}

// Scores of masked keys and of those past the last key become -inf.
template <int D>
__device__ __forceinline__ void fa_sm80_mask(float (&s)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                             const fa_sm80_fragments<D> &self, const fa_sm80_problem &problem,
                                             int first_key) {
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        // Relative to this thread's first column.
        const int left = fa_sm80_visible_keys<D>(self, problem, row) - first_key;
        const int visible = (left < BLOCK_N ? left : BLOCK_N) - 2 * (self.lane & 3);
#pragma unroll
        for (int n = 0; n < fa_sm80_traits<D>::n_tiles; ++n)
#pragma unroll
            for (int e = 0; e < 2; ++e)
                if (8 * n + e >= visible) s[row >> 1][n][2 * (row & 1) + e] = -INFINITY;
    }
}

// Online softmax: s becomes P = exp2(scaled score - maximum); O and the row sums are rescaled to the new
// maximum.
template <int D>
__device__ __forceinline__ void fa_sm80_softmax(float (&s)[M_TILES][fa_sm80_traits<D>::n_tiles][4],
                                                fa_sm80_fragments<D> &self) {
    using traits = fa_sm80_traits<D>;
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        const int i = row >> 1, at = 2 * (row & 1);
        float max = s[i][0][at]; // fmaxf ignores NaN, which reaches the sum below
#pragma unroll
        for (int n = 0; n < traits::n_tiles; ++n) max = fmaxf(max, fmaxf(s[i][n][at], s[i][n][at + 1]));
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
        max = fmaxf(self.max_log2[row], max * self.scale_log2);
        const float shift = max == -INFINITY ? 0.0f : max; // only -inf so far: P is 0, not NaN
        const float rescale = exp2_approx(self.max_log2[row] - shift);
        self.max_log2[row] = max;
        float sum = 0.0f;
#pragma unroll
        for (int n = 0; n < traits::n_tiles; ++n)
#pragma unroll
            for (int e = at; e < at + 2; ++e) {
                s[i][n][e] = exp2_approx(fmaf(s[i][n][e], self.scale_log2, -shift));
                sum += s[i][n][e];
            }
        self.sum[row] = self.sum[row] * rescale + sum;
#pragma unroll
        for (int d = 0; d < traits::d_tiles; ++d) {
            self.o[i][d][at] *= rescale;
            self.o[i][d][at + 1] *= rescale;
        }
    }
}

// Finishes a row: sums over its four threads, writes the log-sum-exp, returns the factor that normalises O.
// False: the row sees no key, and its O is 0.
template <int D>
__device__ __forceinline__ bool fa_sm80_finalize_row(const fa_sm80_fragments<D> &self,
                                                     const fa_sm80_problem &problem, const fa_sm80_tile &tile,
                                                     int row, float *ret_factor) {
    const struct attention_args &args = problem.attention.args;
    const int row_of_head = tile.first_row + 8 * row + (self.lane >> 2);
    float sum = self.sum[row];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const bool has_keys = fa_sm80_visible_keys<D>(self, problem, row) > 0;
    const float max = self.max_log2[row];
    float *lse = problem.attention.data.lse;
    if (lse && (self.lane & 3) == 0 && row_of_head < args.seq_q)
        lse[((int64_t)tile.batch * args.heads + tile.head) * args.seq_q + row_of_head] =
            has_keys ? (max == -INFINITY ? 0.0f : max) * LN2 + logf(sum) : -INFINITY;
    *ret_factor = 1.0f / sum; // only -inf scores: 0 x inf = NaN
    return has_keys;
}

#endif
