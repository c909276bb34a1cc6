// SPDX-License-Identifier: Apache-2.0
//
// The copying warpgroup of a kernel for Hopper whose V does not lie in memory as the products take it. One thread of its first warp
// keeps the copy engine at work; the other three warps bring V from where it arrives (raw) into the ring, transposed or widened.
// A stage of the ring holds V of one block and K of the block behind it, as in fa_hopper_copy.cuh; it is full when K has arrived
// and all three warps have done their part of V. The first stage has no V, the last one no K.
//
// shape: as in fa_hopper_copy.cuh; is_reverse, step_keys, key_bytes, raw_stages, column_bytes, weight_type. shared: k, v, raw,
// raw_full, raw_empty, q, place, score_factor, value_factor, barriers.
#ifndef ATTENTION_FA_HOPPER_VALUES_CUH
#define ATTENTION_FA_HOPPER_VALUES_CUH

#include "attention/fa_hopper_copy.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"
#include "common/mma_sm89.cuh"
#include "common/mma_tile.cuh"

#include <stdint.h>

#define FA_PLACERS 3 // warps that bring V into place
#define FA_TINY                                                                                              \
    1e-30f // of a factor of scores: a smaller one makes no difference to any weight, and 0 times infinity would

// ---- the thread that copies ----

template <typename shape, typename shared_type> struct fa_raw_copier : fa_copier<shape, shared_type> {
    using base = fa_copier<shape, shared_type>;
    using base::base, base::batch, base::block, base::head, base::keys, base::places, base::problem, base::q,
        base::ring, base::shared;
    fa_ring<shape::raw_stages> raw;

    // The scales of a tile: their loads take their time while the first copies run.
    __device__ __forceinline__ void publish_factors(int q_slot, int place_slot) {
        float score = fa_score_factor(problem, batch, head, keys.head);
        if (fabsf(score) < FA_TINY) score = FA_TINY;
        for (int i = 0; i < 8; ++i) shared.score_factor[q_slot][i] = make_float4(score, score, score, score);
        shared.value_factor[place_slot] = fa_value_factor(problem, batch, keys.head);
        for (uint64_t &full : shared.q_full[q_slot]) hopper_barrier_arrive(&full);
    }

    __device__ __forceinline__ void copy_k() {
        hopper_barrier_expect(&shared.full[ring.slot], shape::key_bytes);
        hopper_copy(hopper_shared(shared.k[ring.slot]), &problem.k, &shared.full[ring.slot], keys);
    }
    __device__ __forceinline__ void copy_v() {
        hopper_barrier_expect(&shared.raw_full[raw.slot], shape::key_bytes);
        hopper_copy(hopper_shared(shared.raw[raw.slot]), &problem.v, &shared.raw_full[raw.slot], keys);
        raw.next();
    }

    // As in fa_copier; V of the block at work too.
    __device__ __forceinline__ void begin() {
        copy_k();
        base::copy_q();
        copy_v();
        hopper_prefetch_map(&problem.o);
        publish_factors(0, 0);
    }

    __device__ __forceinline__ void run() {
        q.next();
        places.next();
        raw.next();
        for (;;) {
            ring.next();
            const bool has_next = base::next();
            hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
            if (!has_next) break;
            copy_k();
            const int q_slot = q.slot, place_slot = places.slot;
            if (block.is_first()) {
                hopper_barrier_wait(&shared.q_empty[q.slot], q.turn ^ 1);
                base::copy_q();
            }
            hopper_barrier_wait(&shared.raw_empty[raw.slot], raw.turn ^ 1);
            copy_v();
            if (block.is_first()) publish_factors(q_slot, place_slot);
        }
        hopper_barrier_arrive(&shared.full[ring.slot]);
    }
};

// ---- the warps that bring V into place ----

