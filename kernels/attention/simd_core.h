// SPDX-License-Identifier: Apache-2.0
//
// A work item of simd.c on one vector unit. A template over vec_none.h's macros: include a vec_<isa>.h
// first (else vec_plain.h is used) to get simd_run_<isa>(); so the functions have no include guard.
//
// K of a block lies transposed in panels of VEC_TILE_VECTORS vectors of keys, dimension by dimension; V,
// Q and O lie row by row, padded with zeros to whole vectors. Both matrix kernels keep VEC_TILE_ROWS x
// VEC_TILE_VECTORS accumulators in registers: scores over a panel, O over as many columns; the last rows of a
// block take tiles of 4 or 2 rows. Scores become weights before they leave the registers, and O its result
// where it may. What comes next is asked for ahead: panels of K and rows of V from the L2, Q and O of the
// next block of rows and K and V of the next group from beyond. Rows of weights end at the last key that the
// row sees: masked keys are never multiplied, so a NaN in them has no effect.
#include "attention/simd_task.h"

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
#define SIMD_V_AHEAD    8 // rows of V

// A base stays until a score is above it by more than this. Weights of up to 2^16 leave room for V up to
// 2^100.
#define SIMD_REACH 16.0f
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

VEC_TARGET static inline void ROW_NAME(simd_load_queries)(struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim;
    task->queries = task->q;
    task->query_stride = padded_dim;
    if (task->plan->is_q_in_place) {
        const char *rows =
            task->data->q + attention_row_bytes(&args->q, task->batch, task->head, task->first_row);
        task->queries = (const float *)(const void *)rows;
        task->query_stride = args->q.stride_row;
        return;
    }
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

// Q K^T of row_count rows and one panel of keys. The tiles of a block of rows ask for the next panel,
// together.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_scores_tile)(const struct simd_task *task, const int row_count,
                                                       int64_t row, const float *panel,
                                                       const float *next_panel,
                                                       vec_t (*scores)[VEC_TILE_VECTORS]) {
    const int64_t stride = task->query_stride, dim = task->plan->args.head_dim;
    const float *q = task->queries + row * stride;
    const uintptr_t step = SIMD_PANEL_KEYS * sizeof(float) * VEC_TILE_ROWS / BLOCK_M;
    uintptr_t ahead = (uintptr_t)next_panel + (uintptr_t)(row / VEC_TILE_ROWS * dim) * step;
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) scores[m][n] = VEC_ZERO();
    }
    for (int64_t d = 0; d < dim; ++d) {
        vec_t keys[VEC_TILE_VECTORS];
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n) keys[n] = VEC_LOAD(panel + n * VEC_LANES);
        SIMD_UNROLL
        for (int m = 0; m < row_count; ++m) {
            const vec_t query = VEC_SET1(q[m * stride + d]);
            SIMD_UNROLL
            for (int n = 0; n < VEC_TILE_VECTORS; ++n) scores[m][n] = VEC_FMA(query, keys[n], scores[m][n]);
        }
        __builtin_prefetch((const void *)ahead, 0, 3);
        ahead += step;
        panel += SIMD_PANEL_KEYS;
    }
}

// Gives all rows of a tile their first base, the score of the panel's first key: weights of equal scores are
// then equal, and 1 while the base is small. False if one of these scores is not finite.
VEC_TARGET SIMD_INLINE bool ROW_NAME(simd_set_bases)(const int row_count, vec_t (*scores)[VEC_TILE_VECTORS],
                                                     float score_factor, float *base) {
    float first[VEC_TILE_ROWS];
    bool is_finite = true;
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        first[m] = VEC_FIRST(scores[m][0]) * score_factor;
        is_finite = is_finite && fabsf(first[m]) < INFINITY;
    }
    for (int m = 0; m < row_count && is_finite; ++m) base[m] = first[m];
    return is_finite;
}

// Whether no score is above its row's base by more than SIMD_REACH.
VEC_TARGET SIMD_INLINE bool ROW_NAME(simd_is_in_reach)(const int row_count, vec_t (*scores)[VEC_TILE_VECTORS],
                                                       float score_factor, const float *base) {
    const vec_t factor = VEC_SET1(score_factor);
    vec_t highest = VEC_SET1(-INFINITY);
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        vec_t largest = scores[m][0];
        SIMD_UNROLL
        for (int n = 1; n < VEC_TILE_VECTORS; ++n) largest = VEC_MAX(largest, scores[m][n]);
        highest = VEC_MAX(VEC_FMA(largest, factor, VEC_SET1(-base[m])), highest);
    }
    return !VEC_ABOVE(highest, VEC_SET1(SIMD_REACH));
}

