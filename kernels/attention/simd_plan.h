// SPDX-License-Identifier: Apache-2.0
//
// How simd.c partitions an attention problem: sizes that follow from the problem, the block shape, the
// vector unit and the cache. Nothing here depends on data, and no result depends on thread_count or the
// cache's size: they only decide which thread computes a block of rows, and how much of K and V is kept at a
// time.
#ifndef ATTENTION_SIMD_PLAN_H
#define ATTENTION_SIMD_PLAN_H

#include <assay/kernel.h>
#include <stddef.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "common/cpu_threads.h"

#ifndef BLOCK_M
#define BLOCK_M 48
#endif
#ifndef BLOCK_N
#define BLOCK_N 512
#endif

#define SIMD_DIM_MAX           256
#define SIMD_LANES_MAX         16
#define SIMD_CACHE_BYTES       (512 * 1024) // for K and V if the cache's size is unknown
#define SIMD_ITEM_ROWS         512 // approximate rows of a work item when K and V take several chunks
#define SIMD_ITEMS_PER_THREAD  4   // target, so that threads end together
#define SIMD_THREAD_HEAD_BYTES 256 // struct simd_resident, padded to keep alignment

// The vector unit in use.
struct simd_shape {
    int64_t lanes;      // fp32 in a vector
    int64_t panel_keys; // keys of one panel of transposed K
};

struct simd_plan {
    struct attention_args args;
    struct simd_shape shape;
    uint32_t thread_count;
    int64_t padded_dim;      // head_dim rounded up to whole vectors
    float query_factor;      // multiplies Q: 1, -1 or 0, the scale's sign
    float score_factor;      // multiplies Q K^T: |scale| log2(e)
    int64_t blocks_per_head; // blocks of BLOCK_M rows in one query head
    int64_t chunk_keys;      // keys of K and V kept at a time, a multiple of BLOCK_N
    int64_t chunk_count;
    int64_t item_blocks; // blocks of rows in one work item, all over the same K and V
    int64_t items_per_group;
    int64_t
        slot_count; // blocks of rows whose O and softmax state are kept: with several chunks, all of an item
    int64_t slot_floats; // O of a block of rows, and struct simd_rows
    bool is_q_in_place;  // Q is read from its tensor: fp32 rows of whole vectors, a scale above 0
    bool is_v_in_place;  // so is V, whose rows have no gaps
    bool is_o_in_place;  // O goes from registers to its tensor: fp32 rows of whole vectors, and no mask
    bool is_next_ahead;  // K and V of the next group are asked for: both fit into the L2 beside this group's
    size_t thread_bytes;
};

// Softmax state of a block of rows, in base 2: a weight is 2^(score - base). The base is a score that the row
// met, the first one or its panel's largest, until one is out of reach of it.
struct simd_rows {
    float sums[BLOCK_M * SIMD_LANES_MAX]; // [row][lane], of the weights so far
    float base[BLOCK_M];
    uint32_t met[BLOCK_M]; // [group of tile rows]: bits of the rows that met a score above -inf
};

// The K and V that a thread's workspace holds, within one launch.
struct simd_resident {
    int64_t group; // batch * heads_kv + head_kv; -1: none
    int64_t chunk;
    int64_t block_count; // blocks of BLOCK_N keys loaded so far, from the chunk's first
};

static inline int64_t simd_divide_up(int64_t value, int64_t step) {
    return (value + step - 1) / step;
}

static inline int64_t simd_round_up(int64_t value, int64_t step) {
    return simd_divide_up(value, step) * step;
}

