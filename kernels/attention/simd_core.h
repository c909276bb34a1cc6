// SPDX-License-Identifier: Apache-2.0
//
// A work item of simd.c on one vector unit. A template over vec_none.h's macros: include a vec_<isa>.h
// first (else vec_plain.h is used) to get simd_run_<isa>(); so the functions have no include guard.
//
// K of a block lies transposed in panels of VEC_TILE_VECTORS vectors of keys, dimension by dimension; V,
// Q and O lie row by row, padded with zeros to whole vectors. Both matrix kernels keep VEC_TILE_ROWS x
// VEC_TILE_VECTORS accumulators in registers: scores over a panel, O over as many columns. Scores become
// weights before they leave the registers. Rows of weights end at the last key that the row sees: masked keys
// are never multiplied, so a NaN in them has no effect.
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
#define SIMD_INLINE     static inline __attribute__((always_inline))
#define SIMD_PANEL_KEYS (VEC_TILE_VECTORS * VEC_LANES)
#define SIMD_ALL_MET    ((1U << VEC_TILE_ROWS) - 1)

// A base stays until a score is above it by more than this. Weights of up to 2^16 leave room for V up to
// 2^100.
#define SIMD_REACH 16.0f

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
    float *q;      // [row][padded_dim]
    float *scores; // [row][BLOCK_N], then weights
    float *slots;  // O and the softmax's state of each slot
    float *o;      // [row][padded_dim], of the current slot
    struct simd_rows *rows;
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

// V from the chunk's first key on, in rows of padded_dim.
static inline const float *simd_task_v(const struct simd_task *task, int64_t chunk_first) {
    if (!task->plan->is_v_in_place) return task->v;
    const struct attention_view *v = &task->plan->args.v;
    const char *rows = task->data->v + attention_row_bytes(v, task->batch, task->head_kv, chunk_first);
    return (const float *)(const void *)rows;
}
#endif

// Transposes VEC_LANES rows of fp32, stride apart, into a panel.
VEC_TARGET static inline void ROW_NAME(simd_transpose)(const float *rows, int64_t stride, int64_t padded_dim,
                                                       float *panel) {
    for (int64_t d = 0; d < padded_dim; d += VEC_LANES) {
        vec_t tile[VEC_LANES];
        SIMD_UNROLL
        for (int i = 0; i < VEC_LANES; ++i) tile[i] = VEC_LOAD(rows + i * stride + d);
        VEC_TRANSPOSE(tile);
        SIMD_UNROLL
        for (int i = 0; i < VEC_LANES; ++i)
            VEC_STORE(panel + (d + i) * VEC_TILE_VECTORS * VEC_LANES, tile[i]);
    }
}

// Transposes VEC_LANES keys into a panel, those from end on as zeros.
VEC_TARGET static inline void ROW_NAME(simd_load_panel)(const struct simd_task *task, int64_t key,
                                                        int64_t end, float *panel) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim;
    const char *k = task->data->k + attention_row_bytes(&args->k, task->batch, task->head_kv, 0);
    if (args->k.dtype == ASSAY_FP32 && args->head_dim == padded_dim && key + VEC_LANES <= end) {
        const float *rows = (const float *)(const void *)k + key * args->k.stride_row;
        ROW_CALL(simd_transpose, rows, args->k.stride_row, padded_dim, panel);
        return;
    }
    float rows[VEC_LANES * SIMD_DIM_MAX];
    memset(rows, 0, (size_t)(VEC_LANES * padded_dim) * sizeof(float));
    for (int64_t i = 0; i < VEC_LANES && key + i < end; ++i)
        ROW_CALL(row_load, k + (key + i) * args->k.stride_row * args->k.element_bytes, args->k.dtype,
                 args->head_dim, padded_dim, rows + i * padded_dim);
    ROW_CALL(simd_transpose, rows, padded_dim, padded_dim, panel);
}

