// SPDX-License-Identifier: Apache-2.0
//
// Main loop of the mma.sync kernels: loads of K and V through STAGES buffers (cp.async), one iteration a key
// block, and the device function. How a kernel is put together: fa_sm80_fragments.cuh.
#ifndef ATTENTION_FA_SM80_MAINLOOP_CUH
#define ATTENTION_FA_SM80_MAINLOOP_CUH

#include <float.h>

#include "attention/fa_sm80_fragments.cuh"
#include "attention/fa_sm80_work_test.cuh"

// K and V of a thread block's head, and their buffers in shared memory.
struct fa_sm80_kv_source {
    const char *k, *v;          // first key of the head
    int64_t k_stride, v_stride; // bytes
    int seq_k;
    uint32_t shared; // address of the first stage
    int block_count;
};

template <int D>
__device__ __forceinline__ uint32_t fa_sm80_stage_address(const fa_sm80_kv_source &source, int block) {
    return source.shared + (uint32_t)(block % STAGES) * 2u * fa_sm80_traits<D>::tile_bytes;
}

template <int D> __device__ __forceinline__ void fa_sm80_load_k(const fa_sm80_kv_source &source, int block) {
    fa_sm80_load_tile<D, BLOCK_N>(fa_sm80_stage_address<D>(source, block), source.k, source.k_stride,
                                  block * BLOCK_N, source.seq_k);
}

template <int D> __device__ __forceinline__ void fa_sm80_load_v(const fa_sm80_kv_source &source, int block) {
    fa_sm80_load_tile<D, BLOCK_N>(fa_sm80_stage_address<D>(source, block) + fa_sm80_traits<D>::tile_bytes,
                                  source.v, source.v_stride, block * BLOCK_N, source.seq_k);
}

// Prologue: starts the first stages, and loads the fragments of Q if they stay in registers. The copies of Q
// are an earlier group of their own.
template <int D>
__device__ __forceinline__ void fa_sm80_prologue(fa_sm80_fragments<D> &self,
                                                 const fa_sm80_kv_source &source) {
    if constexpr (STAGES == 1) {
        if (source.block_count > 0) fa_sm80_load_k<D>(source, 0);
        cp_async_commit_group();
    }
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < source.block_count) {
            fa_sm80_load_k<D>(source, stage);
            fa_sm80_load_v<D>(source, stage);
        }
        cp_async_commit_group();
    }
    if constexpr (fa_sm80_traits<D>::is_q_in_registers) {
        cp_async_wait_group<(STAGES > 1 ? STAGES - 1 : 1)>(); // Q's group is the oldest
        __syncthreads();
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
#pragma unroll
            for (int step = 0; step < fa_sm80_traits<D>::k_steps; ++step)
                fa_sm80_load_q_fragment<D>(self.q[i][step], self, i, step);
    }
}

template <typename T, int D, bool is_masked>
__device__ __forceinline__ void fa_sm80_mainloop_step(fa_sm80_fragments<D> &self,
                                                      const fa_sm80_kv_source &source, int block,
                                                      const fa_sm80_problem &problem, float &repeated) {
    const uint32_t shared_k = fa_sm80_stage_address<D>(source, block),
                   shared_v = shared_k + fa_sm80_traits<D>::tile_bytes;
    float s[M_TILES][fa_sm80_traits<D>::n_tiles][4] = {};
    if constexpr (STAGES == 1) {
        cp_async_wait_group<0>(); // this K has arrived
        __syncthreads();          // all warps have read the previous V
        fa_sm80_load_v<D>(source, block);
        cp_async_commit_group();
    } else {
        cp_async_wait_group<STAGES - 2>(); // this K and V have arrived
        __syncthreads();                   // all warps have read the buffers that are filled next
        if (block + STAGES - 1 < source.block_count) {
            fa_sm80_load_k<D>(source, block + STAGES - 1);
            fa_sm80_load_v<D>(source, block + STAGES - 1);
        }
        cp_async_commit_group(); // possibly empty: the wait counts groups
    }
    fa_sm80_qk<T, D>(s, self, shared_k);
    if constexpr (is_masked) fa_sm80_mask<D>(s, self, problem, block * BLOCK_N);
    fa_sm80_softmax<D>(s, self);
    if constexpr (STAGES == 1) {
        cp_async_wait_group<0>(); // this V has arrived
        __syncthreads();          // all warps have read this K
        if (!WORK_TEST && block + 1 < source.block_count) fa_sm80_load_k<D>(source, block + 1);
        if (!WORK_TEST) cp_async_commit_group();
    }
    if constexpr (is_masked)
        if (problem.attention.args.mask != ATTENTION_MASK_NONE)
            fa_sm80_absorb_nonfinite<T, D>(self, problem, shared_v, block * BLOCK_N);
    fa_sm80_pv<T, D>(self, s, shared_v);
    if constexpr (WORK_TEST != 0)
        repeated += fa_sm80_repeat_work<T, D>(self, block, problem.work_pct, shared_k, shared_v);
    if constexpr (STAGES == 1 && WORK_TEST != 0) { // the repeated work still read K
        __syncthreads();
        if (block + 1 < source.block_count) fa_sm80_load_k<D>(source, block + 1);
        cp_async_commit_group();
    }
}

