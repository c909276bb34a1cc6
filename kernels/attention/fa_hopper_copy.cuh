// SPDX-License-Identifier: Apache-2.0
//
// The warpgroup of an attention kernel for Hopper that copies: one thread of it keeps the copy engine at work. Q of a tile goes to
// one of two buffers. K and V go to a ring whose stages hold V of one block and K of the block behind it in the stream, of the next
// tile where a tile ends: what a step of the computing warpgroups needs arrives under one barrier. The first stage has no V, the
// last one no K.
//
// shape: rows, keys, groups, columns (of 128 bytes in a row), stages, block_bytes, q_bytes. shared: ring[stage][FA_STAGE_V or _K],
// q[buffer][group], full, empty, q_full, q_empty (barriers), place.
#ifndef ATTENTION_FA_HOPPER_COPY_CUH
#define ATTENTION_FA_HOPPER_COPY_CUH

#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"

#define FA_STAGE_V 0
#define FA_STAGE_K 1

// ---- before anything is copied ----

// The kernel's dynamic shared memory, from where swizzled tiles may begin: 1024 bytes more than the type has are asked for.
#define FA_SHARED_SLACK 1024
template <typename shared_type> __device__ __forceinline__ shared_type &fa_shared_in(unsigned char *raw) {
    return *reinterpret_cast<shared_type *>((reinterpret_cast<uintptr_t>(raw) + FA_SHARED_SLACK - 1) &
                                            ~(uintptr_t)(FA_SHARED_SLACK - 1));
}

// By one thread: the maps, and the barriers that every kernel has. arrivals: that make a stage, and Q, full. The caller publishes.
template <typename shape, typename shared_type>
__device__ __forceinline__ void fa_set_up(const fa_problem &problem, shared_type &shared, int stage_arrivals,
                                          int q_arrivals) {
    hopper_prefetch_map(&problem.q);
    hopper_prefetch_map(&problem.k);
    hopper_prefetch_map(&problem.v);
    hopper_prefetch_map(&problem.o);
    constexpr int warps = 4 * shape::warpgroups; // one arrival a warp: it waits for its own products only
    for (int i = 0; i < shape::stages; ++i) {
        hopper_barrier_init(&shared.full[i], stage_arrivals);
        hopper_barrier_init(&shared.empty[i], warps);
    }
    for (int i = 0; i < 2; ++i) {
        hopper_barrier_init(&shared.q_full[i], q_arrivals);
        hopper_barrier_init(&shared.q_empty[i], warps);
    }
}

// ---- the thread that copies ----

template <typename shape, typename shared_type> struct fa_copier {
    const fa_problem &problem;
    shared_type &shared;
    fa_ring<shape::stages> ring;
    fa_ring<2> q;
    fa_ring<FA_PLACES> places;

    // A box of `rows` rows and 128 bytes for every column.
    __device__ __forceinline__ void copy(const CUtensorMap *map, uint32_t to, int rows, uint64_t *barrier,
                                         hopper_place from) {
        for (int c = 0; c < shape::columns; ++c, from.column += shape::dim / shape::columns)
            hopper_copy(to + c * rows * 128, map, barrier, from);
    }

    __device__ __forceinline__ void copy_q(int first_row, int head, int batch) {
        hopper_barrier_wait(&shared.q_empty[q.slot], q.turn ^ 1);
        shared.place[places.slot] = make_int2(head, batch);
        places.next();
        hopper_barrier_expect(&shared.q_full[q.slot], shape::groups * shape::q_bytes);
        for (int group = 0; group < shape::groups; ++group)
            copy(&problem.q, hopper_shared(shared.q[q.slot][group]), FA_ROWS, &shared.q_full[q.slot],
                 {0, first_row + group * FA_ROWS, head, batch});
        q.next();
    }

    __device__ __forceinline__ void copy_keys(const CUtensorMap *map, int which, const hopper_place &from) {
        copy(map, hopper_shared(shared.ring[ring.slot][which]), shape::keys, &shared.full[ring.slot], from);
    }

    __device__ __forceinline__ void run() {
        const int heads = (int)problem.attention.args.heads, group = (int)problem.attention.args.group;
        hopper_place before = {};
        bool has_before = false, has_next = true;
        fa_block<shape::rows, shape::keys> block(problem);
        while (has_next) {
            const int head = block.tile.head(problem), of_batch = head % heads, batch = head / heads;
            if (block.is_first()) copy_q(block.first_row, of_batch, batch);
            hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
            hopper_barrier_expect(&shared.full[ring.slot], (has_before ? 2 : 1) * shape::block_bytes);
            const hopper_place now = {0, block.index * shape::keys, of_batch / group, batch};
            copy_keys(&problem.k, FA_STAGE_K, now);
            if (has_before) copy_keys(&problem.v, FA_STAGE_V, before);
            before = now;
            has_before = true;
            ring.next();
            has_next = block.next(problem);
        }
        hopper_barrier_wait(&shared.empty[ring.slot], ring.turn ^ 1);
        hopper_barrier_expect(&shared.full[ring.slot], shape::block_bytes);
        copy_keys(&problem.v, FA_STAGE_V, before);
    }
};

#endif
