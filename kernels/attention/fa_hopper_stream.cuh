// SPDX-License-Identifier: Apache-2.0
//
// A warpgroup of an attention kernel for Hopper that computes, on its way through its stream of blocks: when it waits, issues,
// gives back, and how O leaves. What it does with the numbers is the kernel's own, a class that derives from this one (kind):
//   issue_scores()        Q K^T of the block at work into s
//   issue_output(index)   P V of block number `index` of a tile, added to o but for the first
//   start_tile()          before the first scores of a tile are looked at
//   sign()                of what scores are multiplied by: 1 or -1
//   find_references()     of the rows, from a tile's first scores, masked
//   weigh(wait)           scores become weights in p; P V of the block before may run until wait()
//   value_factor()        what O is multiplied by
// shape: dim, warpgroups, rows, keys, stages, q_bytes, store_bytes. shared: q, out, barriers, place. O: the type of O.
#ifndef ATTENTION_FA_HOPPER_STREAM_CUH
#define ATTENTION_FA_HOPPER_STREAM_CUH

#include "attention/fa_hopper_repair.cuh"
#include "attention/fa_hopper_scores.cuh"
#include "attention/fa_hopper_split.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "common/hopper.cuh"

#include <stddef.h>
#include <stdint.h>

template <typename shape> struct fa_shared; // the kernel's own

