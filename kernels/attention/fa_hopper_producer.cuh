// SPDX-License-Identifier: Apache-2.0
//
// Producer warp of the Hopper attention kernels: one thread issues all TMA loads.
//
// Q of a tile goes into one of two buffers. K and V go through a ring whose stage i holds V of key block
// i - 1 together with K of block i (at a tile's end, the first block of the next tile): exactly what one
// iteration of the consumers' main loop reads (P V of one block, Q K^T of the next), so that one barrier
// covers both. The first stage has no V, the last no K.
//
// traits: dim, rows, keys, warpgroups, atoms_per_row (swizzle atoms of 128 bytes in a row), stages,
// block_bytes, q_bytes, has_l2_prefetch. shared: kv[stage][FA_HOPPER_STAGE_V or _K],
// q[buffer][warpgroup], tile_coords, and the mbarriers full, empty, q_full, q_empty.
#ifndef ATTENTION_FA_HOPPER_PRODUCER_CUH
#define ATTENTION_FA_HOPPER_PRODUCER_CUH

#include <stdint.h>

#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"
#include "common/thread_block.cuh"

#define FA_HOPPER_STAGE_V 0
#define FA_HOPPER_STAGE_K 1

// Q of the next tile is loaded this many key blocks before its first iteration.
#define FA_HOPPER_Q_LEAD_BLOCKS 6
// A head with at most this many tiles has its K and V prefetched into the L2.
#define FA_HOPPER_L2_PREFETCH_TILES_MAX 4

// ---- shared memory and barriers ----

// The kernel's dynamic shared memory as a shared_type, aligned for swizzled tiles. A launch requests
// FA_HOPPER_SHARED_ALIGNMENT bytes more than sizeof(shared_type).
#define FA_HOPPER_SHARED_ALIGNMENT 1024
template <typename shared_type> __device__ __forceinline__ shared_type &fa_hopper_dynamic_shared() {
    return *reinterpret_cast<shared_type *>(
        (reinterpret_cast<uintptr_t>(thread_block_shared<16>()) + FA_HOPPER_SHARED_ALIGNMENT - 1) &
        ~(uintptr_t)(FA_HOPPER_SHARED_ALIGNMENT - 1));
}

// Initialises the mbarriers that every kernel has; called by one thread, which then issues
// fence_mbarrier_init. stage_arrivals, q_arrivals: arrivals that make a K/V stage, and a Q buffer, full.
// for_prologue: true initialises the barriers that the first loads need, false all others, so that the first
// loads start before the rest is ready.
template <typename traits, typename shared_type>
__device__ __forceinline__ void fa_hopper_init_barriers(shared_type &shared, int stage_arrivals,
                                                        int q_arrivals, bool for_prologue) {
    constexpr int warps = 4 * traits::warpgroups; // a warp arrives when its own wgmmas are done
    for (int i = for_prologue ? 0 : 1; i < (for_prologue ? 1 : traits::stages); ++i) {
        mbarrier_init(&shared.full[i], stage_arrivals);
        mbarrier_init(&shared.empty[i], warps);
    }
    for (uint64_t &full : shared.q_full[for_prologue ? 0 : 1]) mbarrier_init(&full, q_arrivals);
    mbarrier_init(&shared.q_empty[for_prologue ? 0 : 1], warps);
}

// ---- the producer thread ----