// In an item of 512 rows, loading K and V takes about 1 % of the time of its products. With a single chunk a
// thread finds the K and V of its previous item still loaded; then the only cost of small items is that
// several threads load the same K and V.
static inline void simd_plan_items(struct simd_plan *plan) {
    const struct attention_args *args = &plan->args;
    const int64_t group_blocks = args->group * plan->blocks_per_head;
    const int64_t wanted = (int64_t)plan->thread_count * SIMD_ITEMS_PER_THREAD;
    const int64_t wanted_per_group = simd_divide_up(wanted, args->batch * args->heads_kv);
    int64_t item_count = 1;
    if (plan->chunk_count > 1) {
        item_count = simd_divide_up(group_blocks * BLOCK_M, SIMD_ITEM_ROWS);
        if (item_count < wanted_per_group) item_count = wanted_per_group;
        if (item_count > group_blocks) item_count = group_blocks;
    } else if (wanted_per_group > 1) {
        item_count = group_blocks;
    }
    plan->item_blocks = simd_divide_up(group_blocks, item_count);
    plan->items_per_group = simd_divide_up(group_blocks, plan->item_blocks);
}

static inline void simd_plan_set(struct simd_plan *plan, const struct attention_args *args,
                                 const struct assay_env *env, struct simd_shape shape) {
    plan->args = *args;
    plan->shape = shape;
    plan->thread_count = cpu_thread_count(env);
    plan->padded_dim = simd_round_up(args->head_dim, shape.lanes);
    plan->query_factor = args->scale > 0.0f ? 1.0f : args->scale < 0.0f ? -1.0f : 0.0f;
    plan->score_factor =
        args->scale == 0.0f ? 1.0f : (float)(fabs((double)args->scale) * 1.44269504088896340736);
    plan->is_v_in_place = args->v.dtype == ASSAY_FP32 && args->head_dim == plan->padded_dim &&
                          args->v.stride_row == plan->padded_dim;
    // Tiles have even numbers of rows: one more than an odd number is no row of the tensor.
    const bool has_whole_rows = args->head_dim == plan->padded_dim && args->seq_q % 2 == 0;
    plan->is_q_in_place = args->q.dtype == ASSAY_FP32 && has_whole_rows && plan->query_factor == 1.0f;
    plan->is_o_in_place = args->o.dtype == ASSAY_FP32 && has_whole_rows && args->mask == ATTENTION_MASK_NONE;
    plan->blocks_per_head = simd_divide_up(args->seq_q, BLOCK_M);

    const int64_t key_bytes = 2 * plan->padded_dim * (int64_t)sizeof(float);
    const int64_t kept_bytes = env && env->cache_bytes > 0 && env->cache_bytes < (uint64_t)1 << 40
                                   ? (int64_t)(env->cache_bytes / 2)
                                   : SIMD_CACHE_BYTES;
    const int64_t all_keys = simd_round_up(args->seq_k, BLOCK_N);
    int64_t keys = kept_bytes / key_bytes / BLOCK_N * BLOCK_N;
    if (keys < BLOCK_N) keys = BLOCK_N;
    plan->chunk_count = simd_divide_up(all_keys, keys);
    plan->chunk_keys = simd_round_up(simd_divide_up(all_keys, plan->chunk_count), BLOCK_N);
    plan->chunk_count = simd_divide_up(all_keys, plan->chunk_keys);

    const int64_t group_bytes =
        args->seq_k * args->head_dim * (args->k.element_bytes + args->v.element_bytes);
    plan->is_next_ahead = plan->chunk_count == 1 &&
                          plan->chunk_keys * key_bytes + group_bytes <= kept_bytes &&
                          args->k.stride_row == args->head_dim && args->v.stride_row == args->head_dim;

    simd_plan_items(plan);
    plan->slot_count = plan->chunk_count > 1 ? plan->item_blocks : 1;
    plan->slot_floats = BLOCK_M * plan->padded_dim + (int64_t)(sizeof(struct simd_rows) / sizeof(float));
    const int64_t floats = plan->chunk_keys * (plan->is_v_in_place ? 1 : 2) * plan->padded_dim +
                           BLOCK_M * (plan->padded_dim + BLOCK_N) + plan->slot_count * plan->slot_floats;
    plan->thread_bytes = (size_t)simd_round_up(SIMD_THREAD_HEAD_BYTES + floats * (int64_t)sizeof(float), 256);
}

#endif
