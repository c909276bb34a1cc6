// SPDX-License-Identifier: Apache-2.0
//
// A tile whose keys are shared by the thread blocks of a cluster, for problems with few tiles: each of 2, 4 or 8 takes a part of the
// blocks of keys, with references of its own, and O comes from their parts. The dimensions of O are shared again: what a thread
// block has of another one's dimensions goes into that one's shared memory (st.async, which counts at a barrier there: a release of
// the whole cluster takes half a microsecond), and each adds up its own in the order of the thread blocks, the same in every launch.
//
// A part is a row's reference, its sum and its O, all relative to that reference, as everywhere in online softmax. A thread block whose
// share is empty sends sum 0 and reference -infinity.
#ifndef ATTENTION_FA_HOPPER_SPLIT_CUH
#define ATTENTION_FA_HOPPER_SPLIT_CUH

#include "attention/fa_hopper_repair.cuh"
#include "attention/fa_hopper_scores.cuh"
#include "attention/fa_hopper_tiles.cuh"
#include "common/attention_device.cuh"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"

#include <math.h>
#include <stdint.h>

// O on its way out: from each warp's staging buffer by the copy engine or, of a split tile, as parts from all thread blocks.
template <typename shape, bool split = shape::is_split> struct fa_leaving {
    alignas(1024) unsigned char o[shape::warpgroups][4][shape::dim / HOPPER_COLUMN][shape::store_bytes];
};
template <typename shape> struct fa_leaving<shape, true> {
    float4 o[shape::dim / 8][4 * 32];  // for each thread; by thread block, of each its groups of 8 dimensions
    float4 rows[FA_SPLITS_MAX][4 * 8]; // of rows r and r + 8: references, sums; by thread block
    uint64_t full;
};

// By the thread that sets up barriers, which publishes it; a cluster's thread blocks meet before the first part is sent.
template <typename leaving>
__device__ __forceinline__ void fa_split_set_up(const fa_problem &problem, leaving &out) {
    hopper_barrier_init(&out.full, 1);
    const uint32_t bytes = sizeof out.o + (sizeof out.rows[0] << problem.split_log2);
    hopper_barrier_expect(&out.full, bytes - (bytes >> problem.split_log2)); // of the others
}

// A split tile, which the thread block has only one of: known before anything has arrived, while the constants that it takes are
// read, which a launch finds in no cache.
struct fa_split_tile {
    fa_head head;
    int row;         // this thread's upper one
    char *o;         // its O
    int64_t o_bytes; // to its lower row's

    __device__ __forceinline__ fa_split_tile(const fa_problem &problem, const fa_tile &tile, int first_row)
        : head(problem, tile) {
        const struct attention_view &view = problem.attention.args.o;
        row = first_row + (int)threadIdx.x / 32 * FA_WARP_ROWS + (int)threadIdx.x % 32 / 4;
        o = problem.attention.data.o + attention_device_row(view, head.batch, head.number, row);
        o_bytes = 8 * view.stride_row * view.element_bytes;
    }
};

