// SPDX-License-Identifier: Apache-2.0
//
// Shared by the Hopper attention kernels: the problem as the device sees it, the persistent tile
// scheduler (which tile of query rows a thread block works on next), the walk over the key blocks of
// those tiles, and pipeline states. All of these values are warp-uniform and are computed so that the
// compiler can see it.
#ifndef ATTENTION_FA_HOPPER_TILE_SCHEDULER_CUH
#define ATTENTION_FA_HOPPER_TILE_SCHEDULER_CUH

#include <cuda.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/attention_host.cuh"
#include "attention/fa_hopper_heuristics.h"
#include "common/hopper.cuh"

#define FA_HOPPER_WARP_ROWS 16
// Tiles whose head and batch are kept in shared memory: the most that are in flight, from the load of Q to
// the store of O.
#define FA_HOPPER_TILES_IN_FLIGHT 4
// Keys that a walk's first block needs at least: of fewer the largest score is seldom near the row's, so that
// the shift it sets would not hold.
#define FA_HOPPER_SHIFT_KEYS 32

// Traits common to all kernels. D: head dimension; G: consumer warpgroups, 64 query rows each; N: keys of a
// block. split: split KV, where the thread blocks of a cluster share a tile's keys (fa_hopper_combine.cuh)
// and have only that tile.
template <int D, int G, int N, bool split> struct fa_hopper_traits_base {
    static constexpr bool is_resident = false, is_split = split;
    static constexpr int dim = D, warpgroups = G, rows = G * FA_HOPPER_WARPGROUP_ROWS, keys = N;
    static constexpr int threads = 128 * (G + 1);
    static constexpr int ctas_per_sm = FA_HOPPER_CTAS_PER_SM(D, G);
    // A warp's 16 rows of O, one swizzle atom (64 16-bit elements, 128 bytes) wide.
    static constexpr int epilogue_atom_bytes = FA_HOPPER_WARP_ROWS * 128;
    // Epilogue storage: O staged for TMA stores or, of a split tile, partial results (fa_hopper_combine.cuh).
    static constexpr int epilogue_bytes =
        split ? D / 8 * 128 * 16 + FA_HOPPER_SPLITS_MAX * 32 * 16 : G * 4 * (D / 64) * epilogue_atom_bytes;
    // The N rows of a K or V block in 16 bits, one swizzle atom wide: wider blocks are several of these in a
    // row.
    static constexpr int atom_column_bytes = N * 128;
    // Of 65536 registers, the consumers take what the producer warpgroup gives up (setmaxnreg).
    static constexpr int registers = G == 4 ? 112 : G == 3 ? 160 : G == 1 && D == 64 ? 216 : 232;
    static constexpr int producer_registers = G >= 3 ? 32 : 40;
};

struct fa_hopper_problem {
    CUtensorMap q, k, v, o;
    struct cuda_attention attention;
    uint32_t tiles_per_head;
    uint32_t tiles_total;
    uint32_t split_log2; // 2^split_log2 thread blocks share a tile
    // Mixed-radix tile numbers (fa_hopper_work_tile): the radix of the two lower digits, and the grid's
    // stride in digits.
    struct {
        uint32_t low, mid;
    } radix;
    struct {
        uint32_t low, mid, high;
    } stride;
    uint32_t last_head_group;   // with a mask: number of the last group of heads
    int32_t key_offset;         // with a mask row r sees r + 1 + key_offset keys
    float scale_log2;           // softmax scale x log2(e)
    uint32_t shift_margin_bits; // the margin below, to be taken from a float's exponent
    float shift_margin;         // softmax shifts are this much above the first scores, as exponents of 2
};

// Either kind of causal mask.
__device__ __forceinline__ bool fa_hopper_is_causal(const fa_hopper_problem &problem) {
    return problem.attention.args.mask != ATTENTION_MASK_NONE;
}

// Keys that a query row sees: the result of attention_device_visible, from values computed before the launch.
// Rows past the last one are counted as if they existed.
__device__ __forceinline__ int fa_hopper_visible_keys(const fa_hopper_problem &problem, int row) {
    const int seq_k = (int)problem.attention.args.seq_k;
    return fa_hopper_is_causal(problem) ? max(0, min(seq_k, row + 1 + problem.key_offset)) : seq_k;
}

