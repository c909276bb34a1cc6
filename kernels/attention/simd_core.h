// SPDX-License-Identifier: Apache-2.0
//
// A work item of simd.c on one vector unit. A template over vec_none.h's macros: include a vec_<isa>.h
// first (else vec_plain.h is used) to get simd_run_<isa>(); so the functions have no include guard.
//
// K of a block lies transposed in panels of VEC_TILE_VECTORS vectors of keys, dimension by dimension; V,
// Q and O lie row by row, padded with zeros to whole vectors. Both matrix kernels keep VEC_TILE_ROWS x
// VEC_TILE_VECTORS accumulators in registers: scores over a panel, O over as many columns. Rows of P end
// at the last key that the row sees: masked keys are never multiplied, so a NaN in them has no effect.
#include "attention/attention_args.h"
#include "attention/simd_plan.h"

#ifndef VEC_ISA
#include "common/vec_plain.h"
#endif
#include "common/row_math.h"

#ifndef ATTENTION_SIMD_CORE_H
#define ATTENTION_SIMD_CORE_H
#if defined(__clang__)
#define SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIMD_UNROLL _Pragma("GCC unroll 16")
#endif
#define SIMD_INLINE static inline __attribute__((always_inline))

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
    float *k;                    // [panel][padded_dim][panel_keys]
    float *v;                    // [key][padded_dim]
    float *q;                    // [row][padded_dim]
    float *scores;               // [row][BLOCK_N]
    float *o;                    // [slot][row][padded_dim]
    struct row_softmax *softmax; // [slot][row]
    int64_t batch, head_kv;
    int64_t head, first_row, row_count; // of the block of rows
    int64_t first_key, key_count;       // of the block of keys
};