template <typename traits, typename shared_type> struct fa_hopper_producer {
    const fa_hopper_problem &problem;
    shared_type &shared;
    fa_hopper_pipeline_state<traits::stages> kv_pipe;
    fa_hopper_pipeline_state<2> q_pipe;
    fa_hopper_pipeline_state<FA_HOPPER_TILES_IN_FLIGHT> tile_pipe;
    fa_hopper_kv_block<traits> block; // whose K is loaded
    fa_hopper_work_tile q_tile;       // whose Q is loaded next
    tma_coords kv_coords;             // of the block's first key
    // The next block to prefetch into the L2, of the tile whose Q was loaded last.
    tma_coords prefetch_at{0, INT32_MAX, 0, 0};

    __device__ __forceinline__ fa_hopper_producer(const fa_hopper_problem &of, shared_type &in)
        : problem(of), shared(in), block(of), q_tile(block.tile), kv_coords{0, block.first_key(), 0, 0} {
        find_kv_head();
    }

    // First row, head and batch of a tile.
    __device__ __forceinline__ tma_coords coords_of(const fa_hopper_work_tile &tile) const {
        const fa_hopper_head_index head(problem, tile);
        return {0, tile.first_row(problem, traits::rows), head.head, head.batch};
    }

    __device__ __forceinline__ void find_kv_head() {
        const tma_coords tile = coords_of(block.tile);
        kv_coords.head = fa_hopper_kv_head(problem, tile.head);
        kv_coords.batch = tile.batch;
    }

    // False after the last block.
    __device__ __forceinline__ bool next_block() {
        if (!block.next(problem)) return false;
        if (block.is_first()) find_kv_head();
        kv_coords.row = block.first_key();
        return true;
    }

    // TMA loads of `rows` rows: one box of 128 bytes a row for every swizzle atom.
    __device__ __forceinline__ void load_rows(const CUtensorMap *map, uint32_t to, int rows,
                                              uint64_t *barrier, tma_coords from) {
        for (int atom = 0; atom < traits::atoms_per_row;
             ++atom, from.dim += traits::dim / traits::atoms_per_row)
            tma_load(to + atom * rows * 128, map, barrier, from);
    }

    // Loads Q of q_tile into a free buffer; returns the tile's coordinates.
    __device__ __forceinline__ tma_coords load_q() {
        const tma_coords tile = coords_of(q_tile);
        tma_coords from = tile;
        shared.tile_coords[tile_pipe.index] = make_int2(from.head, from.batch);
        for (int group = 0; group < traits::warpgroups; ++group, from.row += FA_HOPPER_WARPGROUP_ROWS) {
            uint64_t *barrier = &shared.q_full[q_pipe.index][group];
            mbarrier_arrive_expect_tx(barrier, traits::q_bytes);
            load_rows(&problem.q, smem_address(shared.q[q_pipe.index][group]), FA_HOPPER_WARPGROUP_ROWS,
                      barrier, from);
        }
        if (traits::has_l2_prefetch && !fa_hopper_is_causal(problem) &&
            problem.tiles_per_head <= FA_HOPPER_L2_PREFETCH_TILES_MAX)
            prefetch_at = {0, first_prefetch_key(), fa_hopper_kv_head(problem, tile.head), tile.batch};
        return tile;
    }

    // Of q_tile, in the order of the walk over the keys.
    __device__ __forceinline__ int first_prefetch_key() const {
        const int index = (int)q_tile.low, count = (block.unmasked_keys + traits::keys - 1) / traits::keys;
        return (block.is_backward ? count - 1 - index : index) * traits::keys;
    }

    // L2 prefetch for heads with few tiles: most of their blocks miss the L2, and two stages cannot hide the
    // latency of DRAM. The tiles of a head run at about the same time and share the prefetch, one block an
    // iteration. (With more tiles a head nothing is gained. With a mask, where the tiles of a head run one
    // after the other, 8 % are lost.)
    __device__ __forceinline__ void prefetch_kv_l2() {
        if (prefetch_at.row < 0 || prefetch_at.row >= (int)problem.attention.args.seq_k) return;
        for (tma_coords at = prefetch_at; at.dim < traits::dim;
             at.dim += traits::dim / traits::atoms_per_row) {
            tma_prefetch_l2(&problem.k, at);
            tma_prefetch_l2(&problem.v, at);
        }
        const int step = (int)problem.tiles_per_head * traits::keys;
        prefetch_at.row += block.is_backward ? -step : step;
    }

    // Whether to load Q of the next tile now: neither before K and V that are needed sooner (they are loaded
    // as many blocks ahead as there are stages), nor too late. If the current tile itself still lacks its Q,
    // waits for the buffer.
    __device__ __forceinline__ bool may_load_q() {
        constexpr int lead =
            traits::stages < FA_HOPPER_Q_LEAD_BLOCKS ? FA_HOPPER_Q_LEAD_BLOCKS - traits::stages : 0;
        if (q_tile.number >= problem.tiles_total) return false;
        if (q_tile.number == block.tile.number) {
            mbarrier_wait(&shared.q_empty[q_pipe.index], q_pipe.phase ^ 1);
            return true;
        }
        return block.index + lead >= block.count &&
               mbarrier_test_wait(&shared.q_empty[q_pipe.index], q_pipe.phase ^ 1);
    }
    __device__ __forceinline__ void advance_q() {
        q_pipe.advance();
        tile_pipe.advance();
        q_tile.next(problem);
    }

    __device__ __forceinline__ void load_kv(const CUtensorMap *map, int which, const tma_coords &from) {
        load_rows(map, smem_address(shared.kv[kv_pipe.index][which]), traits::keys,
                  &shared.full[kv_pipe.index], from);
    }

    // Prologue: issues the first K and Q loads before the other barriers exist. Use a separate producer
    // object for it; run() starts after it.
    __device__ __forceinline__ void prologue() {
        if (block.is_empty()) return;
        mbarrier_arrive_expect_tx(&shared.full[0], traits::block_bytes);
        load_kv(&problem.k, FA_HOPPER_STAGE_K, kv_coords);
        load_q();
        prefetch_tensormap(&problem.v);
        prefetch_tensormap(&problem.o);
    }

    __device__ __forceinline__ void run() {
        if (block.is_empty()) return;
        advance_q();
        for (;;) {
            const tma_coords v_coords = kv_coords;
            kv_pipe.advance();
            const bool has_next = next_block();
            mbarrier_wait(&shared.empty[kv_pipe.index], kv_pipe.phase ^ 1);
            mbarrier_arrive_expect_tx(&shared.full[kv_pipe.index], (has_next ? 2 : 1) * traits::block_bytes);
            load_kv(&problem.v, FA_HOPPER_STAGE_V, v_coords);
            if (!has_next) return;
            load_kv(&problem.k, FA_HOPPER_STAGE_K, kv_coords);
            if constexpr (traits::has_l2_prefetch) prefetch_kv_l2();
            if (may_load_q()) {
                load_q();
                advance_q();
            }
        }
    }
};

#endif
