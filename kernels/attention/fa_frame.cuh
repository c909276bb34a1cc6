// SPDX-License-Identifier: Apache-2.0
//
// The frame of the mma.sync kernels: copies of K and V through STAGES buffers, one key block, and the device function. Place in a
// kernel: fa_thread.cuh.
#ifndef ATTENTION_FA_FRAME_CUH
#define ATTENTION_FA_FRAME_CUH

#include "attention/fa_repeat.cuh" // fa_repeat: for WORK_TEST
#include "attention/fa_thread.cuh"

#include <float.h>

// Where one thread block's K and V come from.
struct fa_source {
    const char *k, *v;          // of the head
    int64_t k_stride, v_stride; // bytes
    int seq_k;
    uint32_t shared; // address of K and V of the first stage
    int block_count;
};

template <int D> __device__ __forceinline__ uint32_t fa_stage_k(const fa_source &source, int block) {
    return source.shared + (uint32_t)(block % STAGES) * 2u * fa_shape<D>::tile_bytes;
}

template <int D> __device__ __forceinline__ void fa_load_keys(const fa_source &source, int block) {
    fa_load_tile<D, BLOCK_N>(fa_stage_k<D>(source, block), source.k, source.k_stride, block * BLOCK_N,
                             source.seq_k);
}

template <int D> __device__ __forceinline__ void fa_load_values(const fa_source &source, int block) {
    fa_load_tile<D, BLOCK_N>(fa_stage_k<D>(source, block) + fa_shape<D>::tile_bytes, source.v,
                             source.v_stride, block * BLOCK_N, source.seq_k);
}

// Before the first key block: Q as a group of copies, then the stages that come first.
template <int D> __device__ __forceinline__ void fa_begin(fa_thread<D> &self, const fa_source &source) {
    if constexpr (STAGES == 1) {
        if (source.block_count > 0) fa_load_keys<D>(source, 0);
        mma_copy_commit();
    }
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < source.block_count) {
            fa_load_keys<D>(source, stage);
            fa_load_values<D>(source, stage);
        }
        mma_copy_commit();
    }
    if constexpr (fa_shape<D>::is_q_in_registers) {
        mma_copy_wait<(STAGES > 1 ? STAGES - 1 : 1)>(); // Q's group is the oldest
        __syncthreads();
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
#pragma unroll
            for (int step = 0; step < fa_shape<D>::k_steps; ++step)
                fa_query<D>(self.q[i][step], self, i, step);
    }
}

template <typename T, int D, bool is_masked>
__device__ __forceinline__ void fa_block(fa_thread<D> &self, const fa_source &source, int block,
                                         const fa_problem &problem, float &repeated) {
    const uint32_t shared_k = fa_stage_k<D>(source, block), shared_v = shared_k + fa_shape<D>::tile_bytes;
    float s[M_TILES][fa_shape<D>::n_tiles][4] = {};
    if constexpr (STAGES == 1) {
        mma_copy_wait<0>(); // this K
        __syncthreads();    // and everybody is done with the V before
        fa_load_values<D>(source, block);
        mma_copy_commit();
    } else {
        mma_copy_wait<STAGES - 2>(); // this K and V
        __syncthreads();             // and everybody is done with the buffers that are filled now
        if (block + STAGES - 1 < source.block_count) {
            fa_load_keys<D>(source, block + STAGES - 1);
            fa_load_values<D>(source, block + STAGES - 1);
        }
        mma_copy_commit(); // an empty group too: the count of groups stays right
    }
    fa_scores<T, D>(s, self, shared_k);
    if constexpr (is_masked) fa_mask<D>(s, self, problem, block * BLOCK_N);
    fa_softmax<D>(s, self);
    if constexpr (STAGES == 1) {
        mma_copy_wait<0>(); // this V
        __syncthreads();    // and everybody is done with this K
        if (!WORK_TEST && block + 1 < source.block_count) fa_load_keys<D>(source, block + 1);
        if (!WORK_TEST) mma_copy_commit();
    }
    if constexpr (is_masked)
        if (problem.attention.args.mask != ATTENTION_MASK_NONE)
            fa_absorb_special<T, D>(self, problem, shared_v, block * BLOCK_N);
    fa_output<T, D>(self, s, shared_v);
    if constexpr (WORK_TEST != 0)
        repeated += fa_repeat<T, D>(self, block, problem.work_pct, shared_k, shared_v);
    if constexpr (STAGES == 1 && WORK_TEST != 0) { // the repeated part still needed K
        __syncthreads();
        if (block + 1 < source.block_count) fa_load_keys<D>(source, block + 1);
        mma_copy_commit();
    }
}