static inline void simd_task_set(struct simd_task *task, const struct simd_job *job, uint32_t thread) {
    const struct simd_plan *plan = job->plan;
    char *base = job->workspace + (size_t)thread * plan->thread_bytes;
    task->plan = plan;
    task->data = &job->data;
    task->resident = (struct simd_resident *)(void *)base;
    task->k = (float *)(void *)(base + SIMD_THREAD_HEAD_BYTES);
    task->v = task->k + plan->chunk_keys * plan->padded_dim;
    task->q = task->v + plan->chunk_keys * plan->padded_dim;
    task->scores = task->q + BLOCK_M * plan->padded_dim;
    task->o = task->scores + BLOCK_M * BLOCK_N;
    task->softmax = (struct row_softmax *)(void *)(task->o + plan->slot_count * BLOCK_M * plan->padded_dim);
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
#endif

// Transposes VEC_LANES rows of fp32, each padded_dim long, into a panel.
VEC_TARGET static inline void ROW_NAME(simd_transpose)(const float *rows, int64_t padded_dim, float *panel) {
    for (int64_t d = 0; d < padded_dim; d += VEC_LANES) {
        vec_t tile[VEC_LANES];
        SIMD_UNROLL
        for (int i = 0; i < VEC_LANES; ++i) tile[i] = VEC_LOAD(rows + i * padded_dim + d);
        VEC_TRANSPOSE(tile);
        SIMD_UNROLL
        for (int i = 0; i < VEC_LANES; ++i)
            VEC_STORE(panel + (d + i) * VEC_TILE_VECTORS * VEC_LANES, tile[i]);
    }
}

// Loads the next block of keys of the resident chunk. Keys past the end read as zero up to a whole panel.
VEC_TARGET static inline void ROW_NAME(simd_load_keys)(const struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim, panel_keys = VEC_TILE_VECTORS * VEC_LANES;
    const int64_t chunk_first = task->resident->chunk * task->plan->chunk_keys;
    const int64_t first = chunk_first + task->resident->block_count * BLOCK_N;
    int64_t end = first + BLOCK_N;
    if (end > args->seq_k) end = args->seq_k;
    const int64_t padded_end = first + simd_round_up(end - first, panel_keys);
    float rows[VEC_LANES * SIMD_DIM_MAX];
    for (int64_t key = first; key < padded_end; key += VEC_LANES) {
        for (int64_t i = 0; i < VEC_LANES; ++i) {
            const int64_t row = key + i < end ? key + i : end - 1;
            const int64_t count = key + i < end ? args->head_dim : 0;
            const int64_t offset = attention_row_bytes(&args->k, task->batch, task->head_kv, row);
            ROW_CALL(row_load, task->data->k + offset, args->k.dtype, count, padded_dim,
                     rows + i * padded_dim);
        }
        const int64_t local = key - chunk_first;
        ROW_CALL(simd_transpose, rows, padded_dim,
                 task->k + local / panel_keys * panel_keys * padded_dim + local % panel_keys);
    }
    for (int64_t key = first; key < end; ++key)
        ROW_CALL(row_load, task->data->v + attention_row_bytes(&args->v, task->batch, task->head_kv, key),
                 args->v.dtype, args->head_dim, padded_dim, task->v + (key - chunk_first) * padded_dim);
    ++task->resident->block_count;
}

VEC_TARGET static inline void ROW_NAME(simd_load_queries)(const struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim;
    const vec_t factor = VEC_SET1(task->plan->query_factor);
    for (int64_t r = 0; r < task->row_count; ++r) {
        float *row = task->q + r * padded_dim;
        ROW_CALL(row_load,
                 task->data->q + attention_row_bytes(&args->q, task->batch, task->head, task->first_row + r),
                 args->q.dtype, args->head_dim, padded_dim, row);
        for (int64_t d = 0; d < padded_dim; d += VEC_LANES)
            VEC_STORE(row + d, VEC_MUL(VEC_LOAD(row + d), factor));
    }
    const int64_t padded_rows = simd_round_up(task->row_count, VEC_TILE_ROWS) - task->row_count;
    memset(task->q + task->row_count * padded_dim, 0, (size_t)(padded_rows * padded_dim) * sizeof(float));
}

// Scores of VEC_TILE_ROWS rows and one panel of keys.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_scores_tile)(const float *q, int64_t padded_dim, const float *panel,
                                                       int64_t dim, float *scores) {
    vec_t sum[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) sum[m][n] = VEC_ZERO();
    }
    for (int64_t d = 0; d < dim; ++d) {
        vec_t keys[VEC_TILE_VECTORS];
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) keys[n] = VEC_LOAD(panel + n * VEC_LANES);
        SIMD_UNROLL
        for (int m = 0; m < VEC_TILE_ROWS; ++m) {
            const vec_t query = VEC_SET1(q[m * padded_dim + d]);
            SIMD_UNROLL
            for (int n = 0; n < VEC_TILE_VECTORS; ++n) sum[m][n] = VEC_FMA(query, keys[n], sum[m][n]);
        }
        panel += VEC_TILE_VECTORS * VEC_LANES;
    }
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) VEC_STORE(scores + m * BLOCK_N + n * VEC_LANES, sum[m][n]);
    }
}

// O += P V for VEC_TILE_ROWS rows, vectors x VEC_LANES columns, key_count keys. v and o have rows of
// padded_dim.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_values_tile)(const int vectors, const float *p, const float *v,
                                                       int64_t key_count, float *o, int64_t padded_dim) {
    vec_t sum[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n) sum[m][n] = VEC_LOAD(o + m * padded_dim + n * VEC_LANES);
    }
    for (int64_t j = 0; j < key_count; ++j) {
        vec_t values[VEC_TILE_VECTORS];
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n) values[n] = VEC_LOAD(v + n * VEC_LANES);
        SIMD_UNROLL
        for (int m = 0; m < VEC_TILE_ROWS; ++m) {
            const vec_t p_lane = VEC_SET1(p[m * BLOCK_N + j]);
            SIMD_UNROLL
            for (int n = 0; n < vectors; ++n) sum[m][n] = VEC_FMA(p_lane, values[n], sum[m][n]);
        }
        v += padded_dim;
    }
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n) VEC_STORE(o + m * padded_dim + n * VEC_LANES, sum[m][n]);
    }
}

