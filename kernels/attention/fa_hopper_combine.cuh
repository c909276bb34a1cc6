// SPDX-License-Identifier: Apache-2.0
//
// Split KV for problems with few tiles: 2, 4 or 8 thread blocks of a cluster share a tile. Each runs the
// main loop over its part of the key blocks, with its own softmax shifts, and ends with a partial result:
// unnormalised O, and a shift and a sum for each row.
// The combine runs in distributed shared memory. Each thread block owns a share of the dimensions of O:
// it sends the other blocks their dimensions of its partial O, then reduces its own dimensions in rank
// order, which is the same in every launch. Partial results travel by st.async, which counts bytes at the
// receiver's mbarrier, because a cluster-wide release takes half a microsecond. A thread block whose part
// is empty sends sum 0 and shift -infinity.
#ifndef ATTENTION_FA_HOPPER_COMBINE_CUH
#define ATTENTION_FA_HOPPER_COMBINE_CUH

#include <math.h>
#include <stdint.h>

#include "attention/attention_device.cuh"
#include "attention/fa_hopper_fragments.cuh"
#include "attention/fa_hopper_nan_fixup.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"
#include "common/hopper.cuh"
#include "common/mma_tile.cuh"

// Shared memory of the epilogue. Without split KV: each warp's staging buffer for the TMA stores of O. With
// split KV: the partial results received from all ranks, by rank. o: groups of 8 dimensions, one float4 a
// thread; rows: shifts and sums of rows r and r + 8.
template <typename traits, bool split = traits::is_split> struct fa_hopper_epilogue_storage {
    alignas(1024) unsigned char o[traits::warpgroups][4][traits::dim / SWIZZLE_ATOM_ELEMENTS]
                                 [traits::epilogue_atom_bytes];
};
template <typename traits> struct fa_hopper_epilogue_storage<traits, true> {
    float4 o[traits::dim / 8][4 * 32];
    float4 rows[FA_HOPPER_SPLITS_MAX][4 * 8];
    uint64_t full;
};

// Initialises the barrier that counts the received bytes. Called by the thread that initialises all barriers,
// before it publishes them; a cluster barrier follows before the first partial result is sent.
template <typename storage>
__device__ __forceinline__ void fa_hopper_init_combine_barrier(const fa_hopper_problem &problem,
                                                               storage &out) {
    mbarrier_init(&out.full, 1);
    const uint32_t bytes = sizeof out.o + (sizeof out.rows[0] << problem.split_log2);
    mbarrier_arrive_expect_tx(&out.full,
                              bytes - (bytes >> problem.split_log2)); // local stores are not counted
}

// The tile of a thread block with split KV, which has only one. The addresses of O are computed before the
// main loop, because the constants that they need are in no cache when a launch begins.
struct fa_hopper_split_tile {
    fa_hopper_head_index head;
    int row;         // this thread's upper row
    char *o;         // address of that row of O
    int64_t o_bytes; // from it to the lower row, 8 further on

    __device__ __forceinline__ fa_hopper_split_tile(const fa_hopper_problem &problem,
                                                    const fa_hopper_work_tile &tile, int first_row)
        : head(problem, tile) {
        const struct attention_view &view = problem.attention.args.o;
        row = first_row + (int)threadIdx.x / 32 * FA_HOPPER_WARP_ROWS + (int)threadIdx.x % 32 / 4;
        o = problem.attention.data.o + attention_device_row(view, head.batch, head.head, row);
        o_bytes = 8 * view.stride_row * view.element_bytes;
    }
};

