// SPDX-License-Identifier: Apache-2.0
//
// The warpgroup of an attention kernel for Hopper that copies: one thread of it keeps the copy engine at work. Q of a tile goes to
// one of two buffers. K and V go to a ring whose stages hold V of one block and K of the block behind it in the stream, of the next
// tile where a tile ends: what a step of the computing warpgroups needs arrives under one barrier. The first stage has no V, the
// last one no K.
//
// shape: dim, rows, keys, warpgroups, columns (of 128 bytes in a row), stages, block_bytes, q_bytes, has_early_keys (fetch_early_keys()).
// shared: ring[stage][FA_STAGE_V or _K], q[buffer][group], full, empty, q_full, q_empty (barriers), place.
#ifndef ATTENTION_FA_HOPPER_COPY_CUH
#define ATTENTION_FA_HOPPER_COPY_CUH

#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"
#include "common/thread_block.cuh"

#define FA_STAGE_V 0
#define FA_STAGE_K 1

#define FA_Q_BLOCKS_AHEAD 6 // Q of a tile is copied so many blocks before its first step
#define FA_TILES_FEW      4 // a head of no more tiles has its keys brought into the L2 ahead of its time

// ---- before anything is copied ----

// The kernel's dynamic shared memory, from where swizzled tiles may begin: 1024 bytes more than the type has are asked for.
#define FA_SHARED_SLACK 1024
template <typename shared_type> __device__ __forceinline__ shared_type &fa_dynamic_shared() {
    return *reinterpret_cast<shared_type *>(
        (reinterpret_cast<uintptr_t>(thread_block_shared<16>()) + FA_SHARED_SLACK - 1) &
        ~(uintptr_t)(FA_SHARED_SLACK - 1));
}

// The barriers that every kernel has, by one thread. arrivals: that make a stage, and Q, full. `first` are those that the first copies
// need, which begin before the others are ready. The caller publishes.
template <typename shape, typename shared_type>
__device__ __forceinline__ void fa_set_up(shared_type &shared, int stage_arrivals, int q_arrivals,
                                          bool first) {
    constexpr int warps = 4 * shape::warpgroups; // one arrival a warp: it waits for its own products only
    for (int i = first ? 0 : 1; i < (first ? 1 : shape::stages); ++i) {
        hopper_barrier_init(&shared.full[i], stage_arrivals);
        hopper_barrier_init(&shared.empty[i], warps);
    }
    for (uint64_t &full : shared.q_full[first ? 0 : 1]) hopper_barrier_init(&full, q_arrivals);
    hopper_barrier_init(&shared.q_empty[first ? 0 : 1], warps);
}

// ---- the thread that copies ----

