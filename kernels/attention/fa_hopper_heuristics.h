// SPDX-License-Identifier: Apache-2.0
//
// Heuristics of the Hopper attention kernels: the compiled tile configuration of a problem, the number of
// split-KV parts of its keys, and the number of heads that share the L2 at a time. A cost model estimates
// clocks from the figures that a kernel's dispatch header records; the cheapest choice wins. Pure
// arithmetic: nothing here needs a device. A table of `assay tune --emit` comes before the model where the
// problem was measured.
#ifndef ATTENTION_FA_HOPPER_HEURISTICS_H
#define ATTENTION_FA_HOPPER_HEURISTICS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/attention_table.h"

#define FA_HOPPER_WARPGROUP_ROWS 64 // query rows of a consumer warpgroup: M of wgmma
#define FA_HOPPER_SPLITS_MAX     8  // thread blocks that share a tile: the portable maximum of a cluster
#define FA_HOPPER_GRID_YZ_MAX    65535

// Thread blocks that fit a multiprocessor by registers and shared memory.
#define FA_HOPPER_CTAS_PER_SM(dim, warpgroups) ((warpgroups) == 1 && (dim) == 64 ? 2 : 1)

// A tile configuration: head dimension, consumer warpgroups of a thread block, query rows of a tile, keys of
// a block, and the most thread blocks that share a tile's keys (1: never split KV). With 64 rows for each
// warpgroup they have rows of their own; with fewer they share the tile, and all keys are resident
// (fa_hopper_resident.cuh). Measured clocks: alone_clk of a key block (with resident keys: of all keys)
// whose tile has the multiprocessor to itself, shared_clk of a key block on a full multiprocessor, tile_clk
// of a tile apart from its key blocks.
struct fa_hopper_tile_config {
    int dim, warpgroups, rows, keys, splits;
    double alone_clk, shared_clk, tile_clk;
};

// An entry of a dispatch header as a struct fa_hopper_tile_config.
#define FA_HOPPER_TILE_CONFIG(dim, warpgroups, rows, keys, splits, alone_clk, shared_clk, tile_clk)          \
    {dim, warpgroups, rows, keys, splits, alone_clk, shared_clk, tile_clk},

// Whether warpgroups share a tile, which has all keys at once.
#define FA_HOPPER_IS_RESIDENT(warpgroups, rows) ((rows) < (warpgroups)*FA_HOPPER_WARPGROUP_ROWS)
#define FA_HOPPER_RESIDENT_BLOCKS               2 // of a warpgroup's keys

static inline bool fa_hopper_is_resident(const struct fa_hopper_tile_config *tile) {
    return FA_HOPPER_IS_RESIDENT(tile->warpgroups, tile->rows);
}
// Keys that a thread block takes at a time.
static inline int fa_hopper_cta_keys(const struct fa_hopper_tile_config *tile) {
    return fa_hopper_is_resident(tile) ? tile->warpgroups * FA_HOPPER_RESIDENT_BLOCKS * tile->keys
                                       : tile->keys;
}
// How many share a tile's keys: thread blocks, or the warpgroups of one.
static inline int fa_hopper_tile_splits(const struct fa_hopper_tile_config *tile, int splits) {
    return fa_hopper_is_resident(tile) ? tile->warpgroups : splits;
}
// Whether the configuration's grid and shared memory take the problem.
static inline bool fa_hopper_fits(const struct fa_hopper_tile_config *tile,
                                  const struct attention_args *args) {
    return !fa_hopper_is_resident(tile) ||
           (args->seq_k <= fa_hopper_cta_keys(tile) && args->heads <= FA_HOPPER_GRID_YZ_MAX &&
            args->batch <= FA_HOPPER_GRID_YZ_MAX);
}

// A problem, a device, and the user's wishes. warpgroups: allow only configurations with that number, or with
// the largest below it that the head dimension has; splits: only with that number of thread blocks, or with
// resident keys of warpgroups, that share a tile's keys; 0: any. may_be_resident: for this problem.
struct fa_hopper_heuristic_inputs {
    const struct attention_args *args;
    int multiprocessors;
    int warpgroups, splits;
    // How many clusters of `splits` thread blocks of a tile configuration are resident at once
    // (cudaOccupancyMaxActiveClusters): large clusters leave some multiprocessors of a GPC unused.
    int (*max_active_clusters)(void *arg, int tile_config, int splits);
    void *arg;
    attention_table_fn table; // NULL: none
    bool may_be_resident;
};