// Loads the next block of keys of the resident chunk. Keys past the end read as zero up to a whole panel.
VEC_TARGET static inline void ROW_NAME(simd_load_keys)(const struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim;
    const int64_t chunk_first = task->resident->chunk * task->plan->chunk_keys;
    const int64_t first = chunk_first + task->resident->block_count * BLOCK_N;
    int64_t end = first + BLOCK_N;
    if (end > args->seq_k) end = args->seq_k;
    const int64_t padded_end = first + simd_round_up(end - first, SIMD_PANEL_KEYS);
    for (int64_t key = first; key < padded_end; key += VEC_LANES) {
        const int64_t local = key - chunk_first;
        ROW_CALL(simd_load_panel, task, key, end,
                 task->k + local / SIMD_PANEL_KEYS * SIMD_PANEL_KEYS * padded_dim + local % SIMD_PANEL_KEYS);
    }
    for (int64_t key = first; key < end && !task->plan->is_v_in_place; ++key)
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

VEC_TARGET static inline void ROW_NAME(simd_multiply)(float *values, int64_t count, vec_t factor) {
    for (int64_t i = 0; i < count; i += VEC_LANES)
        VEC_STORE(values + i, VEC_MUL(VEC_LOAD(values + i), factor));
}

// Gives a row another base. If the row met scores before, what became of those is scaled to it: the row's
// weights of the keys before key, their sum and O.
VEC_TARGET static inline void ROW_NAME(simd_move_base)(const struct simd_task *task, int64_t row, int64_t key,
                                                       float base) {
    struct simd_rows *rows = task->rows;
    uint32_t *met = rows->met + row / VEC_TILE_ROWS;
    const uint32_t bit = 1U << row % VEC_TILE_ROWS;
    if (*met & bit) {
        const int64_t padded_dim = task->plan->padded_dim;
        const vec_t decay = ROW_CALL(row_exp2, VEC_SET1(rows->base[row]), VEC_SET1(1.0f), VEC_SET1(-base));
        ROW_CALL(simd_multiply, task->scores + row * BLOCK_N, key, decay);
        ROW_CALL(simd_multiply, rows->sums + row * VEC_LANES, VEC_LANES, decay);
        ROW_CALL(simd_multiply, task->o + row * padded_dim, padded_dim, decay);
    }
    *met |= bit;
    rows->base[row] = base;
}

// The scores of a row and one panel become weights, and count in the row's sums.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_exponentials)(vec_t *scores, float score_factor, float base,
                                                        float *sums) {
    const vec_t factor = VEC_SET1(score_factor), shift = VEC_SET1(-base);
    vec_t sum = VEC_LOAD(sums);
    SIMD_UNROLL
    for (int n = 0; n < VEC_TILE_VECTORS; ++n) {
        scores[n] = ROW_CALL(row_exp2, scores[n], factor, shift);
        sum = VEC_ADD(sum, scores[n]);
    }
    VEC_STORE(sums, sum);
}

// Weights of a row from its scores of the panel at key, in memory. Keys that the row does not see weigh 0.
VEC_TARGET static inline void ROW_NAME(simd_weights_row)(const struct simd_task *task, int64_t row,
                                                         int64_t key) {
    struct simd_rows *rows = task->rows;
    const bool is_met = rows->met[row / VEC_TILE_ROWS] >> row % VEC_TILE_ROWS & 1;
    const float score_factor = task->plan->score_factor;
    float *scores = task->scores + row * BLOCK_N + key;
    const int64_t visible = simd_task_visible(task, row) - key;
    for (int64_t j = visible > 0 ? visible : 0; j < SIMD_PANEL_KEYS; ++j) scores[j] = -INFINITY;
    const float largest = ROW_CALL(row_max, scores, SIMD_PANEL_KEYS) * score_factor;
    if (largest > (is_met ? rows->base[row] + SIMD_REACH : -INFINITY))
        ROW_CALL(simd_move_base, task, row, key, largest);
    vec_t weights[VEC_TILE_VECTORS];
    for (int n = 0; n < VEC_TILE_VECTORS; ++n) weights[n] = VEC_LOAD(scores + n * VEC_LANES);
    ROW_CALL(simd_exponentials, weights, score_factor, rows->base[row], rows->sums + row * VEC_LANES);
    for (int n = 0; n < VEC_TILE_VECTORS; ++n) VEC_STORE(scores + n * VEC_LANES, weights[n]);
}