template <typename kind, typename shape, typename O> struct fa_stream {
    static constexpr int D = shape::dim, G = shape::warpgroups, N = shape::keys;
    static constexpr int scores = N / 2; // of a thread
    const fa_problem &problem;
    fa_shared<shape> &shared;
    fa_block<shape> block;       // whose scores are at work
    fa_ring<shape::stages> ring; // stage of its K
    fa_ring<2> q;
    fa_ring<FA_PLACES> place;
    float s[scores], o[D / 2];
    uint32_t p[N / 4];
    fa_rows rows;
    uint32_t origin; // of shared memory, in units
    int group, warp; // the same in all lanes, which a shuffle tells the compiler
    int plain;       // steps ahead within the tile, to blocks that all its rows see
    fa_ring<shape::stages> ahead;
    bool is_special = false;

    __device__ __forceinline__ fa_stream(const fa_problem &of, fa_shared<shape> &in)
        : problem(of), shared(in), block(of), origin(hopper_units(&in)),
          group(__shfl_sync(~0u, (int)threadIdx.x / 128, 0)),
          warp(__shfl_sync(~0u, (int)threadIdx.x / 32 % 4, 0)) {}

    __device__ __forceinline__ kind &self() { return static_cast<kind &>(*this); }

    // Read anew by every call: it is not kept in a register from one to the next.
    __device__ __forceinline__ int lane() const { return hopper_lane(); }
    __device__ __forceinline__ int first_of_warp() const { return group * FA_ROWS + warp * FA_WARP_ROWS; }

    // Warpgroups issue their products in turn, so that one's weights are taken under another's products.
    __device__ __forceinline__ void my_turn() {
        if (G > 1) hopper_pair_wait(1 + group);
    }
    __device__ __forceinline__ void next_turn() {
        if (G > 1) hopper_pair_arrive(1 + (group + 1 == G ? 0 : group + 1));
    }

    // In units, as is what the kind says of K and V: one multiplication and one addition a step.
    __device__ __forceinline__ uint32_t q_units() const {
        const int buffer = q.slot * G + group;
        return origin + offsetof(fa_shared<shape>, q) / HOPPER_UNIT +
               (uint32_t)buffer * (shape::q_bytes / HOPPER_UNIT);
    }
    __device__ __forceinline__ uint32_t address(uint32_t units) const {
        return hopper_shared(&shared) + (units - origin) * HOPPER_UNIT;
    }

    // Scores that a row of the warp does not see, where the block has any.
    __device__ __forceinline__ void mask() {
        const int first = block.first_key(), warp_row = block.first_row + first_of_warp();
        if (fa_visible(problem, warp_row) >= first + N) return;
        const int of_lane = lane(), row = warp_row + of_lane / 4;
        const int visible[2] = {fa_visible(problem, row), fa_visible(problem, row + 8)};
        fa_mask(s, visible, first + of_lane % 4 * 2, -INFINITY * self().sign());
    }
    __device__ __forceinline__ bool sees_none() const {
        return fa_visible(problem, block.first_row + first_of_warp() + FA_WARP_ROWS - 1) <= block.first_key();
    }

    // The block's K, the V before it and, behind a tile's last block, its Q are no longer needed.
    __device__ __forceinline__ void release() {
        hopper_barrier_arrive_warp(&shared.empty[ring.slot]);
        hopper_barrier_arrive_warp(&shared.q_empty[q.slot], block.is_last());
    }

    // Behind a tile's last block: what its O has to be multiplied by; the log-sum-exp is written.
    __device__ __forceinline__ void finish_rows(float (&ret_inverse)[2], int first_row, int head) {
        const int of_lane = lane();
        const float sum[2] = {fa_quad_sum(rows.sum[0]), fa_quad_sum(rows.sum[1])};
        fa_finish_rows(problem, rows.reference, sum, self().value_factor(),
                       {head, first_row + first_of_warp() + of_lane / 4, of_lane % 4 == 0}, ret_inverse);
    }

    // O of a finished tile to its place, through shared memory.
    __device__ __forceinline__ void store(const float (&inverse)[2], int first_row) {
        const int of_lane = lane();
        if (fa_has_mask(problem)) is_special |= fa_is_special(o); // perhaps from keys that a row does not see
        if (of_lane == 0) hopper_store_wait_read();
        __syncwarp();
        const uint32_t staging = hopper_shared(shared.out.o[group][warp]);
        const uint32_t at = staging + (uint32_t)(of_lane % 16) * 128;
#pragma unroll
        for (int i = 0; i < D / 8; i += 2) {
            uint32_t pieces[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float *c = o + 4 * i + 2 * e;
                pieces[e] = mma_pack(c[0] * inverse[e % 2], c[1] * inverse[e % 2], O());
            }
            hopper_store_matrices(
                at + i / 8 * shape::store_bytes + (((i % 8 + of_lane / 16) ^ (of_lane % 8)) * 16), pieces);
        }
        hopper_fence_proxy();
        __syncwarp();
        if (of_lane == 0) {
            const int2 to = shared.place[place.slot];
#pragma unroll
            for (int c = 0; c < D / HOPPER_COLUMN; ++c)
                hopper_store(&problem.o, staging + c * shape::store_bytes,
                             {c * HOPPER_COLUMN, first_row + first_of_warp(), to.x, to.y});
            hopper_store_commit();
        }
        place.next();
    }

    // What only some blocks need before their weights are taken. False where all weights are 0.
    __device__ __forceinline__ bool prepare_block() {
        const bool is_first = block.is_first();
        if (is_first) self().start_tile();
        if (block.is_masked()) {
            if (!is_first && sees_none()) return false;
            mask();
        }
        if (is_first) self().find_references();
        return true;
    }

    // The block's scores become weights, its stage is given back, and the next one is waited for.
    template <typename F> __device__ __forceinline__ void take_block(bool is_plain, F wait) {
        ahead = ring;
        ahead.next();
        if (is_plain || prepare_block()) {
            self().weigh(wait);
        } else {
            wait();
#pragma unroll
            for (uint32_t &pair : p) pair = 0;
        }
        const bool is_full = hopper_barrier_test(&shared.full[ahead.slot], ahead.turn);
        release();
        if (!is_full) hopper_barrier_wait(&shared.full[ahead.slot], ahead.turn);
    }

    // P V of the block at work and Q K^T of the next one, whose weights are taken under P V. False when there is none. Most steps are
    // plain: within a tile, to a block that all rows see. Nothing is decided in those.
    __device__ __forceinline__ bool step() {
        const bool is_plain = plain > 0;
        const int first_row = block.first_row, index = block.index;
        const auto wait = [&] {
            hopper_wait<0>();
            hopper_hold(o);
            hopper_hold(p);
        };
        ring = ahead;
        if (!is_plain) {
            hopper_keep_branch(); // one for plain steps
            if (block.is_last() && block.tile.has_next(problem)) {
                q.next();
                hopper_barrier_wait(&shared.q_full[q.slot][group], q.turn);
            }
        }
        my_turn();
        // Behind the last block a product of what lies there, for nobody: the compiler has to see the same products in all steps.
        self().issue_scores();
        self().issue_output(index);
        next_turn();
        float inverse[2];
        if (is_plain) {
            --plain;
            ++block.index;
        } else {
            if (!shape::is_split && block.is_last())
                finish_rows(inverse, first_row, block.tile.head(problem));
            block.next(problem);
            plain = block.plain_ahead();
        }
        hopper_wait<1>();
        hopper_hold(s);
        if (!block.is_over()) take_block(is_plain, wait);
        hopper_wait<0>();
        hopper_hold(o);
        if constexpr (!shape::is_split)
            if (block.is_first() || block.is_over()) store(inverse, first_row);
        return !block.is_over();
    }

    __device__ __forceinline__ void run_blocks() {
        hopper_barrier_wait(&shared.full[0], 0);
        hopper_barrier_wait(&shared.q_full[0][group], 0);
        if (group == G - 1) next_turn();
        self().issue_scores();
        hopper_wait<0>();
        hopper_hold(s);
        take_block(false, [] {});
        plain = block.plain_ahead();
        while (step())
            ;
    }

    // A tile that thread blocks share: O from their parts.
    __device__ __forceinline__ void run_split() {
        const fa_split_tile tile(problem, block.tile, block.first_row);
        float value_factor;
        if (block.is_empty()) {
            value_factor = fa_value_factor(problem, tile.head.batch, fa_head_kv(problem, tile.head.number));
            rows.reference[0] = rows.reference[1] = -INFINITY;
            rows.sum[0] = rows.sum[1] = 0.0f;
#pragma unroll
            for (float &x : o) x = 0.0f;
        } else {
            run_blocks();
            value_factor = self().value_factor();
        }
        hopper_cluster_wait(); // all thread blocks have begun
        fa_merge<O, shape>(problem, shared.out, tile).run(o, rows, value_factor);
    }

    __device__ __forceinline__ void run() {
        if constexpr (shape::is_split) {
            run_split();
            return;
        }
        run_blocks();
        if (__any_sync(~0u, is_special)) {
            if (lane() == 0) hopper_store_wait();
            __syncwarp();
            hopper_fence_proxy_global();
            fa_repair<D, shape::rows>(problem, first_of_warp(), lane());
        } else if (lane() == 0) {
            hopper_store_wait_read(); // shared memory has to stay until then
        }
    }
};

#endif
