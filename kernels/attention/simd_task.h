// SPDX-License-Identifier: Apache-2.0
//
// What a thread of simd.c works on: where its data lie, which block of rows and of keys is current, and what
// is asked for ahead of its use. The same for all vector units.
#ifndef ATTENTION_SIMD_TASK_H
#define ATTENTION_SIMD_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/simd_plan.h"

#define SIMD_LINE_BYTES 64 // that a prefetch brings

struct simd_job {
    const struct simd_plan *plan;
    struct attention_data data;
    char *workspace;
};

// State of one thread while it works on one block of rows.
struct simd_task {
    const struct simd_plan *plan;
    const struct attention_data *data;
    struct simd_resident *resident;
    float *k;      // [panel][padded_dim][panel_keys]
    float *v;      // [key][padded_dim], unless V is read in place
    float *q;      // [row][padded_dim], unless Q is read in place
    float *scores; // [row][BLOCK_N], then weights
    float *slots;  // O and the softmax's state of each slot
    float *o;      // [row][padded_dim], of the current slot
    struct simd_rows *rows;
    const float *queries; // Q of the current block of rows, and the distance of its rows
    int64_t query_stride;
    int64_t batch, head_kv;
    int64_t next_group; // whose K and V this thread is likely to need next; -1: unknown, or these
    int64_t head, first_row, row_count; // of the block of rows
    int64_t first_key, key_count;       // of the block of keys
    int64_t block, block_count;         // of the item: which one this is
};

// Bytes that are asked for while a tile of P V is computed, `step` with each key.
struct simd_ahead {
    uintptr_t at;
    uintptr_t step;
};

static inline void simd_task_set(struct simd_task *task, const struct simd_job *job, uint32_t thread) {
    const struct simd_plan *plan = job->plan;
    char *base = job->workspace + (size_t)thread * plan->thread_bytes;
    task->plan = plan;
    task->data = &job->data;
    task->resident = (struct simd_resident *)(void *)base;
    task->k = (float *)(void *)(base + SIMD_THREAD_HEAD_BYTES);
    task->v = task->k + plan->chunk_keys * plan->padded_dim;
    task->q = task->v + (plan->is_v_in_place ? 0 : plan->chunk_keys * plan->padded_dim);
    task->scores = task->q + BLOCK_M * plan->padded_dim;
    task->slots = task->scores + BLOCK_M * BLOCK_N;
}

static inline void simd_task_set_slot(struct simd_task *task, int64_t slot) {
    task->o = task->slots + slot * task->plan->slot_floats;
    task->rows = (struct simd_rows *)(void *)(task->o + BLOCK_M * task->plan->padded_dim);
}

// Selects a block of rows by its number in the group of query heads.
static inline void simd_task_set_rows(struct simd_task *task, int64_t block) {
    const struct attention_args *args = &task->plan->args;
    task->head = task->head_kv * args->group + block / task->plan->blocks_per_head;
    task->first_row = block % task->plan->blocks_per_head * BLOCK_M;
    task->row_count = args->seq_q - task->first_row < BLOCK_M ? args->seq_q - task->first_row : BLOCK_M;
}

// How many keys of the current key block a row of the current block of rows sees.
static inline int64_t simd_task_visible(const struct simd_task *task, int64_t row) {
    const int64_t visible =
        attention_visible_keys(&task->plan->args, task->first_row + row) - task->first_key;
    if (visible < 0) return 0;
    return visible < task->key_count ? visible : task->key_count;
}

static inline struct simd_ahead simd_ahead_of(const char *data, int64_t bytes, int64_t key_count) {
    const int64_t step = simd_divide_up(bytes, key_count);
    return (struct simd_ahead){(uintptr_t)data, (uintptr_t)(step < SIMD_LINE_BYTES ? step : SIMD_LINE_BYTES)};
}

// The share of the item's current block of rows of a head that the next group needs.
static inline struct simd_ahead simd_ahead_part(const struct simd_task *task,
                                                const struct attention_view *view, const char *data) {
    const struct attention_args *args = &task->plan->args;
    const int64_t batch = task->next_group / args->heads_kv, head = task->next_group % args->heads_kv;
    const int64_t bytes = args->seq_k * view->stride_row * view->element_bytes / task->block_count;
    return simd_ahead_of(data + attention_row_bytes(view, batch, head, 0) + task->block * bytes, bytes,
                         task->key_count);
}

// The rows that follow the current block's, of this head or of the next one.
static inline struct simd_ahead simd_ahead_rows(const struct simd_task *task,
                                                const struct attention_view *view, const char *data) {
    const struct attention_args *args = &task->plan->args;
    int64_t head = task->head, row = task->first_row + BLOCK_M;
    if (row >= args->seq_q) head = head + 1 < args->heads ? head + 1 : head, row = 0;
    return simd_ahead_of(data + attention_row_bytes(view, task->batch, head, row),
                         BLOCK_M * view->stride_row * view->element_bytes, task->key_count);
}

// What to ask for during a tile of P V, by its number in the block of rows.
static inline struct simd_ahead simd_ahead_find(const struct simd_task *task, int64_t tile) {
    const struct attention_args *args = &task->plan->args;
    const bool has_next = task->next_group >= 0;
    switch (tile) {
    case 0:
        if (args->q.stride_row == args->head_dim) return simd_ahead_rows(task, &args->q, task->data->q);
        break;
    case 1:
        if (args->o.stride_row == args->head_dim) return simd_ahead_rows(task, &args->o, task->data->o);
        break;
    case 2:
        if (has_next) return simd_ahead_part(task, &args->k, task->data->k);
        break;
    case 3:
        if (has_next) return simd_ahead_part(task, &args->v, task->data->v);
        break;
    default: break;
    }
    return (struct simd_ahead){(uintptr_t)task->scores, 0};
}

// V from the chunk's first key on, in rows of padded_dim.
static inline const float *simd_task_v(const struct simd_task *task, int64_t chunk_first) {
    if (!task->plan->is_v_in_place) return task->v;
    const struct attention_view *v = &task->plan->args.v;
    const char *rows = task->data->v + attention_row_bytes(v, task->batch, task->head_kv, chunk_first);
    return (const float *)(const void *)rows;
}

#endif