struct fa_hopper_config {
    int tile_config; // index; -1: none is allowed
    int splits;
};

static inline double fa_hopper_tile_count(const struct fa_hopper_tile_config *tile,
                                          const struct attention_args *args) {
    return (double)args->batch * (double)args->heads * ceil((double)args->seq_q / (double)tile->rows);
}

// Clocks of a launch without split KV: waves of tiles over the multiprocessors. With a mask tiles are of
// unequal length and waves overlap.
static inline double fa_hopper_cost_unsplit(const struct fa_hopper_tile_config *tile,
                                            const struct fa_hopper_heuristic_inputs *inputs) {
    const struct attention_args *args = inputs->args;
    const double keys = fa_hopper_cta_keys(tile), rows = tile->rows;
    const double tiles = fa_hopper_tile_count(tile, args), all = ceil((double)args->seq_k / keys);
    const double last = (double)attention_visible_keys(args, args->seq_q - 1);
    const double first = (double)attention_visible_keys(args, 0);
    const bool has_mask = args->mask != ATTENTION_MASK_NONE;
    const double most = has_mask ? fmax(1.0, ceil(last / keys)) : all;
    // Under a mask a tile reads the blocks that its last row sees.
    const double seen = (first + last + fmax(rows, keys)) / 2.0 / keys;
    const double mean = has_mask ? fmax(1.0, fmin(most, seen)) : all;
    const bool is_alone = tiles <= inputs->multiprocessors;
    const int resident =
        inputs->multiprocessors * (is_alone ? 1 : FA_HOPPER_CTAS_PER_SM(tile->dim, tile->warpgroups));
    const double waves = tiles / resident;
    const double block_clk = is_alone ? tile->alone_clk : tile->shared_clk;
    const double work = (has_mask ? waves : ceil(waves)) * (mean * block_clk + tile->tile_clk);
    return fmax(work, most * tile->alone_clk + tile->tile_clk);
}

// Clocks of a launch with split KV: all thread blocks are resident at once, so the longest part decides.
static inline double fa_hopper_cost_split(const struct fa_hopper_tile_config *tile, int splits,
                                          const struct fa_hopper_heuristic_inputs *inputs) {
    const struct attention_args *args = inputs->args;
    const double keys = (double)attention_visible_keys(args, args->seq_q - 1);
    const double blocks = fmax(1.0, ceil(keys / tile->keys));
    const bool is_alone = fa_hopper_tile_count(tile, args) * splits <= inputs->multiprocessors;
    return ceil(blocks / splits) * (is_alone ? tile->alone_clk : tile->shared_clk) + tile->tile_clk;
}

// Resident keys are for one wave of tiles: a thread block loads nothing for the next one.
static inline bool fa_hopper_may_be_resident(const struct fa_hopper_tile_config *tile,
                                             const struct fa_hopper_heuristic_inputs *inputs) {
    const bool is_one_wave = fa_hopper_tile_count(tile, inputs->args) <= inputs->multiprocessors;
    return inputs->may_be_resident && (is_one_wave || inputs->splits);
}

static inline bool fa_hopper_is_allowed(const struct fa_hopper_tile_config *tile, int splits,
                                        const struct fa_hopper_heuristic_inputs *inputs) {
    return tile->dim == inputs->args->head_dim && fa_hopper_fits(tile, inputs->args) &&
           (!fa_hopper_is_resident(tile) || fa_hopper_may_be_resident(tile, inputs)) &&
           (!inputs->warpgroups || tile->warpgroups == inputs->warpgroups) &&
           (!inputs->splits || fa_hopper_tile_splits(tile, splits) == inputs->splits);
}