// Weights of row_count rows and the panel at key: in registers, or in memory row by row if a base has to
// move or a row does not see all keys of the panel.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_weights_tile)(const struct simd_task *task, const int row_count,
                                                        int64_t row, int64_t key, const float *panel,
                                                        const float *next_panel) {
    const uint32_t all_met = (1U << row_count) - 1;
    const float score_factor = task->plan->score_factor;
    struct simd_rows *rows = task->rows;
    float *base = rows->base + row;
    uint32_t *met = rows->met + row / VEC_TILE_ROWS;
    vec_t scores[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    ROW_CALL(simd_scores_tile, task, row_count, row, panel, next_panel, scores);
    bool is_direct = simd_task_visible(task, row) >= key + SIMD_PANEL_KEYS;
    if (is_direct && *met != all_met)
        is_direct = *met == 0 && ROW_CALL(simd_set_bases, row_count, scores, score_factor, base);
    is_direct = is_direct && ROW_CALL(simd_is_in_reach, row_count, scores, score_factor, base);
    if (is_direct) *met = all_met;
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        if (is_direct)
            ROW_CALL(simd_exponentials, scores[m], score_factor, base[m], rows->sums + (row + m) * VEC_LANES);
        SIMD_UNROLL
        for (int n = 0; n < VEC_TILE_VECTORS; ++n)
            VEC_STORE(task->scores + (row + m) * BLOCK_N + key + n * VEC_LANES, scores[m][n]);
    }
    for (int64_t m = 0; m < row_count && !is_direct; ++m) ROW_CALL(simd_weights_row, task, row + m, key);
}

// Where a tile of O goes: to `o`, added to what lies there unless it is the tile's first; or, if it is the
// last, times a factor per row to `out`.
struct ROW_NAME(simd_target) {
    float *o, *out; // rows of padded_dim and of out_stride; out is null while more keys follow
    int64_t padded_dim, out_stride;
    bool is_first;
    float factors[VEC_TILE_ROWS];
};

VEC_TARGET SIMD_INLINE void ROW_NAME(simd_store_tile)(const int row_count, const int vectors, int64_t column,
                                                      vec_t (*sum)[VEC_TILE_VECTORS],
                                                      const struct ROW_NAME(simd_target) * target) {
    float *to = (target->out ? target->out : target->o) + column;
    const int64_t stride = target->out ? target->out_stride : target->padded_dim;
    if (target->out) {
        SIMD_UNROLL
        for (int m = 0; m < row_count; ++m) {
            SIMD_UNROLL
            for (int n = 0; n < vectors; ++n) sum[m][n] = VEC_MUL(sum[m][n], VEC_SET1(target->factors[m]));
        }
    }
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n) VEC_STORE(to + m * stride + n * VEC_LANES, sum[m][n]);
    }
}

// P V for row_count rows, vectors x VEC_LANES columns from the given one on, key_count keys.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_values_tile)(const int row_count, const int vectors, int64_t column,
                                                       const float *p, const float *v, int64_t key_count,
                                                       const struct ROW_NAME(simd_target) * target,
                                                       struct simd_ahead ahead) {
    const int64_t padded_dim = target->padded_dim;
    vec_t sum[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    v += column;
    SIMD_UNROLL
    for (int m = 0; m < row_count; ++m) {
        const float *o = target->o + m * padded_dim + column;
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n)
            sum[m][n] = target->is_first ? VEC_ZERO() : VEC_LOAD(o + n * VEC_LANES);
    }
    for (int64_t j = 0; j < key_count; ++j) {
        vec_t values[VEC_TILE_VECTORS];
        SIMD_UNROLL
        for (int n = 0; n < vectors; ++n) values[n] = VEC_LOAD(v + n * VEC_LANES);
        SIMD_UNROLL
        for (int m = 0; m < row_count; ++m) {
            const vec_t p_lane = VEC_SET1(p[m * BLOCK_N + j]);
            SIMD_UNROLL
            for (int n = 0; n < vectors; ++n) sum[m][n] = VEC_FMA(p_lane, values[n], sum[m][n]);
        }
        const uintptr_t later = (uintptr_t)v + (uintptr_t)(SIMD_V_AHEAD * padded_dim) * sizeof(float);
        SIMD_UNROLL
        for (unsigned at = 0; at < (unsigned)vectors * sizeof(vec_t); at += SIMD_LINE_BYTES)
            __builtin_prefetch((const void *)(later + at), 0, 3);
        __builtin_prefetch((const void *)ahead.at, 0, 2);
        ahead.at += ahead.step;
        v += padded_dim;
    }
    ROW_CALL(simd_store_tile, row_count, vectors, column, sum, target);
}