// One warpgroup: its O, references and sums (of a thread's columns) to O in memory, and the log-sum-exp.
template <typename T, typename shape> struct fa_merge {
    static constexpr int D = shape::dim, eights = D / 8;
    const fa_problem &problem;
    fa_leaving<shape> &out;
    const fa_split_tile &tile;
    int thread, lane, warp, rank, splits;
    int each; // groups of 8 dimensions of a thread block

    __device__ __forceinline__ fa_merge(const fa_problem &of, fa_leaving<shape> &in, const fa_split_tile &at)
        : problem(of), out(in), tile(at), thread((int)threadIdx.x % 128), lane(thread % 32),
          warp(thread / 32), rank(hopper_cluster_rank()), splits(1 << of.split_log2),
          each(eights >> of.split_log2) {}

    // Parts to where they are added up. This thread block's own take no way through the network.
    __device__ __forceinline__ void send(const float (&o)[D / 2], const fa_rows &rows) const {
        const float4 of_rows = {rows.reference[0], rows.reference[1], fa_quad_sum(rows.sum[0]),
                                fa_quad_sum(rows.sum[1])};
        const uint32_t full = hopper_shared(&out.full);
        const uint32_t slots = hopper_shared(&out.o[rank * each][thread]);
        const uint32_t row_slot = hopper_shared(&out.rows[rank][warp * 8 + lane / 4]);
#pragma unroll
        for (int i = 0; i < eights; ++i)
            hopper_send(slots + (uint32_t)(i & (each - 1)) * sizeof out.o[0], full,
                        (i << problem.split_log2) / eights, rank,
                        {o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]});
        for (int to = lane % 4; to < splits; to += 4) // the four lanes of a row share the work
            hopper_send(row_slot, full, to, rank, of_rows);
    }

    __device__ __forceinline__ static float4 load(uint32_t from) {
        uint32_t bits[4];
        mma_load_chunk(bits, from);
        return {__uint_as_float(bits[0]), __uint_as_float(bits[1]), __uint_as_float(bits[2]),
                __uint_as_float(bits[3])};
    }

    __device__ __forceinline__ float4 rows_of(int source) const {
        return load(hopper_shared(&out.rows[source][warp * 8 + lane / 4]));
    }

    __device__ __forceinline__ void find_references(fa_rows &ret) const {
        ret.reference[0] = ret.reference[1] = -INFINITY;
#pragma unroll
        for (int source = 0; source < FA_SPLITS_MAX; ++source) {
            if (source >= splits) continue;
            const float4 part = rows_of(source);
            ret.reference[0] = fmaxf(ret.reference[0], part.x);
            ret.reference[1] = fmaxf(ret.reference[1], part.y);
        }
    }

    // What a part has, this thread block's dimensions only: c[4 j + e] as in wgmma's layout.
    __device__ __forceinline__ void add_part(int source, fa_rows &rows, float (&c)[D / 4]) const {
        const float4 part = rows_of(source);
        const float factor[2] = {fa_factor(part.x, rows.reference[0]), fa_factor(part.y, rows.reference[1])};
        rows.sum[0] += factor[0] * part.z;
        rows.sum[1] += factor[1] * part.w;
        const uint32_t slots = hopper_shared(&out.o[source * each][thread]);
#pragma unroll
        for (int j = 0; j < eights / 2; ++j) {
            if (j >= each) continue;
            const float4 o = load(slots + j * sizeof out.o[0]);
            c[4 * j] += factor[0] * o.x, c[4 * j + 1] += factor[0] * o.y;
            c[4 * j + 2] += factor[1] * o.z, c[4 * j + 3] += factor[1] * o.w;
        }
    }

    __device__ __forceinline__ void add(fa_rows &rows, float (&c)[D / 4]) const {
        rows.sum[0] = rows.sum[1] = 0.0f;
#pragma unroll
        for (float &x : c) x = 0.0f;
        find_references(rows);
#pragma unroll 1
        for (int source = 0; source < splits; source += 2) {
            add_part(source, rows, c);
            add_part(source + 1, rows, c);
        }
    }

    __device__ __forceinline__ void store(const float (&c)[D / 4], const float (&inverse)[2]) const {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (tile.row + 8 * r >= (int)problem.attention.args.seq_q) continue;
            char *const to = tile.o + r * tile.o_bytes;
            uint32_t *const pairs = reinterpret_cast<uint32_t *>(to) + rank * each * 4 + lane % 4;
#pragma unroll
            for (int j = 0; j < eights / 2; ++j)
                if (j < each)
                    pairs[4 * j] =
                        mma_pack(c[4 * j + 2 * r] * inverse[r], c[4 * j + 2 * r + 1] * inverse[r], T());
        }
    }

    // Rows that a NaN or infinity behind the mask has reached, in this thread block's dimensions: fa_hopper_repair.cuh.
    __device__ __forceinline__ void repair(const float (&c)[D / 4]) const {
        if (!__any_sync(~0u, fa_is_special(c))) return;
        const int first = tile.row - lane / 4;
        const int end = min(first + FA_WARP_ROWS, (int)problem.attention.args.seq_q);
        const struct fa_columns own = {rank * each * 8, (rank + 1) * each * 8};
#pragma unroll 1
        for (int row = first; row < end; ++row) fa_repair_row<D>(problem, tile.head.of_all, row, lane, own);
    }

    __device__ __forceinline__ void run(const float (&o)[D / 2], const fa_rows &rows,
                                        float value_factor) const {
        send(o, rows);
        __syncwarp(); // own parts of rows, by one lane of four
        hopper_barrier_wait(&out.full, 0);
        fa_rows all;
        float c[D / 4], inverse[2];
        add(all, c);
        fa_finish_rows(problem, all.reference, all.sum, value_factor,
                       {tile.head.of_all, tile.row, rank == 0 && lane % 4 == 0}, inverse);
        store(c, inverse);
        if (!fa_has_mask(problem)) return;
        __syncwarp();
        repair(c);
    }
};

#endif