// The K and V head that a query head reads, in its batch.
__device__ __forceinline__ int fa_hopper_kv_head(const fa_hopper_problem &problem, int head) {
    return head / (int)problem.attention.args.group;
}

// Lower limit of the score factor's magnitude. A factor below it gives the same exponentials; a factor of 0
// would not, because 0 times a masked (infinite) score is NaN.
#define FA_HOPPER_SCORE_SCALE_MIN 1e-30f

// The scales of a head's Q, K and V: 1 where a problem has none.
struct fa_hopper_scales {
    float q, k, v;
};
// Where they are; apart from the loads, so that the constants can be read before they are waited for.
struct fa_hopper_scale_index {
    int64_t q, kv;
    __device__ __forceinline__ fa_hopper_scale_index(const fa_hopper_problem &problem, int64_t batch,
                                                     int64_t head, int64_t head_kv)
        : q(batch * problem.attention.args.heads + head),
          kv(batch * problem.attention.args.heads_kv + head_kv) {}
};
__device__ __forceinline__ fa_hopper_scales fa_hopper_load_scales(const fa_hopper_problem &problem,
                                                                  const fa_hopper_scale_index &at) {
    const struct attention_data &data = problem.attention.data;
    return {ld_global_nc_or(data.q_scale, at.q, 1.0f), ld_global_nc_or(data.k_scale, at.kv, 1.0f),
            ld_global_nc_or(data.v_scale, at.kv, 1.0f)};
}
// The factor that turns a head's scores into exponents of 2.
__device__ __forceinline__ float fa_hopper_score_scale(const fa_hopper_problem &problem,
                                                       const fa_hopper_scales &scales) {
    const float ret = problem.scale_log2 * scales.q * scales.k;
    return fabsf(ret) < FA_HOPPER_SCORE_SCALE_MIN ? FA_HOPPER_SCORE_SCALE_MIN : ret;
}

// The tile a thread block works on. Thread blocks are persistent: each takes every gridDim.x-th tile. Order
// without a mask: the tiles of a head are neighbours and share its K and V in the L2; digits (low, mid) are
// tile and head. With a mask: groups of heads whose K and V the L2 holds together, ordered by tile length;
// digits (low, mid, high) are head in the group, tile, group. Groups alternate between longest-first and
// shortest-first (snake order, the last group longest-first), which balances work between thread blocks.
// Stepping in digits needs no division.
struct fa_hopper_work_tile {
    uint32_t number, low, mid, high;

    __device__ __forceinline__ explicit fa_hopper_work_tile(const fa_hopper_problem &problem)
        : number(blockIdx.x >> problem.split_log2) {
        const uint32_t above = number / problem.radix.low;
        low = number - above * problem.radix.low;
        high = above / problem.radix.mid;
        mid = above - high * problem.radix.mid;
    }

    __device__ __forceinline__ void next(const fa_hopper_problem &problem) {
        number += gridDim.x;
        low += problem.stride.low;
        mid += problem.stride.mid;
        high += problem.stride.high;
        if (low >= problem.radix.low) {
            low -= problem.radix.low;
            ++mid;
        }
        if (mid >= problem.radix.mid) {
            mid -= problem.radix.mid;
            ++high;
        }
    }
    __device__ __forceinline__ bool has_next(const fa_hopper_problem &problem) const {
        return number + gridDim.x < problem.tiles_total;
    }
    // The query head, counted over all batches.
    __device__ __forceinline__ int head(const fa_hopper_problem &problem) const {
        return (int)(fa_hopper_is_causal(problem) ? high * problem.radix.low + low : mid);
    }
    __device__ __forceinline__ int first_row(const fa_hopper_problem &problem, int rows) const {
        const bool is_shortest_first = (problem.last_head_group ^ high) & 1;
        const uint32_t tile = !fa_hopper_is_causal(problem) ? low
                              : is_shortest_first           ? mid
                                                            : problem.tiles_per_head - 1 - mid;
        return (int)tile * rows;
    }
};