// All columns of row_count rows.
VEC_TARGET SIMD_INLINE void ROW_NAME(simd_values_rows)(const int row_count, const float *p, const float *v,
                                                       int64_t key_count,
                                                       const struct ROW_NAME(simd_target) * target,
                                                       struct simd_ahead ahead) {
    const int64_t all = target->padded_dim / VEC_LANES;
    const int64_t widest = simd_divide_up(all, simd_divide_up(all, VEC_TILE_VECTORS));
    const int wide = VEC_TILE_VECTORS >= 4 ? 4 : 1, three = VEC_TILE_VECTORS >= 3 ? 3 : 1;
    for (int64_t first = 0; first < all; first += widest) {
        const int64_t vectors = all - first < widest ? all - first : widest, column = first * VEC_LANES;
        if (vectors == 4 && VEC_TILE_VECTORS >= 4)
            ROW_CALL(simd_values_tile, row_count, wide, column, p, v, key_count, target, ahead);
        else if (vectors == 3 && VEC_TILE_VECTORS >= 3)
            ROW_CALL(simd_values_tile, row_count, three, column, p, v, key_count, target, ahead);
        else if (vectors == 2)
            ROW_CALL(simd_values_tile, row_count, 2, column, p, v, key_count, target, ahead);
        else
            ROW_CALL(simd_values_tile, row_count, 1, column, p, v, key_count, target, ahead);
    }
}

// A tile of P V with no more rows than it has to have.
VEC_TARGET static inline void ROW_NAME(simd_values_group)(int64_t rows, const float *p, const float *v,
                                                          int64_t key_count,
                                                          const struct ROW_NAME(simd_target) * target,
                                                          struct simd_ahead ahead) {
    if (rows > 4)
        ROW_CALL(simd_values_rows, VEC_TILE_ROWS, p, v, key_count, target, ahead);
    else if (rows > 2)
        ROW_CALL(simd_values_rows, 4, p, v, key_count, target, ahead);
    else
        ROW_CALL(simd_values_rows, 2, p, v, key_count, target, ahead);
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

VEC_TARGET static inline void ROW_NAME(simd_weights_group)(const struct simd_task *task, int64_t row,
                                                           int64_t key, const float *panel,
                                                           const float *next_panel) {
    const int64_t rows = task->row_count - row;
    if (rows > 4)
        ROW_CALL(simd_weights_tile, task, VEC_TILE_ROWS, row, key, panel, next_panel);
    else if (rows > 2)
        ROW_CALL(simd_weights_tile, task, 4, row, key, panel, next_panel);
    else
        ROW_CALL(simd_weights_tile, task, 2, row, key, panel, next_panel);
}

VEC_TARGET static inline void ROW_NAME(simd_weights)(const struct simd_task *task, const float *k,
                                                     const float *v) {
    const int64_t padded_dim = task->plan->padded_dim;
    for (int64_t key = 0; key < task->key_count; key += SIMD_PANEL_KEYS) {
        const int64_t next_key = key + SIMD_PANEL_KEYS;
        const float *next = next_key < task->key_count ? k + next_key * padded_dim : v;
        for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
            const int64_t last =
                r + VEC_TILE_ROWS < task->row_count ? r + VEC_TILE_ROWS - 1 : task->row_count - 1;
            if (simd_task_visible(task, last) <= key) continue;
            ROW_CALL(simd_weights_group, task, r, key, k + key * padded_dim, next);
        }
    }
}

// 1 / the sum of a row's weights: 0 if it sees no key. A row with visible keys and a sum of 0: all its scores
// are -inf, and the definition gives 0/0.
VEC_TARGET static inline float ROW_NAME(simd_inverse)(const struct simd_task *task, int64_t row) {
    const float sum = VEC_REDUCE_ADD(VEC_LOAD(task->rows->sums + row * VEC_LANES));
    if (attention_visible_keys(&task->plan->args, task->first_row + row) == 0) return 0.0f;
    return sum > 0.0f ? 1.0f / sum : NAN;
}

