// SPDX-License-Identifier: Apache-2.0
//
// Producer warpgroup of the fp8 kernel, whose V must be converted: P V runs in fp16, so V is widened from
// e4m3. One thread of the first warp issues the TMA loads; the other three warps (V conversion warps)
// widen V from where it arrives (v_fp8) into the K/V ring. A stage of the ring holds V of one key block
// and K of the next one, as in fa_hopper_producer.cuh; it is full when K has arrived and all three warps
// have converted their share of V. The first stage has no V, the last no K.
//
// traits: as in fa_hopper_producer.cuh; k_bytes, v_fp8_stages, atom_column_bytes. shared: k, v, v_fp8,
// v_fp8_full, v_fp8_empty, q, tile_coords, score_scale, v_scale, mbarriers.
#ifndef ATTENTION_FA_HOPPER_FP8_PRODUCER_CUH
#define ATTENTION_FA_HOPPER_FP8_PRODUCER_CUH

#include <stdint.h>

#include "attention/fa_hopper_producer.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"
#include "common/mma_sm89.cuh"
#include "common/mma_tile.cuh"

#define FA_HOPPER_V_CONVERT_WARPS 3

// ---- the producer thread ----

template <typename traits, typename shared_type>
struct fa_hopper_fp8_producer : fa_hopper_producer<traits, shared_type> {
    using base = fa_hopper_producer<traits, shared_type>;
    using base::base, base::block, base::kv_coords, base::tile_pipe, base::problem, base::q_pipe,
        base::q_tile, base::kv_pipe, base::shared;
    fa_hopper_pipeline_state<traits::v_fp8_stages> v_fp8_pipe;

    // Loads Q of a tile and its scales; the latency of the scales hides under the first TMA loads.
    __device__ __forceinline__ void load_q() {
        const tma_coords tile = base::load_q();
        const fa_hopper_scales scales =
            fa_hopper_load_scales(problem, fa_hopper_scale_index(problem, tile.batch, tile.head,
                                                                 fa_hopper_kv_head(problem, tile.head)));
        shared.score_scale[q_pipe.index] = fa_hopper_score_scale(problem, scales);
        shared.v_scale[tile_pipe.index] = scales.v;
        for (uint64_t &full : shared.q_full[q_pipe.index]) mbarrier_arrive(&full);
    }

    __device__ __forceinline__ void load_k() {
        mbarrier_arrive_expect_tx(&shared.full[kv_pipe.index], traits::k_bytes);
        tma_load(smem_address(shared.k[kv_pipe.index]), &problem.k, &shared.full[kv_pipe.index], kv_coords);
    }
    __device__ __forceinline__ void load_v() {
        mbarrier_arrive_expect_tx(&shared.v_fp8_full[v_fp8_pipe.index], traits::k_bytes);
        tma_load(smem_address(shared.v_fp8[v_fp8_pipe.index]), &problem.v,
                 &shared.v_fp8_full[v_fp8_pipe.index], kv_coords);
        v_fp8_pipe.advance();
    }

    // As in fa_hopper_producer, but also loads V of the first block.
    __device__ __forceinline__ void prologue() {
        if (block.is_empty()) return;
        load_k();
        load_v();
        load_q();
        prefetch_tensormap(&problem.o);
    }

    __device__ __forceinline__ void run() {
        if (block.is_empty()) return;
        base::advance_q();
        v_fp8_pipe.advance();
        for (;;) {
            kv_pipe.advance();
            const bool has_next = base::next_block();
            mbarrier_wait(&shared.empty[kv_pipe.index], kv_pipe.phase ^ 1);
            if (!has_next) break;
            load_k();
            mbarrier_wait(&shared.v_fp8_empty[v_fp8_pipe.index], v_fp8_pipe.phase ^ 1);
            load_v();
            if (base::may_load_q()) {
                load_q();
                base::advance_q();
            }
        }
        mbarrier_arrive(&shared.full[kv_pipe.index]);
    }
};

// ---- the V conversion warps ----

// Widens one block of V, exactly, from rows of D bytes to fp16 rows in atom columns of 64 dimensions. Warps
// take groups of eight rows in turn; swizzles repeat after a group, so addresses of a warp differ by
// constants. A lane takes 16 bytes of a row at a time, in one pass over a group (D = 64) or in two, four rows
// each (D = 128). ahead: groups (or passes) that are loaded before the first one is stored.
template <typename traits, int warps = FA_HOPPER_V_CONVERT_WARPS, int ahead = 1>
struct fa_hopper_v_conversion {
    using layout_from = mma_swizzled<traits::dim / 16>;
    using layout_to = mma_swizzled<8>;
    static constexpr int chunks = traits::dim / 16, passes = chunks / 4, rows = 8 / passes;
    static constexpr int groups = traits::keys / 8;
    static constexpr int units = (groups + warps - 1) / warps * passes;
    int warp;
    uint32_t to, from; // this lane's first addresses
    bool odd;          // D = 128: the eight lanes of a row begin with different halves, and meet all banks