// The combine of one warpgroup: reads unnormalised O, shifts and sums (each over one thread's columns) from
// registers; writes O and the log-sum-exp to global memory.
template <typename T, typename traits> struct fa_hopper_combine {
    static constexpr int D = traits::dim, dim_groups = D / 8;
    const fa_hopper_problem &problem;
    fa_hopper_epilogue_storage<traits> &out;
    const fa_hopper_split_tile &tile;
    int thread, lane, warp, rank, splits;
    int groups_per_cta; // groups of 8 dimensions that a thread block reduces

    __device__ __forceinline__ fa_hopper_combine(const fa_hopper_problem &of,
                                                 fa_hopper_epilogue_storage<traits> &in,
                                                 const fa_hopper_split_tile &at)
        : problem(of), out(in), tile(at), thread((int)threadIdx.x % 128), lane(thread % 32),
          warp(thread / 32), rank(cluster_ctarank()), splits(1 << of.split_log2),
          groups_per_cta(dim_groups >> of.split_log2) {}

    // Sends the partial result to the ranks that reduce it; own dimensions are stored locally.
    __device__ __forceinline__ void send_partial(const float (&o)[D / 2],
                                                 const fa_hopper_row_stats &rows) const {
        const float4 own_stats = {rows.shift[0], rows.shift[1], fa_hopper_quad_sum(rows.sum[0]),
                                  fa_hopper_quad_sum(rows.sum[1])};
        const uint32_t full = smem_address(&out.full);
        const uint32_t slots = smem_address(&out.o[rank * groups_per_cta][thread]);
        const uint32_t row_slot = smem_address(&out.rows[rank][warp * 8 + lane / 4]);
#pragma unroll
        for (int i = 0; i < dim_groups; ++i)
            st_async(slots + (uint32_t)(i & (groups_per_cta - 1)) * sizeof out.o[0], full,
                     (i << problem.split_log2) / dim_groups, rank,
                     {o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]});
        for (int to = lane % 4; to < splits; to += 4) // the four lanes of a row share the work
            st_async(row_slot, full, to, rank, own_stats);
    }

    __device__ __forceinline__ static float4 load(uint32_t from) {
        uint32_t bits[4];
        lds_128(bits, from);
        return {__uint_as_float(bits[0]), __uint_as_float(bits[1]), __uint_as_float(bits[2]),
                __uint_as_float(bits[3])};
    }

    __device__ __forceinline__ float4 stats_of(int source) const {
        return load(smem_address(&out.rows[source][warp * 8 + lane / 4]));
    }

    __device__ __forceinline__ void reduce_shift(fa_hopper_row_stats &ret) const {
        ret.shift[0] = ret.shift[1] = -INFINITY;
#pragma unroll
        for (int source = 0; source < FA_HOPPER_SPLITS_MAX; ++source) {
            if (source >= splits) continue;
            const float4 partial = stats_of(source);
            ret.shift[0] = fmaxf(ret.shift[0], partial.x);
            ret.shift[1] = fmaxf(ret.shift[1], partial.y);
        }
    }

    // Adds a rank's partial result in this thread block's dimensions; c[4 j + e] as in wgmma's layout.
    __device__ __forceinline__ void add_partial(int source, fa_hopper_row_stats &rows,
                                                float (&c)[D / 4]) const {
        const float4 partial = stats_of(source);
        const float factor[2] = {fa_hopper_rescale(partial.x, rows.shift[0]),
                                 fa_hopper_rescale(partial.y, rows.shift[1])};
        rows.sum[0] += factor[0] * partial.z;
        rows.sum[1] += factor[1] * partial.w;
        const uint32_t slots = smem_address(&out.o[source * groups_per_cta][thread]);
#pragma unroll
        for (int j = 0; j < dim_groups / 2; ++j) {
            if (j >= groups_per_cta) continue;
            const float4 o = load(slots + j * sizeof out.o[0]);
            c[4 * j] += factor[0] * o.x, c[4 * j + 1] += factor[0] * o.y;
            c[4 * j + 2] += factor[1] * o.z, c[4 * j + 3] += factor[1] * o.w;
        }
    }

    __device__ __forceinline__ void reduce(fa_hopper_row_stats &rows, float (&c)[D / 4]) const {
        rows.sum[0] = rows.sum[1] = 0.0f;
#pragma unroll
        for (float &x : c) x = 0.0f;
        reduce_shift(rows);
#pragma unroll 1
        for (int source = 0; source < splits; source += 2) {
            add_partial(source, rows, c);
            add_partial(source + 1, rows, c);
        }
    }

    __device__ __forceinline__ void store(const float (&c)[D / 4], const float (&inverse)[2]) const {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (tile.row + 8 * r >= (int)problem.attention.args.seq_q) continue;
            char *const to = tile.o + r * tile.o_bytes;
            uint32_t *const pairs = reinterpret_cast<uint32_t *>(to) + rank * groups_per_cta * 4 + lane % 4;
#pragma unroll
            for (int j = 0; j < dim_groups / 2; ++j)
                if (j < groups_per_cta)
                    pairs[4 * j] =
                        mma_pack(c[4 * j + 2 * r] * inverse[r], c[4 * j + 2 * r + 1] * inverse[r], T());
        }
    }

    // NaN/Inf fix-up of this thread block's dimensions: fa_hopper_nan_fixup.cuh.
    __device__ __forceinline__ void fixup(const float (&c)[D / 4]) const {
        if (!__any_sync(~0u, fa_hopper_has_nonfinite(c))) return;
        const int first = tile.row - lane / 4;
        const int end = min(first + FA_HOPPER_WARP_ROWS, (int)problem.attention.args.seq_q);
        const struct fa_hopper_dim_range own_dims = {rank * groups_per_cta * 8,
                                                     (rank + 1) * groups_per_cta * 8};
#pragma unroll 1
        for (int row = first; row < end; ++row)
            fa_hopper_fixup_row<D>(problem, tile.head.flat, row, lane, own_dims);
    }

    __device__ __forceinline__ void run(const float (&o)[D / 2], const fa_hopper_row_stats &rows,
                                        float v_scale) const {
        send_partial(o, rows);
        __syncwarp(); // own row statistics were stored by one lane of four
        mbarrier_wait(&out.full, 0);
        fa_hopper_row_stats all;
        float c[D / 4], inverse[2];
        reduce(all, c);
        fa_hopper_finalize_rows(problem, all.shift, all.sum, v_scale,
                                {tile.head.flat, tile.row, rank == 0 && lane % 4 == 0}, inverse);
        store(c, inverse);
        if (!fa_hopper_is_causal(problem)) return;
        __syncwarp();
        fixup(c);
    }
};

#endif