template <typename shape, typename shared_type> struct fa_copier {
    const fa_problem &problem;
    shared_type &shared;
    fa_ring<shape::stages> ring;
    fa_ring<2> q;
    fa_ring<FA_PLACES> places;
    fa_block<shape> block; // whose K is copied
    fa_tile q_tile;        // whose Q is copied next
    hopper_place keys;     // where the block's keys begin
    // The next block that is brought into the L2 ahead of its time, of the tile whose Q was copied last.
    hopper_place early{0, INT32_MAX, 0, 0};

    __device__ __forceinline__ fa_copier(const fa_problem &of, shared_type &in)
        : problem(of), shared(in), block(of), q_tile(block.tile), keys{0, block.first_key(), 0, 0} {
        find_keys();
    }

    // Head and batch of a tile.
    __device__ __forceinline__ hopper_place place_of(const fa_tile &tile) const {
        const fa_head head(problem, tile);
        return {0, tile.first_row(problem, shape::rows), head.number, head.batch};
    }

    __device__ __forceinline__ void find_keys() {
        const hopper_place tile = place_of(block.tile);
        keys.head = fa_head_kv(problem, tile.head);
        keys.batch = tile.batch;
    }

    // To the block behind; false where there is none.
    __device__ __forceinline__ bool next() {
        if (!block.next(problem)) return false;
        if (block.is_first()) find_keys();
        keys.row = block.first_key();
        return true;
    }

    // A box of `rows` rows and 128 bytes for every column.
    __device__ __forceinline__ void copy(const CUtensorMap *map, uint32_t to, int rows, uint64_t *barrier,
                                         hopper_place from) {
        for (int c = 0; c < shape::columns; ++c, from.column += shape::dim / shape::columns)
            hopper_copy(to + c * rows * 128, map, barrier, from);
    }

    // Its buffer is free. Where the tile is.
    __device__ __forceinline__ hopper_place copy_q() {
        const hopper_place tile = place_of(q_tile);
        hopper_place from = tile;
        shared.place[places.slot] = make_int2(from.head, from.batch);
        for (int group = 0; group < shape::warpgroups; ++group, from.row += FA_ROWS) {
            uint64_t *barrier = &shared.q_full[q.slot][group];
            hopper_barrier_expect(barrier, shape::q_bytes);
            copy(&problem.q, hopper_shared(shared.q[q.slot][group]), FA_ROWS, barrier, from);
        }
        if (shape::has_early_keys && !fa_has_mask(problem) && problem.tile_count <= FA_TILES_FEW)
            early = {0, (int)q_tile.low * shape::keys, fa_head_kv(problem, tile.head), tile.batch};
        return tile;
    }

    // Where a head has few tiles, many blocks are new to the L2, and two stages are too few to hide the memory behind it. The
    // tiles of a head are computed at about the same time and share the work, a block a step. (More tiles: nothing is gained.
    // With a mask, where tiles of a head come one after the other: 8 % are lost.)
    __device__ __forceinline__ void fetch_early_keys() {
        if (early.row >= (int)problem.attention.args.seq_k) return;
        for (hopper_place at = early; at.column < shape::dim; at.column += shape::dim / shape::columns) {
            hopper_prefetch(&problem.k, at);
            hopper_prefetch(&problem.v, at);
        }
        early.row += (int)problem.tile_count * shape::keys;
    }

    // Is it time for the Q of the next tile? Its copy should not be ahead of keys that are needed sooner, nor late: keys are copied as
    // many blocks in advance as there are stages. Waits for the buffer where the tile at work needs it.
    __device__ __forceinline__ bool may_copy_q() {
        constexpr int lead = shape::stages < FA_Q_BLOCKS_AHEAD ? FA_Q_BLOCKS_AHEAD - shape::stages : 0;
        if (q_tile.number >= problem.total) return false;
        if (q_tile.number == block.tile.number) {
            hopper_barrier_wait(&shared.q_empty[q.slot], q.turn ^ 1);
            return true;
        }
        return block.index + lead >= block.count && hopper_barrier_test(&shared.q_empty[q.slot], q.turn ^ 1);
    }
    __device__ __forceinline__ void next_q() {
        q.next();
        places.next();
        q_tile.next(problem);
    }

    __device__ __forceinline__ void copy_keys(const CUtensorMap *map, int which, const hopper_place &from) {
        copy(map, hopper_shared(shared.ring[ring.slot][which]), shape::keys, &shared.full[ring.slot], from);
    }

    // What the first step waits for, before there is anything to wait for. For an object of its own: run() begins behind it.
    __device__ __forceinline__ void begin() {
        if (block.is_empty()) return;
        hopper_barrier_expect(&shared.full[0], shape::block_bytes);
        copy_keys(&problem.k, FA_STAGE_K, keys);
        copy_q();
        hopper_prefetch_map(&problem.v);
        hopper_prefetch_map(&problem.o);
    }

    __device__ __forceinline__ void run() {
        if (block.is_empty()) return;
        next_q();
        for (;;) {
            const hopper_place before = keys;
            ring.next();
            const bool has_next = next();
            hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
            hopper_barrier_expect(&shared.full[ring.slot], (has_next ? 2 : 1) * shape::block_bytes);
            copy_keys(&problem.v, FA_STAGE_V, before);
            if (!has_next) return;
            copy_keys(&problem.k, FA_STAGE_K, keys);
            if constexpr (shape::has_early_keys) fetch_early_keys();
            if (may_copy_q()) {
                copy_q();
                next_q();
            }
        }
    }
};

#endif
