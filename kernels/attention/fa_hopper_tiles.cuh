// SPDX-License-Identifier: Apache-2.0
//
// The attention kernels for Hopper, what they share: the problem as the device sees it, which tile of query rows a thread block
// takes when, which blocks of keys a tile needs, and places in rings of buffers. All of it is the same number in all threads of a
// warp, and is computed so that the compiler sees that.
#ifndef ATTENTION_FA_HOPPER_TILES_CUH
#define ATTENTION_FA_HOPPER_TILES_CUH

#include "attention/fa_hopper_choice.h"
#include "common/attention_args.h"
#include "common/cuda_host.cuh"
#include "common/hopper.cuh"

#include <cuda.h>
#include <stdint.h>

#define FA_WARP_ROWS 16
#define FA_PLACES                                                                                            \
    4 // tiles whose batch and head are kept: as many as are under way at once, from Q on its way to O

// What the shapes of all kernels have. D: head dimension, G: warpgroups that compute, 64 query rows each, N: keys of a block. split: the
// thread blocks of a cluster share a tile's keys (fa_hopper_split.cuh), and have one tile.
template <int D, int G, int N, bool split> struct fa_shape_base {
    static constexpr bool is_split = split;
    static constexpr int dim = D, warpgroups = G, rows = G * FA_ROWS, keys = N, threads = 128 * (G + 1);
    static constexpr int blocks_a_multiprocessor = FA_BLOCKS_A_MULTIPROCESSOR(D, G);
    static constexpr int store_bytes = FA_WARP_ROWS * 128; // of one column of 64 of O, in 16 bits
    static constexpr int leaving_bytes =                   // of O on its way out (fa_hopper_split.cuh)
        split ? D / 8 * 128 * 16 + FA_SPLITS_MAX * 32 * 16 : G * 4 * (D / 64) * store_bytes;
    static constexpr int column_bytes = N * 128; // of one column of 64 of K or V in 16 bits
    // 65536 registers: what the copying warpgroup gives up the others take.
    static constexpr int registers = G == 4 ? 112 : G == 3 ? 160 : G == 1 && D == 64 ? 216 : 232;
    static constexpr int copy_registers = G >= 3 ? 32 : 40;
};

struct fa_problem {
    CUtensorMap q, k, v, o;
    struct cuda_attention attention;
    uint32_t tile_count; // of one head
    uint32_t total;      // tiles
    uint32_t split_log2; // 2^this thread blocks share a tile
    // A tile's number has three digits: bases of the lower two, and the number of thread blocks as such a number.
    struct {
        uint32_t low, mid;
    } base;
    struct {
        uint32_t low, mid, high;
    } step;
    uint32_t last_group; // with a mask: of heads
    int32_t key_offset;  // with a mask row r sees r + 1 + key_offset keys
    float scale_log2;    // scale x log2(e)
};

__device__ __forceinline__ bool fa_has_mask(const fa_problem &problem) {
    return problem.attention.args.mask != ATTENTION_MASK_NONE;
}

// Keys that a query row sees: attention_device_visible with what is known before the launch. Rows past the last one count on.
__device__ __forceinline__ int fa_visible(const fa_problem &problem, int row) {
    const int seq_k = (int)problem.attention.args.seq_k;
    return fa_has_mask(problem) ? max(0, min(seq_k, row + 1 + problem.key_offset)) : seq_k;
}

// Whose K and V a query head has; of one batch.
__device__ __forceinline__ int fa_head_kv(const fa_problem &problem, int head) {
    return head / (int)problem.attention.args.group;
}

// What a head's scores are multiplied by to be exponents of 2, and what its V is multiplied by; fp8 has scales.
__device__ __forceinline__ float fa_score_factor(const fa_problem &problem, int64_t batch, int64_t head,
                                                 int64_t head_kv) {
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    float ret = problem.scale_log2;
    if (data.q_scale) ret *= data.q_scale[batch * args.heads + head];
    if (data.k_scale) ret *= data.k_scale[batch * args.heads_kv + head_kv];
    return ret;
}
__device__ __forceinline__ float fa_value_factor(const fa_problem &problem, int64_t batch, int64_t head_kv) {
    const float *scales = problem.attention.data.v_scale;
    return scales ? scales[batch * problem.attention.args.heads_kv + head_kv] : 1.0f;
}