// All columns of VEC_TILE_ROWS rows.
VEC_TARGET static inline void ROW_NAME(simd_values_group)(const float *p, const float *v, int64_t key_count,
                                                          float *o, int64_t padded_dim) {
    int64_t left = padded_dim / VEC_LANES;
    const int64_t widest = simd_divide_up(left, simd_divide_up(left, VEC_TILE_VECTORS));
    while (left > 0) {
        const int64_t vectors = left < widest ? left : widest;
        if (vectors == 4 && VEC_TILE_VECTORS >= 4)
            ROW_CALL(simd_values_tile, VEC_TILE_VECTORS >= 4 ? 4 : 1, p, v, key_count, o, padded_dim);
        else if (vectors == 3 && VEC_TILE_VECTORS >= 3)
            ROW_CALL(simd_values_tile, VEC_TILE_VECTORS >= 3 ? 3 : 1, p, v, key_count, o, padded_dim);
        else if (vectors == 2)
            ROW_CALL(simd_values_tile, 2, p, v, key_count, o, padded_dim);
        else
            ROW_CALL(simd_values_tile, 1, p, v, key_count, o, padded_dim);
        v += vectors * VEC_LANES;
        o += vectors * VEC_LANES;
        left -= vectors;
    }
}

// One row: the few keys at the mask's diagonal that not all rows of a group see.
VEC_TARGET static inline void ROW_NAME(simd_values_row)(const float *p, const float *v, int64_t key_count,
                                                        float *o, int64_t padded_dim) {
    for (int64_t j = 0; j < key_count; ++j) {
        const vec_t p_lane = VEC_SET1(p[j]);
        for (int64_t d = 0; d < padded_dim; d += VEC_LANES)
            VEC_STORE(o + d, VEC_FMA(p_lane, VEC_LOAD(v + j * padded_dim + d), VEC_LOAD(o + d)));
    }
}

VEC_TARGET static inline void ROW_NAME(simd_scores)(const struct simd_task *task, const float *k) {
    const int64_t padded_dim = task->plan->padded_dim, dim = task->plan->args.head_dim;
    const int64_t panel_keys = VEC_TILE_VECTORS * VEC_LANES;
    for (int64_t key = 0; key < task->key_count; key += panel_keys) {
        for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
            const int64_t last =
                r + VEC_TILE_ROWS < task->row_count ? r + VEC_TILE_ROWS - 1 : task->row_count - 1;
            if (simd_task_visible(task, last) <= key) continue;
            ROW_CALL(simd_scores_tile, task->q + r * padded_dim, padded_dim, k + key * padded_dim, dim,
                     task->scores + r * BLOCK_N + key);
        }
    }
}

VEC_TARGET static inline void ROW_NAME(simd_softmax)(const struct simd_task *task, float *o,
                                                     struct row_softmax *softmax) {
    const int64_t padded_dim = task->plan->padded_dim;
    for (int64_t r = 0; r < task->row_count; ++r) {
        const int64_t visible = simd_task_visible(task, r);
        if (visible == 0) continue;
        ROW_CALL(row_softmax_step, task->scores + r * BLOCK_N, visible, task->plan->score_factor,
                 softmax + r);
        if (softmax[r].decay == 1.0f) continue;
        const vec_t decay = VEC_SET1(softmax[r].decay);
        float *row = o + r * padded_dim;
        for (int64_t d = 0; d < padded_dim; d += VEC_LANES)
            VEC_STORE(row + d, VEC_MUL(VEC_LOAD(row + d), decay));
    }
}

VEC_TARGET static inline void ROW_NAME(simd_values)(const struct simd_task *task, const float *v, float *o) {
    const int64_t padded_dim = task->plan->padded_dim;
    for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
        // Later rows see more keys: what the first row sees, all rows of the group see.
        const int64_t shared = simd_task_visible(task, r);
        const float *p = task->scores + r * BLOCK_N;
        if (shared > 0) ROW_CALL(simd_values_group, p, v, shared, o + r * padded_dim, padded_dim);
        for (int64_t i = 1; shared < task->key_count && i < VEC_TILE_ROWS && r + i < task->row_count; ++i)
            ROW_CALL(simd_values_row, p + i * BLOCK_N + shared, v + shared * padded_dim,
                     simd_task_visible(task, r + i) - shared, o + (r + i) * padded_dim, padded_dim);
    }
}