// The factor of this head's scores; in fp8 it includes the scales of Q and K. If it is below 0 its magnitude
// is used and Q changes sign.
template <int D>
__device__ __forceinline__ void fa_sm80_set_scale(fa_sm80_fragments<D> &self, const fa_sm80_problem &problem,
                                                  const fa_sm80_tile &tile) {
    self.scale_log2 = problem.scale_log2;
    if constexpr (FA_SM80_ELEMENT_BYTES == 1) {
        const struct attention_args &args = problem.attention.args;
        const struct attention_data &data = problem.attention.data;
        float factor = problem.scale_log2;
        if (data.q_scale) factor *= data.q_scale[tile.batch * args.heads + tile.head];
        if (data.k_scale) factor *= data.k_scale[tile.batch * args.heads_kv + tile.head / args.group];
        self.q_flip = factor < 0.0f ? 0x80808080u : 0u;
        factor = fabsf(factor);
        self.scale_log2 = factor < FLT_MIN ? FLT_MIN : factor; // 0 times a masked -inf score is NaN
    }
}

// A thread block's tile: the tiles of a head are neighbours, the one with the most keys first.
__device__ __forceinline__ fa_sm80_tile fa_sm80_find_tile(const fa_sm80_problem &problem) {
    const uint32_t block = thread_block_number();
    const uint32_t head_index = block / problem.tiles_per_head,
                   heads = (uint32_t)problem.attention.args.heads;
    const int tile = (int)(problem.tiles_per_head - 1 - block % problem.tiles_per_head);
    return {(int)(head_index / heads), (int)(head_index % heads),
            tile * BLOCK_M + (int)threadIdx.x / 32 * WARP_ROWS};
}

template <typename T, int D>
__global__ void __launch_bounds__(THREADS, fa_sm80_traits<D>::min_blocks)
    fa_sm80_kernel(const __grid_constant__ fa_sm80_problem problem) {
    using traits = fa_sm80_traits<D>;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const fa_sm80_tile tile = fa_sm80_find_tile(problem);
    const int warp = (int)threadIdx.x / 32, first_row = tile.first_row - warp * WARP_ROWS;
    const int seq_q = (int)args.seq_q;
    const int last_row = first_row + BLOCK_M < seq_q ? first_row + BLOCK_M - 1 : seq_q - 1;
    const int block_count = (attention_device_visible(args, last_row) + BLOCK_N - 1) / BLOCK_N;
    const int unmasked_count = attention_device_visible(args, first_row) / BLOCK_N;

    fa_sm80_fragments<D> self;
    self.lane = (int)threadIdx.x % 32;
    self.shared_q = fa_sm80_shared_base() + (uint32_t)(warp * WARP_ROWS * traits::row_bytes);
    self.first_row = tile.first_row + (self.lane >> 2);
    fa_sm80_set_scale<D>(self, problem, tile);
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        self.max_log2[row] = -INFINITY;
        self.sum[row] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
#pragma unroll
        for (int d = 0; d < traits::d_tiles; ++d)
#pragma unroll
            for (int e = 0; e < 4; ++e) self.o[i][d][e] = 0.0f;

    const fa_sm80_kv_source source = {
        data.k + attention_device_head(args.k, tile.batch, tile.head / args.group),
        data.v + attention_device_head(args.v, tile.batch, tile.head / args.group),
        args.k.stride_row * FA_SM80_ELEMENT_BYTES,
        args.v.stride_row * FA_SM80_ELEMENT_BYTES,
        (int)args.seq_k,
        fa_sm80_shared_base() + (uint32_t)traits::q_bytes,
        block_count};
    fa_sm80_load_tile<D, BLOCK_M>(fa_sm80_shared_base(),
                                  data.q + attention_device_head(args.q, tile.batch, tile.head),
                                  args.q.stride_row * FA_SM80_ELEMENT_BYTES, first_row, seq_q);
    cp_async_commit_group();
    fa_sm80_prologue<D>(self, source);
    float repeated = 0.0f;
    int block = 0;
    for (; block < unmasked_count; ++block)
        fa_sm80_mainloop_step<T, D, false>(self, source, block, problem, repeated);
    for (; block < block_count; ++block)
        fa_sm80_mainloop_step<T, D, true>(self, source, block, problem, repeated);
    cp_async_wait_group<0>();
    __syncthreads(); // the buffer of Q, filled by all warps, becomes the staging buffer of O
    // No arithmetic gives a NaN with this payload: the condition only keeps the repeated products alive.
    if (WORK_TEST != 0 && __float_as_uint(repeated) == 0x7fc0a55au) self.sum[0] += repeated;
    // The tile is computed again: kept over the loop, it would take registers.
    fa_sm80_store_o<T, D>(self, problem, fa_sm80_find_tile(problem));
}

#endif
