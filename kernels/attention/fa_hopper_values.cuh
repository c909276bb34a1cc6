// SPDX-License-Identifier: Apache-2.0
//
// The copying warpgroup of a kernel for Hopper whose V does not lie in memory as the products take it. One thread of its first warp
// keeps the copy engine at work; the other three warps bring V from where it arrives (raw) into the ring, widened.
// A stage of the ring holds V of one block and K of the block behind it, as in fa_hopper_copy.cuh; it is full when K has arrived
// and all three warps have done their part of V. The first stage has no V, the last one no K.
//
// shape: as in fa_hopper_copy.cuh; key_bytes, raw_stages, column_bytes. shared: k, v, raw,
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
    using base::base, base::block, base::keys, base::places, base::problem, base::q, base::q_tile, base::ring,
        base::shared;
    fa_ring<shape::raw_stages> raw;

    // Q of a tile and its scales, whose loads take their time while the first copies run.
    __device__ __forceinline__ void copy_q() {
        const hopper_place tile = base::copy_q();
        const int head_kv = fa_head_kv(problem, tile.head);
        float score = fa_score_factor(problem, tile.batch, tile.head, head_kv);
        if (fabsf(score) < FA_TINY) score = FA_TINY;
        shared.score_factor[q.slot] = score;
        shared.value_factor[places.slot] = fa_value_factor(problem, tile.batch, head_kv);
        for (uint64_t &full : shared.q_full[q.slot]) hopper_barrier_arrive(&full);
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
        if (block.is_empty()) return;
        copy_k();
        copy_v();
        copy_q();
        hopper_prefetch_map(&problem.o);
    }

    __device__ __forceinline__ void run() {
        if (block.is_empty()) return;
        base::next_q();
        raw.next();
        for (;;) {
            ring.next();
            const bool has_next = base::next();
            hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
            if (!has_next) break;
            copy_k();
            hopper_barrier_wait(&shared.raw_empty[raw.slot], raw.turn ^ 1);
            copy_v();
            if (base::may_copy_q()) {
                copy_q();
                base::next_q();
            }
        }
        hopper_barrier_arrive(&shared.full[ring.slot]);
    }
};

// ---- the warps that bring V into place ----

// V widened, exactly; keys in rows, 64 dimensions a column. A lane takes 16 bytes.
template <typename shape>
__device__ __forceinline__ void fa_place_values(uint32_t to, uint32_t raw, int warp, int lane) {
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
    fa_block<shape> block(problem);
    if (block.is_empty()) return;
    if (lane == 0) hopper_barrier_arrive(&shared.full[0]);
    bool has_next = true;
    while (has_next) {
        ring.next();
        hopper_barrier_wait(&shared.raw_full[raw.slot], raw.turn);
        hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
        fa_place_values<shape>(hopper_shared(shared.v[ring.slot]), hopper_shared(shared.raw[raw.slot]), warp,
                               lane);
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