// A thread block takes every gridDim.x-th tile. Without a mask the tiles of a head are neighbours and find its keys in the L2: digits
// are tile and head. With one they are of so many heads as the L2 holds the keys of, by length: digits are head among those, tile,
// which heads. The longest come first of the last of these groups and shortest first of the one before it, and so on in turn:
// what a thread block has more than others of one group it has less of the next. Stepping through digits costs no division.
struct fa_tile {
    uint32_t number, low, mid, high;

    __device__ __forceinline__ explicit fa_tile(const fa_problem &problem)
        : number(blockIdx.x >> problem.split_log2) {
        const uint32_t above = number / problem.base.low;
        low = number - above * problem.base.low;
        high = above / problem.base.mid;
        mid = above - high * problem.base.mid;
    }

    __device__ __forceinline__ void next(const fa_problem &problem) {
        number += gridDim.x;
        low += problem.step.low;
        mid += problem.step.mid;
        high += problem.step.high;
        if (low >= problem.base.low) {
            low -= problem.base.low;
            ++mid;
        }
        if (mid >= problem.base.mid) {
            mid -= problem.base.mid;
            ++high;
        }
    }
    __device__ __forceinline__ bool has_next(const fa_problem &problem) const {
        return number + gridDim.x < problem.total;
    }
    // Of all batches.
    __device__ __forceinline__ int head(const fa_problem &problem) const {
        return (int)(fa_has_mask(problem) ? high * problem.base.low + low : mid);
    }
    __device__ __forceinline__ int first_row(const fa_problem &problem, int rows) const {
        const bool is_rising = (problem.last_group ^ high) & 1;
        return (int)(!fa_has_mask(problem) ? low : is_rising ? mid : problem.tile_count - 1 - mid) * rows;
    }
};

// The head of a tile: which one of all, of which batch, which one of it.
struct fa_head {
    int of_all, batch, number;
    __device__ __forceinline__ fa_head(const fa_problem &problem, const fa_tile &tile)
        : of_all(tile.head(problem)) {
        const int heads = (int)problem.attention.args.heads;
        batch = of_all / heads;
        number = of_all - batch * heads;
    }
};

// The blocks of keys of one tile after the other; of a split tile, those of this thread block, of which there may be none.
template <typename shape> struct fa_block {
    static constexpr int rows = shape::rows, keys = shape::keys;
    fa_tile tile;
    int first_row, count, full_keys,
        index;  // count: of the tile, 1 where no row sees a key; full_keys: that all its rows see
    int before; // keys of the tile before the first of these blocks; only if it is split

    __device__ __forceinline__ explicit fa_block(const fa_problem &problem) : tile(problem) {
        start(problem);
    }

    __device__ __forceinline__ void start(const fa_problem &problem) {
        first_row = tile.first_row(problem, rows);
        const int last_row = min(first_row + rows, (int)problem.attention.args.seq_q) - 1;
        count = max(1, (fa_visible(problem, last_row) + keys - 1) / keys);
        full_keys = fa_visible(problem, first_row);
        index = 0;
        if constexpr (shape::is_split) {
            const int each = (count + (1 << problem.split_log2) - 1) >> problem.split_log2;
            const int first = hopper_cluster_rank() * each;
            count = max(0, min(each, count - first));
            before = first * keys;
        }
    }
    // False behind the last one; a split tile is the only one.
    __device__ __forceinline__ bool next(const fa_problem &problem) {
        if (++index < count) return true;
        if constexpr (shape::is_split) return false;
        tile.next(problem);
        if (tile.number >= problem.total) return false;
        start(problem);
        return true;
    }
    // Blocks behind this one, of the same tile, that all its rows see.
    __device__ __forceinline__ int plain_ahead() const {
        if constexpr (shape::is_split) return min((full_keys - before) / keys, count) - 1 - index;
        return full_keys / keys - 1 - index;
    }
    __device__ __forceinline__ bool is_over() const { return index == count; } // behind the last tile
    __device__ __forceinline__ bool is_empty() const { return shape::is_split && count == 0; }
    __device__ __forceinline__ bool is_first() const { return index == 0; }
    __device__ __forceinline__ bool is_last() const { return index + 1 == count; }
    __device__ __forceinline__ int first_key() const { return (shape::is_split ? before : 0) + index * keys; }
    __device__ __forceinline__ bool is_masked() const { return first_key() + keys > full_keys; }
};

// A place in a ring of buffers: which, and in which turn.
template <int count> struct fa_ring {
    int slot = 0;
    uint32_t turn = 0;
    __device__ __forceinline__ void next() {
        if (++slot == count) {
            slot = 0;
            turn ^= 1;
        }
    }
};

#endif
