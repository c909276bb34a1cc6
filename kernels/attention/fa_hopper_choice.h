// SPDX-License-Identifier: Apache-2.0
//
// Which of its compiled forms an attention kernel for Hopper takes for a problem, and how often it splits a tile's keys: the way
// that takes the fewest clocks, by what a kernel's dispatch header has recorded. And how many heads are computed together. Numbers
// only: nothing here needs a device.
#ifndef ATTENTION_FA_HOPPER_CHOICE_H
#define ATTENTION_FA_HOPPER_CHOICE_H

#include "common/attention_args.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define FA_ROWS       64 // query rows of a warpgroup
#define FA_SPLITS_MAX 8  // thread blocks that share a tile: as large as a cluster may be everywhere

// What fits a multiprocessor by registers and shared memory.
#define FA_BLOCKS_A_MULTIPROCESSOR(dim, groups) ((groups) == 1 && (dim) == 64 ? 2 : 1)

// A form: warpgroups that compute, 64 query rows each; keys of a block; thread blocks that share a tile's keys, 1 or up to
// FA_SPLITS_MAX. Clocks as measured: of a block of keys where its tile has the multiprocessor for itself, and where as many tiles as fit are
// there; of a tile besides its blocks.
struct fa_form_clk {
    int dim, groups, keys, splits;
    double alone_clk, shared_clk, tile_clk;
};

// An entry of a dispatch header.
#define FA_FORM_CLK(dim, groups, keys, splits, alone_clk, shared_clk, tile_clk)                              \
    {dim, groups, keys, splits, alone_clk, shared_clk, tile_clk},

// A problem on a device. groups: only forms of so many warpgroups; splits: only so many thread blocks a tile; 0: any.
struct fa_question {
    const struct attention_args *args;
    int multiprocessors;
    int groups, splits;
    // Clusters of `splits` thread blocks of that form that the device holds at once: where clusters are large, some places of a group
    // of multiprocessors are left over.
    int (*clusters)(void *arg, int form, int splits);
    void *arg;
};

struct fa_way {
    int form; // -1: none is allowed
    int splits;
};

static inline double fa_tiles(const struct fa_form_clk *form, const struct attention_args *args) {
    return (double)args->batch * (double)args->heads *
           ceil((double)args->seq_q / (double)(form->groups * FA_ROWS));
}

// Clocks of a launch: waves of tiles over the multiprocessors. With a mask tiles are unequal, and waves overlap.
static inline double fa_cost_whole(const struct fa_form_clk *form, const struct fa_question *of) {
    const struct attention_args *args = of->args;
    const double tiles = fa_tiles(form, args), all = ceil((double)args->seq_k / form->keys);
    const double last = (double)attention_visible_keys(args, args->seq_q - 1);
    const double first = (double)attention_visible_keys(args, 0);
    const bool has_mask = args->mask != ATTENTION_MASK_NONE;
    const double mean = has_mask ? fmax(1.0, (first + last) / 2.0 / form->keys + 0.5) : all;
    const double most = has_mask ? fmax(1.0, ceil(last / form->keys)) : all;
    const bool is_alone = tiles <= of->multiprocessors;
    const int places =
        of->multiprocessors * (is_alone ? 1 : FA_BLOCKS_A_MULTIPROCESSOR(form->dim, form->groups));
    const double waves = tiles / places;
    const double block_clk = is_alone ? form->alone_clk : form->shared_clk;
    const double work = (has_mask ? waves : ceil(waves)) * (mean * block_clk + form->tile_clk);
    return fmax(work, most * form->alone_clk + form->tile_clk);
}

// The same where tiles are split, and all of them are there at once. The longest share counts.
static inline double fa_cost_split(const struct fa_form_clk *form, int splits, const struct fa_question *of) {
    const struct attention_args *args = of->args;
    const double keys = (double)attention_visible_keys(args, args->seq_q - 1);
    const double blocks = fmax(1.0, ceil(keys / form->keys));
    const bool is_alone = fa_tiles(form, args) * splits <= of->multiprocessors;
    return ceil(blocks / splits) * (is_alone ? form->alone_clk : form->shared_clk) + form->tile_clk;
}

static inline bool fa_is_allowed(const struct fa_form_clk *form, int splits, const struct fa_question *of) {
    return form->dim == of->args->head_dim && (!of->groups || form->groups == of->groups) &&
           (!of->splits || splits == of->splits);
}

static inline bool fa_has_room(const struct fa_form_clk *forms, const struct fa_way *way,
                               const struct fa_question *of) {
    const struct fa_form_clk *form = forms + way->form;
    const double tiles = fa_tiles(form, of->args);
    const int places = of->multiprocessors * FA_BLOCKS_A_MULTIPROCESSOR(form->dim, form->groups);
    return tiles * way->splits <= places && tiles <= of->clusters(of->arg, way->form, way->splits);
}

static inline struct fa_way fa_choose(const struct fa_form_clk *forms, int count,
                                      const struct fa_question *of) {
    struct fa_way best = {-1, 1};
    double least = 0.0;
    for (int i = 0; i < count; ++i)
        for (int splits = forms[i].splits > 1 ? 2 : 1; splits <= forms[i].splits; splits *= 2) {
            const struct fa_way way = {i, splits};
            if (!fa_is_allowed(&forms[i], splits, of)) continue;
            const double cost =
                splits > 1 ? fa_cost_split(&forms[i], splits, of) : fa_cost_whole(&forms[i], of);
            if (best.form >= 0 && !(cost < least)) continue;
            if (splits > 1 && !of->splits && !fa_has_room(forms, &way, of)) continue; // clusters would queue
            best = way;
            least = cost;
        }
    return best;
}

// Heads whose tiles are computed together, where a mask makes tiles unequal: their K and V fill about half of the L2 (Q and O pass
// through it). They divide the number of heads, so that every group has as many.
static inline uint32_t fa_heads_at_once(const struct attention_args *args, int64_t l2_bytes) {
    const int64_t heads = args->batch * args->heads;
    const int64_t head_bytes = 2 * args->seq_k * args->head_dim * args->k.element_bytes / args->group;
    const int64_t most = head_bytes ? l2_bytes / 2 / head_bytes : heads;
    int64_t ret = most < 1 ? 1 : most < heads ? most : heads;
    while (heads % ret) --ret;
    return (uint32_t)ret;
}

#endif