static inline bool fa_hopper_clusters_fit(const struct fa_hopper_tile_config *tile_configs,
                                          const struct fa_hopper_config *config,
                                          const struct fa_hopper_heuristic_inputs *inputs) {
    const struct fa_hopper_tile_config *tile = tile_configs + config->tile_config;
    const double tiles = fa_hopper_tile_count(tile, inputs->args);
    const int resident = inputs->multiprocessors * FA_HOPPER_CTAS_PER_SM(tile->dim, tile->warpgroups);
    return tiles * config->splits <= resident &&
           tiles <= inputs->max_active_clusters(inputs->arg, config->tile_config, config->splits);
}

// The number that stands for the one that is asked for: D = 128 has no four warpgroups, but three.
static inline int fa_hopper_nearest_warpgroups(const struct fa_hopper_tile_config *tile_configs, int count,
                                               const struct fa_hopper_heuristic_inputs *inputs) {
    int ret = 0;
    for (int i = 0; i < count; ++i) {
        const struct fa_hopper_tile_config *tile = &tile_configs[i];
        if (tile->dim == inputs->args->head_dim && tile->warpgroups <= inputs->warpgroups &&
            tile->warpgroups > ret)
            ret = tile->warpgroups;
    }
    return ret;
}

static inline struct fa_hopper_config
fa_hopper_cheapest_config(const struct fa_hopper_tile_config *tile_configs, int count,
                          const struct fa_hopper_heuristic_inputs *inputs) {
    struct fa_hopper_config best = {-1, 1};
    double least = 0.0;
    for (int i = 0; i < count; ++i)
        for (int splits = tile_configs[i].splits > 1 ? 2 : 1; splits <= tile_configs[i].splits; splits *= 2) {
            const struct fa_hopper_config config = {i, splits};
            if (!fa_hopper_is_allowed(&tile_configs[i], splits, inputs)) continue;
            const double cost = splits > 1 ? fa_hopper_cost_split(&tile_configs[i], splits, inputs)
                                           : fa_hopper_cost_unsplit(&tile_configs[i], inputs);
            if (best.tile_config >= 0 && !(cost < least)) continue;
            const bool would_queue =
                splits > 1 && !inputs->splits && !fa_hopper_clusters_fit(tile_configs, &config, inputs);
            if (would_queue) continue;
            best = config;
            least = cost;
        }
    return best;
}

// What is asked for, what the table has for a measured problem, or the cheapest by the model. The table knows
// no log-sum-exp: where it has resident keys, which that problem may not have, the model chooses.
static inline struct fa_hopper_config
fa_hopper_choose_config(const struct fa_hopper_tile_config *tile_configs, int count,
                        const struct fa_hopper_heuristic_inputs *asked) {
    struct fa_hopper_heuristic_inputs inputs = *asked;
    const bool is_free = !asked->warpgroups && !asked->splits;
    int is_measured = 0;
    if (is_free && asked->table) {
        const struct attention_shape shape = attention_shape_of(asked->args);
        const char *settings = asked->table(shape.kind, shape.axes, &is_measured);
        inputs.warpgroups = is_measured ? attention_setting(settings, "WARPGROUPS=") : 0;
        inputs.splits = is_measured ? attention_setting(settings, "SPLITS=") : 0;
    }
    inputs.warpgroups = fa_hopper_nearest_warpgroups(tile_configs, count, &inputs);
    const struct fa_hopper_config ret = fa_hopper_cheapest_config(tile_configs, count, &inputs);
    return ret.tile_config < 0 && is_measured ? fa_hopper_cheapest_config(tile_configs, count, asked) : ret;
}

// Heads whose tiles are scheduled together when a mask makes tiles unequal: their K and V fill about half of
// the L2 (Q and O pass through it). The result divides the number of heads, so that all groups are equal.
static inline uint32_t fa_hopper_heads_in_l2(const struct attention_args *args, int64_t l2_bytes) {
    const int64_t heads = args->batch * args->heads;
    const int64_t head_bytes = 2 * args->seq_k * args->head_dim * args->k.element_bytes / args->group;
    const int64_t most = head_bytes ? l2_bytes / 2 / head_bytes : heads;
    int64_t ret = most < 1 ? 1 : most < heads ? most : heads;
    while (heads % ret) --ret;
    return (uint32_t)ret;
}

#endif
