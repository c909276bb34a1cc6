// SPDX-License-Identifier: Apache-2.0
//
// Tile schedule of the Hopper attention kernels under a causal mask, where tiles differ in length: which
// tile each persistent thread block takes next. List scheduling (Graham 1966): the tiles in an order that
// keeps the K and V of few heads in the L2, each to the thread block that is free first by the tile
// configuration's clocks. Pure arithmetic on the host: nothing here needs a device.
//
// Order: heads come in groups whose K and V the L2 holds together; in a group the tiles are sorted by
// length. Groups alternate between longest-first and shortest-first, the last one longest-first, so that
// short tiles fill the ends.
#ifndef ATTENTION_FA_HOPPER_SCHEDULE_H
#define ATTENTION_FA_HOPPER_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "attention/attention_args.h"
#include "attention/fa_hopper_heuristics.h"

#define FA_HOPPER_NO_TILE   UINT32_MAX // in a schedule: the thread block has no more tiles
#define FA_HOPPER_TILES_MAX (1 << 24)  // of a schedule: 64 MiB, and a tile fits the 32 bits of an entry

#if defined(__CUDACC__)
#define FA_HOPPER_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define FA_HOPPER_HOST_DEVICE static inline
#endif

// A tile of query rows: its head over all batches, and its number in the head.
struct fa_hopper_tile {
    uint32_t head, row_tile;
};

// The order of the tiles. heads: over all batches, a multiple of group_heads.
struct fa_hopper_tile_order {
    uint32_t heads, group_heads, tiles_per_head;
    uint32_t row_tile_bits; // of an entry of a schedule; the head is above them
};

static inline struct fa_hopper_tile_order fa_hopper_tile_order_make(uint32_t heads, uint32_t group_heads,
                                                                    uint32_t tiles_per_head) {
    struct fa_hopper_tile_order ret = {heads, group_heads, tiles_per_head, 0};
    while (tiles_per_head > UINT32_C(1) << ret.row_tile_bits) ++ret.row_tile_bits;
    return ret;
}

FA_HOPPER_HOST_DEVICE struct fa_hopper_tile fa_hopper_tile_at(const struct fa_hopper_tile_order *order,
                                                              uint32_t number) {
    const uint32_t above = number / order->group_heads, group = above / order->tiles_per_head;
    const uint32_t rank = above - group * order->tiles_per_head;
    const bool is_shortest_first = (order->heads / order->group_heads - 1 - group) & 1;
    struct fa_hopper_tile ret;
    ret.head = group * order->group_heads + (number - above * order->group_heads);
    ret.row_tile = is_shortest_first ? rank : order->tiles_per_head - 1 - rank;
    return ret;
}

FA_HOPPER_HOST_DEVICE struct fa_hopper_tile fa_hopper_tile_of_entry(const struct fa_hopper_tile_order *order,
                                                                    uint32_t entry) {
    struct fa_hopper_tile ret;
    ret.head = entry >> order->row_tile_bits;
    ret.row_tile = entry & ((UINT32_C(1) << order->row_tile_bits) - 1);
    return ret;
}

// Clocks of a tile on a full multiprocessor.
static inline double fa_hopper_tile_clk(const struct attention_args *args,
                                        const struct fa_hopper_tile_config *config, uint32_t row_tile) {
    const int64_t end = ((int64_t)row_tile + 1) * config->warpgroups * FA_HOPPER_WARPGROUP_ROWS;
    const int64_t keys = attention_visible_keys(args, (end < args->seq_q ? end : args->seq_q) - 1);
    const int64_t blocks = keys > 0 ? (keys + config->keys - 1) / config->keys : 1;
    return (double)blocks * config->shared_clk + config->tile_clk;
}

// Entries of all thread blocks: number round * block_count + block is the tile that the block takes after
// `round` others. The first round is in order; a block's last entry is FA_HOPPER_NO_TILE.
struct fa_hopper_schedule {
    uint32_t block_count, round_count; // rounds with the one that has no tile
    uint32_t *entries;                 // malloc
};

// The thread block that is free first, the lowest of several.
static inline uint32_t fa_hopper_first_free(const double *busy_clk, uint32_t block_count) {
    uint32_t ret = 0;
    for (uint32_t i = 1; i < block_count; ++i)
        if (busy_clk[i] < busy_clk[ret]) ret = i;
    return ret;
}

// The thread block of every tile, by its number in the order. busy_clk: zeros, of block_count blocks.
static inline void fa_hopper_assign(const struct attention_args *args,
                                    const struct fa_hopper_tile_config *config,
                                    const struct fa_hopper_tile_order *order, uint32_t block_count,
                                    double *busy_clk, uint32_t *ret_blocks) {
    for (uint32_t n = 0; n < order->heads * order->tiles_per_head; ++n) {
        const uint32_t block = n < block_count ? n : fa_hopper_first_free(busy_clk, block_count);
        busy_clk[block] += fa_hopper_tile_clk(args, config, fa_hopper_tile_at(order, n).row_tile);
        ret_blocks[n] = block;
    }
}

// False without memory. blocks: of every tile; taken: zeros, of block_count blocks.
static inline bool fa_hopper_schedule_fill(const struct fa_hopper_tile_order *order, const uint32_t *blocks,
                                           uint32_t *taken, struct fa_hopper_schedule *ret) {
    const uint32_t total = order->heads * order->tiles_per_head, width = ret->block_count;
    for (uint32_t n = 0; n < total; ++n)
        if (++taken[blocks[n]] >= ret->round_count) ret->round_count = taken[blocks[n]] + 1;
    const size_t count = (size_t)ret->round_count * width;
    ret->entries = (uint32_t *)malloc(count * sizeof *ret->entries);
    if (!ret->entries) return false;
    for (size_t i = 0; i < count; ++i) ret->entries[i] = FA_HOPPER_NO_TILE;
    for (uint32_t n = total; n-- > 0;) {
        const struct fa_hopper_tile tile = fa_hopper_tile_at(order, n);
        ret->entries[(size_t)--taken[blocks[n]] * width + blocks[n]] =
            tile.head << order->row_tile_bits | tile.row_tile;
    }
    return true;
}

// False without memory. At most FA_HOPPER_TILES_MAX tiles. The caller frees ret->entries.
static inline bool fa_hopper_schedule_make(const struct attention_args *args,
                                           const struct fa_hopper_tile_config *config,
                                           const struct fa_hopper_tile_order *order, uint32_t block_count,
                                           struct fa_hopper_schedule *ret) {
    uint32_t *blocks = (uint32_t *)malloc((size_t)order->heads * order->tiles_per_head * sizeof *blocks);
    uint32_t *taken = (uint32_t *)calloc(block_count, sizeof *taken);
    double *busy_clk = (double *)calloc(block_count, sizeof *busy_clk);
    bool is_made = blocks && taken && busy_clk;
    ret->block_count = block_count;
    ret->round_count = 1;
    ret->entries = NULL;
    if (is_made) {
        fa_hopper_assign(args, config, order, block_count, busy_clk, blocks);
        is_made = fa_hopper_schedule_fill(order, blocks, taken, ret);
    }
    free(blocks);
    free(taken);
    free(busy_clk);
    return is_made;
}

#endif