// The query head of a tile: over all batches (flat), and as batch and head.
struct fa_hopper_head_index {
    int flat, batch, head;
    __device__ __forceinline__ fa_hopper_head_index(const fa_hopper_problem &problem,
                                                    const fa_hopper_work_tile &tile)
        : flat(tile.head(problem)) {
        const int heads = (int)problem.attention.args.heads;
        batch = flat / heads;
        head = flat - batch * heads;
    }
};

// Iterates over the key blocks of one tile after another; of a split tile over this thread block's part,
// which may be empty. Without a mask the last keys come first: where scores rise towards the end, the first
// block of the walk then sets a shift that holds for all others (fa_hopper_softmax.cuh). The first keys come
// first where a mask hides others from some rows, and where the last block has too few keys to set a shift.
template <typename traits> struct fa_hopper_kv_block {
    static constexpr int rows = traits::rows, keys = traits::keys;
    fa_hopper_work_tile tile;
    int first_row;
    int count;           // key blocks of the tile (or part); at least 1, even if no row sees a key
    int unmasked_keys;   // keys that all rows of the tile see
    int index;           // of the current block, in the order of the walk
    int split_first_key; // split only: first key of this part
    bool is_backward;

    __device__ __forceinline__ explicit fa_hopper_kv_block(const fa_hopper_problem &problem) : tile(problem) {
        const int last_keys = (int)problem.attention.args.seq_k % keys;
        is_backward = !fa_hopper_is_causal(problem) && (last_keys == 0 || last_keys >= FA_HOPPER_SHIFT_KEYS);
        start(problem);
    }

    __device__ __forceinline__ void start(const fa_hopper_problem &problem) {
        first_row = tile.first_row(problem, rows);
        const int last_row = min(first_row + rows, (int)problem.attention.args.seq_q) - 1;
        count = max(1, (fa_hopper_visible_keys(problem, last_row) + keys - 1) / keys);
        unmasked_keys = fa_hopper_visible_keys(problem, first_row);
        index = 0;
        if constexpr (traits::is_split) {
            const int blocks_per_part = (count + (1 << problem.split_log2) - 1) >> problem.split_log2;
            const int first = cluster_ctarank() * blocks_per_part;
            count = max(0, min(blocks_per_part, count - first));
            split_first_key = first * keys;
        }
    }
    // False after the last block of the last tile; a split tile is the only one of its thread block.
    __device__ __forceinline__ bool next(const fa_hopper_problem &problem) {
        if (++index < count) return true;
        if constexpr (traits::is_split) return false;
        tile.next(problem);
        if (tile.number >= problem.tiles_total) return false;
        start(problem);
        return true;
    }
    // How many blocks after this one, in the same tile, need no mask.
    __device__ __forceinline__ int unmasked_ahead() const {
        if (is_backward) return count - 1 - index; // only the first block may be shorter
        if constexpr (traits::is_split)
            return min((unmasked_keys - split_first_key) / keys, count) - 1 - index;
        return unmasked_keys / keys - 1 - index;
    }
    __device__ __forceinline__ bool is_done() const { return index == count; } // past the last tile
    __device__ __forceinline__ bool is_empty() const { return traits::is_split && count == 0; }
    __device__ __forceinline__ bool is_first() const { return index == 0; }
    __device__ __forceinline__ bool is_last() const { return index + 1 == count; }
    __device__ __forceinline__ int first_key() const {
        return (traits::is_split ? split_first_key : 0) + (is_backward ? count - 1 - index : index) * keys;
    }
    __device__ __forceinline__ bool is_masked() const { return first_key() + keys > unmasked_keys; }
};

// A stage of a ring of buffers and the phase parity of its barriers.
template <int stages> struct fa_hopper_pipeline_state {
    int index = 0;
    uint32_t phase = 0;
    __device__ __forceinline__ void advance() {
        if (++index == stages) {
            index = 0;
            phase ^= 1;
        }
    }
};

#endif