// Q K^T of VEC_TILE_ROWS rows and one panel of keys.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_scores_tile)(const struct simd_task *task, int64_t row,
                                                       const float *panel,
                                                       vec_t (*scores)[VEC_TILE_VECTORS]) {
    const int64_t padded_dim = task->plan->padded_dim, dim = task->plan->args.head_dim;
    const float *q = task->q + row * padded_dim;
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) scores[m][n] = VEC_ZERO();
    }
    for (int64_t d = 0; d < dim; ++d) {
        vec_t keys[VEC_TILE_VECTORS];
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) keys[n] = VEC_LOAD(panel + n * VEC_LANES);
        SIMD_UNROLL
        for (int m = 0; m < VEC_TILE_ROWS; ++m) {
            const vec_t query = VEC_SET1(q[m * padded_dim + d]);
            SIMD_UNROLL
            for (int n = 0; n < VEC_TILE_VECTORS; ++n) scores[m][n] = VEC_FMA(query, keys[n], scores[m][n]);
        }
        panel += SIMD_PANEL_KEYS;
    }
}

// Gives all rows of a tile their first base, the score of the panel's first key: weights of equal scores are
// then equal, and 1 while the base is small. False if one of these scores is not finite.
VEC_TARGET SIMD_INLINE bool ROW_NAME(simd_set_bases)(vec_t (*scores)[VEC_TILE_VECTORS], float score_factor,
                                                     float *base) {
    float first[VEC_TILE_ROWS];
    bool is_finite = true;
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        first[m] = VEC_FIRST(scores[m][0]) * score_factor;
        is_finite = is_finite && fabsf(first[m]) < INFINITY;
    }
    for (int m = 0; m < VEC_TILE_ROWS && is_finite; ++m) base[m] = first[m];
    return is_finite;
}

// Whether no score is above its row's base by more than SIMD_REACH.
VEC_TARGET SIMD_INLINE bool ROW_NAME(simd_is_in_reach)(vec_t (*scores)[VEC_TILE_VECTORS], float score_factor,
                                                       const float *base) {
    const vec_t factor = VEC_SET1(score_factor), reach = VEC_SET1(SIMD_REACH);
    unsigned above = 0;
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        vec_t largest = scores[m][0];
        SIMD_UNROLL
        for (int n = 1; n < VEC_TILE_VECTORS; ++n) largest = VEC_MAX(largest, scores[m][n]);
        above |= VEC_ABOVE(VEC_FMA(largest, factor, VEC_SET1(-base[m])), reach);
    }
    return !above;
}

// Weights of VEC_TILE_ROWS rows and the panel at key: in registers, or in memory row by row if a base has to
// move or a row does not see all keys of the panel.
VEC_TARGET static inline void ROW_NAME(simd_weights_tile)(const struct simd_task *task, int64_t row,
                                                          int64_t key, const float *panel) {
    const float score_factor = task->plan->score_factor;
    struct simd_rows *rows = task->rows;
    float *base = rows->base + row;
    uint32_t *met = rows->met + row / VEC_TILE_ROWS;
    vec_t scores[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    ROW_CALL(simd_scores_tile, task, row, panel, scores);
    bool is_direct = simd_task_visible(task, row) >= key + SIMD_PANEL_KEYS;
    if (is_direct && *met != SIMD_ALL_MET)
        is_direct = *met == 0 && ROW_CALL(simd_set_bases, scores, score_factor, base);
    is_direct = is_direct && ROW_CALL(simd_is_in_reach, scores, score_factor, base);
    if (is_direct) *met = SIMD_ALL_MET;
    SIMD_UNROLL
    for (int m = 0; m < VEC_TILE_ROWS; ++m) {
        if (is_direct)
            ROW_CALL(simd_exponentials, scores[m], score_factor, base[m], rows->sums + (row + m) * VEC_LANES);
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n)
            VEC_STORE(task->scores + (row + m) * BLOCK_N + key + n * VEC_LANES, scores[m][n]);
    }
    for (int64_t m = 0; m < VEC_TILE_ROWS && !is_direct; ++m) ROW_CALL(simd_weights_row, task, row + m, key);
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

VEC_TARGET static inline void ROW_NAME(simd_weights)(const struct simd_task *task, const float *k) {
    for (int64_t key = 0; key < task->key_count; key += SIMD_PANEL_KEYS) {
        for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
            const int64_t last =
                r + VEC_TILE_ROWS < task->row_count ? r + VEC_TILE_ROWS - 1 : task->row_count - 1;
            if (simd_task_visible(task, last) <= key) continue;
            ROW_CALL(simd_weights_tile, task, r, key, k + key * task->plan->padded_dim);
        }
    }
}