VEC_TARGET static inline void ROW_NAME(simd_store)(const struct simd_task *task, float *o,
                                                   const struct row_softmax *softmax) {
    const struct attention_args *args = &task->plan->args;
    for (int64_t r = 0; r < task->row_count; ++r) {
        const int64_t query = task->first_row + r;
        const bool is_masked = attention_visible_keys(args, query) == 0;
        // A row with visible keys and a sum of 0: all its scores are -inf, and the definition gives 0/0.
        const float inverse = is_masked ? 0.0f : softmax[r].sum > 0.0f ? 1.0f / softmax[r].sum : NAN;
        char *out = task->data->o + attention_row_bytes(&args->o, task->batch, task->head, query);
        ROW_CALL(row_store, o + r * task->plan->padded_dim, inverse, args->o.dtype, args->head_dim, out);
        if (task->data->lse)
            task->data->lse[(task->batch * args->heads + task->head) * args->seq_q + query] =
                is_masked ? -INFINITY
                          : (float)(((double)softmax[r].base + log2((double)softmax[r].sum)) * ROW_LN2);
    }
}

// One block of rows and one chunk of keys; the slot keeps O and the softmax state from chunk to chunk.
VEC_TARGET static inline void ROW_NAME(simd_run_rows)(struct simd_task *task, int64_t chunk, int64_t slot) {
    const struct simd_plan *plan = task->plan;
    const int64_t chunk_first = chunk * plan->chunk_keys;
    float *o = task->o + slot * BLOCK_M * plan->padded_dim;
    struct row_softmax *softmax = task->softmax + slot * BLOCK_M;
    if (chunk == 0) {
        memset(o, 0, (size_t)(BLOCK_M * plan->padded_dim) * sizeof(float));
        for (int64_t r = 0; r < BLOCK_M; ++r) softmax[r] = (struct row_softmax){-INFINITY, 0.0f, 1.0f};
    }
    int64_t key_limit = attention_visible_keys(&plan->args, task->first_row + task->row_count - 1);
    if (key_limit > chunk_first + plan->chunk_keys) key_limit = chunk_first + plan->chunk_keys;
    if (key_limit > chunk_first) ROW_CALL(simd_load_queries, task);
    for (task->first_key = chunk_first; task->first_key < key_limit; task->first_key += BLOCK_N) {
        const int64_t local = task->first_key - chunk_first;
        while (task->resident->block_count <= local / BLOCK_N) ROW_CALL(simd_load_keys, task);
        task->key_count = key_limit - task->first_key < BLOCK_N ? key_limit - task->first_key : BLOCK_N;
        ROW_CALL(simd_scores, task, task->k + local * plan->padded_dim);
        ROW_CALL(simd_softmax, task, o, softmax);
        ROW_CALL(simd_values, task, task->v + local * plan->padded_dim, o);
    }
    if (chunk == plan->chunk_count - 1) ROW_CALL(simd_store, task, o, softmax);
}

// Work item: some blocks of rows of the query heads that share one head of K and V.
VEC_TARGET static inline void ROW_NAME(simd_run)(void *arg, int64_t index, uint32_t thread) {
    const struct simd_job *job = (const struct simd_job *)arg;
    const struct simd_plan *plan = job->plan;
    const int64_t group = index / plan->items_per_group;
    // With a causal mask the longest rows come first.
    const int64_t item = plan->items_per_group - 1 - index % plan->items_per_group;
    const int64_t first_block = item * plan->item_blocks;
    int64_t end_block = first_block + plan->item_blocks;
    if (end_block > plan->args.group * plan->blocks_per_head)
        end_block = plan->args.group * plan->blocks_per_head;
    struct simd_task task = {.batch = group / plan->args.heads_kv, .head_kv = group % plan->args.heads_kv};
    simd_task_set(&task, job, thread);
    for (int64_t chunk = 0; chunk < plan->chunk_count; ++chunk) {
        if (task.resident->group != group || task.resident->chunk != chunk)
            *task.resident = (struct simd_resident){group, chunk, 0};
        for (int64_t block = first_block; block < end_block; ++block) {
            simd_task_set_rows(&task, block);
            ROW_CALL(simd_run_rows, &task, chunk, plan->slot_count > 1 ? block - first_block : 0);
        }
    }
}