    __device__ __forceinline__ fa_hopper_v_conversion(uint32_t to_block, uint32_t from_block, int of_warp,
                                                      int lane)
        : warp(of_warp) {
        const uint32_t chunk = (uint32_t)(lane % chunks), row = (uint32_t)(8 * warp + lane / chunks);
        odd = chunk / 4 % 2;
        from = from_block + layout_from::at(row, chunk) * MMA_CHUNK_BYTES;
        to = to_block + chunk / 4 * traits::atom_column_bytes +
             layout_to::at(row, chunk % 4 * 2 + odd) * MMA_CHUNK_BYTES;
    }
    __device__ __forceinline__ bool has(int unit) const {
        if (groups % warps == 0) return unit < units;
        return unit < units && warp + unit / passes * warps < groups;
    }
    // The address that lies `unit` units behind the first one: rows of row_bytes, whose swizzle takes bits of
    // the row.
    __device__ __forceinline__ static uint32_t at(uint32_t first, int unit, int row_bytes) {
        const int pass = unit % passes, group = unit / passes * warps;
        return (first ^ (uint32_t)(pass * rows * MMA_CHUNK_BYTES)) +
               (uint32_t)((8 * group + pass * rows) * row_bytes);
    }
    __device__ __forceinline__ void load(int unit, uint32_t (&ret)[4]) const {
        lds_128(ret, at(from, unit, traits::dim));
    }
    __device__ __forceinline__ void store(int unit, const uint32_t (&bytes)[4]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            uint32_t out[4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const uint32_t word = odd ? bytes[2 * (half ^ 1) + i] : bytes[2 * half + i];
                out[2 * i] = mma_widen_e4m3x2(word);
                out[2 * i + 1] = mma_widen_e4m3x2(word >> 16);
            }
            sts_128(at(to ^ (uint32_t)(half * MMA_CHUNK_BYTES), unit, 128), out);
        }
    }
    // Units are loaded `ahead` units before they are stored.
    __device__ __forceinline__ void run() const {
        uint32_t bytes[ahead + 1][4];
#pragma unroll
        for (int unit = 0; unit < ahead; ++unit)
            if (has(unit)) load(unit, bytes[unit]);
#pragma unroll
        for (int unit = 0; unit < units; ++unit) {
            if (has(unit + ahead)) load(unit + ahead, bytes[(unit + ahead) % (ahead + 1)]);
            if (has(unit)) store(unit, bytes[unit % (ahead + 1)]);
        }
    }
};

// One of the V conversion warps of a thread block with resident keys: first blocks first.
// shared: v, v_fp8, v_full, v_fp8_full.
template <typename traits, typename shared_type>
__device__ __forceinline__ void fa_hopper_resident_convert_v(shared_type &shared, int warp) {
    constexpr int warps = traits::convert_warps, units_ahead = 3;
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int i = 0; i < traits::blocks * traits::parts; ++i) {
        const int block = i / traits::parts, part = i % traits::parts;
        mbarrier_wait(&shared.v_fp8_full[part][block], 0);
        fa_hopper_v_conversion<traits, warps, units_ahead>(
            smem_address(shared.v[part][block]), smem_address(shared.v_fp8[part][block]), warp, lane)
            .run();
        fence_proxy_async_shared();
        __syncwarp();
        if (lane == 0) mbarrier_arrive(&shared.v_full[part][block]);
    }
}

// The loop of one V conversion warp (0 to 2) of a pipelined kernel.
template <typename traits, typename shared_type>
__device__ __forceinline__ void fa_hopper_convert_v(const fa_hopper_problem &problem, shared_type &shared,
                                                    int warp) {
    const int lane = (int)threadIdx.x % 32;
    fa_hopper_pipeline_state<traits::stages> kv_pipe;
    fa_hopper_pipeline_state<traits::v_fp8_stages> v_fp8_pipe;
    fa_hopper_kv_block<traits> block(problem);
    if (block.is_empty()) return;
    if (lane == 0) mbarrier_arrive(&shared.full[0]);
    bool has_next = true;
    while (has_next) {
        kv_pipe.advance();
        mbarrier_wait(&shared.v_fp8_full[v_fp8_pipe.index], v_fp8_pipe.phase);
        mbarrier_wait(&shared.empty[kv_pipe.index], kv_pipe.phase ^ 1);
        fa_hopper_v_conversion<traits>(smem_address(shared.v[kv_pipe.index]),
                                       smem_address(shared.v_fp8[v_fp8_pipe.index]), warp, lane)
            .run();
        fence_proxy_async_shared();
        __syncwarp();
        if (lane == 0) {
            mbarrier_arrive(&shared.full[kv_pipe.index]);
            mbarrier_arrive(&shared.v_fp8_empty[v_fp8_pipe.index]);
        }
        v_fp8_pipe.advance();
        has_next = block.next(problem);
    }
}

#endif