VEC_TARGET static inline void ROW_NAME(simd_values)(const struct simd_task *task, const float *v) {
    const int64_t padded_dim = task->plan->padded_dim;
    for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
        // Later rows see more keys: what the first row sees, all rows of the group see.
        const int64_t shared = simd_task_visible(task, r);
        const float *p = task->scores + r * BLOCK_N;
        if (shared > 0) ROW_CALL(simd_values_group, p, v, shared, task->o + r * padded_dim, padded_dim);
        for (int64_t i = 1; shared < task->key_count && i < VEC_TILE_ROWS && r + i < task->row_count; ++i)
            ROW_CALL(simd_values_row, p + i * BLOCK_N + shared, v + shared * padded_dim,
                     simd_task_visible(task, r + i) - shared, task->o + (r + i) * padded_dim, padded_dim);
    }
}

VEC_TARGET static inline void ROW_NAME(simd_store)(const struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    for (int64_t r = 0; r < task->row_count; ++r) {
        const int64_t query = task->first_row + r;
        const bool is_masked = attention_visible_keys(args, query) == 0;
        // A row with visible keys and a sum of 0: all its scores are -inf, and the definition gives 0/0.
        const float sum = VEC_REDUCE_ADD(VEC_LOAD(task->rows->sums + r * VEC_LANES));
        const float inverse = is_masked ? 0.0f : sum > 0.0f ? 1.0f / sum : NAN;
        char *out = task->data->o + attention_row_bytes(&args->o, task->batch, task->head, query);
        ROW_CALL(row_store, task->o + r * task->plan->padded_dim, inverse, args->o.dtype, args->head_dim,
                 out);
        if (task->data->lse)
            task->data->lse[(task->batch * args->heads + task->head) * args->seq_q + query] =
                is_masked ? -INFINITY : (float)(((double)task->rows->base[r] + log2((double)sum)) * ROW_LN2);
    }
}

// One block of rows and one chunk of keys; the slot keeps O and the softmax state from chunk to chunk.
VEC_TARGET static inline void ROW_NAME(simd_run_rows)(struct simd_task *task, int64_t chunk, int64_t slot) {
    const struct simd_plan *plan = task->plan;
    const int64_t chunk_first = chunk * plan->chunk_keys;
    simd_task_set_slot(task, slot);
    if (chunk == 0) memset(task->o, 0, (size_t)plan->slot_floats * sizeof(float));
    int64_t key_limit = attention_visible_keys(&plan->args, task->first_row + task->row_count - 1);
    if (key_limit > chunk_first + plan->chunk_keys) key_limit = chunk_first + plan->chunk_keys;
    if (key_limit > chunk_first) ROW_CALL(simd_load_queries, task);
    const float *v = simd_task_v(task, chunk_first);
    for (task->first_key = chunk_first; task->first_key < key_limit; task->first_key += BLOCK_N) {
        const int64_t local = task->first_key - chunk_first;
        while (task->resident->block_count <= local / BLOCK_N) ROW_CALL(simd_load_keys, task);
        task->key_count = key_limit - task->first_key < BLOCK_N ? key_limit - task->first_key : BLOCK_N;
        ROW_CALL(simd_weights, task, task->k + local * plan->padded_dim);
        ROW_CALL(simd_values, task, v + local * plan->padded_dim);
    }
    if (chunk == plan->chunk_count - 1) ROW_CALL(simd_store, task);
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