// e4m3: both operands of such a product have the depth along their rows, so that V lies transposed, a dimension a row, step_keys
// keys wide. A thread's weights are neighbours 2t, 2t + 1 of each eight keys, and its operand 4t to 4t + 3 of each 16: 16 keys lie
// in the order 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15, and no weight leaves its thread.
// ldmatrix moves pairs of bytes: transposed, a lane gets keys 2t and 2t + 1 of dimensions 2g and 2g + 1; of two such matrices, 8
// keys apart, prmt makes four keys of one dimension, in that order. Lanes of g >= 4 take the odd dimension first, so that the
// eight rows of a stored matrix fall on all banks.
template <typename shape>
__device__ __forceinline__ void fa_place_values(uint32_t to, uint32_t raw, int warp, int lane,
                                                __nv_fp8_e4m3) {
    using layout_from = mma_swizzled<shape::dim / 16>;
    using layout_to = mma_swizzled<shape::step_keys / 16>;
    constexpr int chunks = shape::dim / 16, units_a_step = shape::step_keys / 32;
    const uint32_t first = lane < 16 ? 0x6420 : 0x7531, second = lane < 16 ? 0x7531 : 0x6420;
    const int row = lane % 8, matrix = lane / 8;
    const uint32_t dimension = (uint32_t)(2 * row + ((row >= 4) ^ (matrix & 1)));
#pragma unroll 2
    for (int unit = warp; unit < shape::keys / 32 * chunks; unit += FA_PLACERS) { // 32 keys, 16 dimensions
        const uint32_t chunk = (uint32_t)(unit % chunks), keys = (uint32_t)(unit / chunks);
        uint32_t in[4];
        mma_load_transposed(in, raw + layout_from::at(32 * keys + (uint32_t)lane, chunk) * MMA_CHUNK_BYTES);
        const uint32_t out[4] = {__byte_perm(in[0], in[1], first), __byte_perm(in[0], in[1], second),
                                 __byte_perm(in[2], in[3], first), __byte_perm(in[2], in[3], second)};
        const uint32_t step = keys / units_a_step,
                       chunk_to = 2 * (keys % units_a_step) + (uint32_t)matrix / 2;
        hopper_store_matrices(to + step * (shape::dim * shape::step_keys) +
                                  layout_to::at(16 * chunk + dimension, chunk_to) * MMA_CHUNK_BYTES,
                              out);
    }
}

// fp16: V widened, exactly; keys in rows, 64 dimensions a column. A lane takes 16 bytes.
template <typename shape>
__device__ __forceinline__ void fa_place_values(uint32_t to, uint32_t raw, int warp, int lane, __half) {
    using layout_from = mma_swizzled<shape::dim / 16>;
    using layout_to = mma_swizzled<8>;
    constexpr int chunks = shape::dim / 16;
#pragma unroll 2
    for (int unit = warp; unit < shape::keys * chunks / 32; unit += FA_PLACERS) {
        const uint32_t at = (uint32_t)(32 * unit + lane), chunk = at % chunks, key = at / chunks;
        uint32_t in[4], out[2][4];
        mma_load_chunk(in, raw + layout_from::at(key, chunk) * MMA_CHUNK_BYTES);
        const uint32_t odd = chunk / 4 % 2; // the eight lanes of a row of 128 dimensions meet all banks
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const uint32_t word = odd ? in[2 * (half ^ 1) + i] : in[2 * half + i];
                out[half][2 * i] = mma_widen_pair(word);
                out[half][2 * i + 1] = mma_widen_pair(word >> 16);
            }
        const uint32_t column = to + chunk / 4 * shape::column_bytes, within = chunk % 4 * 2;
        mma_store_chunk(column + layout_to::at(key, within + odd) * MMA_CHUNK_BYTES, out[0]);
        mma_store_chunk(column + layout_to::at(key, within + (odd ^ 1)) * MMA_CHUNK_BYTES, out[1]);
    }
}

template <typename shape, typename shared_type>
__device__ __forceinline__ void fa_place_run(const fa_problem &problem, shared_type &shared, int warp) {
    const int lane = (int)threadIdx.x % 32;
    fa_ring<shape::stages> ring;
    fa_ring<shape::raw_stages> raw;
    fa_block<shape::rows, shape::keys, shape::is_reverse> block(problem);
    if (lane == 0) hopper_barrier_arrive(&shared.full[0]);
    bool has_next = true;
    while (has_next) {
        ring.next();
        hopper_barrier_wait(&shared.raw_full[raw.slot], raw.turn);
        hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
        fa_place_values<shape>(hopper_shared(shared.v[ring.slot]), hopper_shared(shared.raw[raw.slot]), warp,
                               lane, typename shape::weight_type());
        hopper_fence_proxy();
        __syncwarp();
        if (lane == 0) {
            hopper_barrier_arrive(&shared.full[ring.slot]);
            hopper_barrier_arrive(&shared.raw_empty[raw.slot]);
        }
        raw.next();
        has_next = block.next(problem);
    }
}

#endif