VEC_TARGET static inline void ROW_NAME(simd_values)(const struct simd_task *task, const float *v) {
    const struct attention_args *args = &task->plan->args;
    const int64_t padded_dim = task->plan->padded_dim;
    const bool is_last = task->first_key + task->key_count == args->seq_k;
    for (int64_t r = 0; r < task->row_count; r += VEC_TILE_ROWS) {
        // Later rows see more keys: what the first row sees, all rows of the group see.
        const int64_t shared = simd_task_visible(task, r);
        const float *p = task->scores + r * BLOCK_N;
        struct ROW_NAME(simd_target) target = {.o = task->o + r * padded_dim, .padded_dim = padded_dim};
        target.is_first = task->plan->is_o_in_place && task->first_key == 0;
        if (task->plan->is_o_in_place && is_last) {
            char *out =
                task->data->o + attention_row_bytes(&args->o, task->batch, task->head, task->first_row + r);
            target.out = (float *)(void *)out;
            target.out_stride = args->o.stride_row;
            for (int64_t i = 0; i < VEC_TILE_ROWS && r + i < task->row_count; ++i)
                target.factors[i] = ROW_CALL(simd_inverse, task, r + i);
        }
        if (shared > 0)
            ROW_CALL(simd_values_group, task->row_count - r, p, v, shared, &target,
                     simd_ahead_find(task, r / VEC_TILE_ROWS));
        for (int64_t i = 1; shared < task->key_count && i < VEC_TILE_ROWS && r + i < task->row_count; ++i)
            ROW_CALL(simd_values_row, p + i * BLOCK_N + shared, v + shared * padded_dim,
                     simd_task_visible(task, r + i) - shared, task->o + (r + i) * padded_dim, padded_dim);
    }
}

// What simd_values has not stored: O unless that is in place, and the log-sum-exp.
VEC_TARGET static inline void ROW_NAME(simd_store)(const struct simd_task *task) {
    const struct attention_args *args = &task->plan->args;
    for (int64_t r = 0; r < task->row_count && !task->plan->is_o_in_place; ++r) {
        char *out =
            task->data->o + attention_row_bytes(&args->o, task->batch, task->head, task->first_row + r);
        ROW_CALL(row_store, task->o + r * task->plan->padded_dim, ROW_CALL(simd_inverse, task, r),
                 args->o.dtype, args->head_dim, out);
    }
    for (int64_t r = 0; r < task->row_count && task->data->lse; ++r) {
        const int64_t query = task->first_row + r;
        const double sum = (double)VEC_REDUCE_ADD(VEC_LOAD(task->rows->sums + r * VEC_LANES));
        task->data->lse[(task->batch * args->heads + task->head) * args->seq_q + query] =
            attention_visible_keys(args, query) == 0
                ? -INFINITY
                : (float)(((double)task->rows->base[r] + log2(sum)) * ROW_LN2);
    }
}

// One block of rows and one chunk of keys; the slot keeps O and the softmax state from chunk to chunk.
VEC_TARGET static inline void ROW_NAME(simd_run_rows)(struct simd_task *task, int64_t chunk, int64_t slot) {
    const struct simd_plan *plan = task->plan;
    const int64_t chunk_first = chunk * plan->chunk_keys;
    simd_task_set_slot(task, slot);
    if (chunk == 0 && !plan->is_o_in_place)
        memset(task->o, 0, (size_t)(BLOCK_M * plan->padded_dim) * sizeof(float));
    if (chunk == 0) memset(task->rows, 0, sizeof *task->rows);
    int64_t key_limit = attention_visible_keys(&plan->args, task->first_row + task->row_count - 1);
    if (key_limit > chunk_first + plan->chunk_keys) key_limit = chunk_first + plan->chunk_keys;
    if (key_limit > chunk_first) ROW_CALL(simd_load_queries, task);
    const float *v = simd_task_v(task, chunk_first);
    for (task->first_key = chunk_first; task->first_key < key_limit; task->first_key += BLOCK_N) {
        const int64_t local = task->first_key - chunk_first;
        while (task->resident->block_count <= local / BLOCK_N) ROW_CALL(simd_load_keys, task);
        task->key_count = key_limit - task->first_key < BLOCK_N ? key_limit - task->first_key : BLOCK_N;
        ROW_CALL(simd_weights, task, task->k + local * plan->padded_dim, v + local * plan->padded_dim);
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
    const int64_t next_group = (index + plan->thread_count) / plan->items_per_group;
    struct simd_task task = {.batch = group / plan->args.heads_kv, .head_kv = group % plan->args.heads_kv};
    const bool has_next = next_group != group && next_group < plan->args.batch * plan->args.heads_kv;
    task.next_group = plan->is_next_ahead && has_next ? next_group : -1;
    task.block_count = end_block - first_block;
    simd_task_set(&task, job, thread);
    for (int64_t chunk = 0; chunk < plan->chunk_count; ++chunk) {
        if (task.resident->group != group || task.resident->chunk != chunk)
            *task.resident = (struct simd_resident){group, chunk, 0};
        for (int64_t block = first_block; block < end_block; ++block) {
            simd_task_set_rows(&task, block);
            task.block = block - first_block;
            ROW_CALL(simd_run_rows, &task, chunk, plan->slot_count > 1 ? block - first_block : 0);
        }
    }
}