// The factor of this head's scores. fp8: with the scales of Q and K; of a product below 0 its size remains, and Q changes sign.
template <int D>
__device__ __forceinline__ void fa_set_scale(fa_thread<D> &self, const fa_problem &problem,
                                             const fa_place &place) {
    self.scale_log2 = problem.scale_log2;
    if constexpr (FA_ELEMENT_BYTES == 1) {
        const struct attention_args &args = problem.attention.args;
        const struct attention_data &data = problem.attention.data;
        float factor = problem.scale_log2;
        if (data.q_scale) factor *= data.q_scale[place.batch * args.heads + place.head];
        if (data.k_scale) factor *= data.k_scale[place.batch * args.heads_kv + place.head / args.group];
        self.q_flip = factor < 0.0f ? 0x80808080u : 0u;
        factor = fabsf(factor);
        self.scale_log2 = factor < FLT_MIN ? FLT_MIN : factor; // 0 times a masked score's -inf is NaN
    }
}

// The tiles of a head follow each other, the one with the most keys first.
__device__ __forceinline__ fa_place fa_find_place(const fa_problem &problem) {
    const uint32_t block = thread_block_number();
    const uint32_t head_index = block / problem.tile_count, heads = (uint32_t)problem.attention.args.heads;
    const int tile = (int)(problem.tile_count - 1 - block % problem.tile_count);
    return {(int)(head_index / heads), (int)(head_index % heads),
            tile * BLOCK_M + (int)threadIdx.x / 32 * WARP_ROWS};
}

template <typename T, int D>
__global__ void __launch_bounds__(THREADS, fa_shape<D>::min_blocks)
    fa_kernel(const __grid_constant__ fa_problem problem) {
    using shape = fa_shape<D>;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const fa_place place = fa_find_place(problem);
    const int warp = (int)threadIdx.x / 32, first_row = place.first_row - warp * WARP_ROWS;
    const int seq_q = (int)args.seq_q;
    const int last_row = first_row + BLOCK_M < seq_q ? first_row + BLOCK_M - 1 : seq_q - 1;
    const int block_count = (attention_device_visible(args, last_row) + BLOCK_N - 1) / BLOCK_N;
    const int unmasked_count = attention_device_visible(args, first_row) / BLOCK_N;

    fa_thread<D> self;
    self.lane = (int)threadIdx.x % 32;
    self.shared_q = fa_shared_first() + (uint32_t)(warp * WARP_ROWS * shape::row_bytes);
    self.first_row = place.first_row + (self.lane >> 2);
    fa_set_scale<D>(self, problem, place);
#pragma unroll
    for (int row = 0; row < M_TILES * 2; ++row) {
        self.max_log2[row] = -INFINITY;
        self.sum[row] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
#pragma unroll
        for (int d = 0; d < shape::d_tiles; ++d)
#pragma unroll
            for (int e = 0; e < 4; ++e) self.o[i][d][e] = 0.0f;

    const fa_source source = {data.k + attention_device_head(args.k, place.batch, place.head / args.group),
                              data.v + attention_device_head(args.v, place.batch, place.head / args.group),
                              args.k.stride_row * FA_ELEMENT_BYTES,
                              args.v.stride_row * FA_ELEMENT_BYTES,
                              (int)args.seq_k,
                              fa_shared_first() + (uint32_t)shape::q_bytes,
                              block_count};
    fa_load_tile<D, BLOCK_M>(fa_shared_first(),
                             data.q + attention_device_head(args.q, place.batch, place.head),
                             args.q.stride_row * FA_ELEMENT_BYTES, first_row, seq_q);
    mma_copy_commit();
    fa_begin<D>(self, source);
    float repeated = 0.0f;
    int block = 0;
    for (; block < unmasked_count; ++block) fa_block<T, D, false>(self, source, block, problem, repeated);
    for (; block < block_count; ++block) fa_block<T, D, true>(self, source, block, problem, repeated);
    mma_copy_wait<0>();
    __syncthreads(); // Q's tile, filled by all warps, may be written over by O
    // A NaN with this payload comes from no arithmetic: the condition only keeps the repeated products alive.
    if (WORK_TEST != 0 && __float_as_uint(repeated) == 0x7fc0a55au) self.sum[0] += repeated;
    // Found again: kept over the loop, the place takes registers there.
    fa_store<T, D>(self, problem, fa_find_place(problem));
}

#endif
