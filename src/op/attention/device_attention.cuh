// SPDX-License-Identifier: Apache-2.0
//
// Attention forward on the device, twice: in float64 (the oracle) and in the problem's own precision with
// the plain kernel's arithmetic (kernels/attention/naive.c). A block of 256 threads computes 64 query rows
// and iterates over the keys in tiles of 64. Thread (x, y) of 16 x 16 holds the 4 x 4 scores of rows 4 y
// .. 4 y + 3 and of the keys 2 x, 2 x + 1, 32 + 2 x, 33 + 2 x; the same columns of the result. Q, K and V
// are staged in shared memory as numbers of the computing type, 16 dimensions of Q and K or 32 keys of V
// at a time: any head dimension works, with 32 KB.
//
// A key that a row does not see contributes nothing, NaN included: it is left out of the sums, not
// multiplied by zero.
#ifndef DEVICE_DEVICE_ATTENTION_CUH
#define DEVICE_DEVICE_ATTENTION_CUH

#include "device/device_kernel_entry.cuh"
#include "op/attention/device_attention_core.h"

#define TILE      DEV_ATTENTION_TILE
#define HALF_TILE (TILE / 2)
#define SLICE     16         // dimensions of Q and K in shared memory at a time
#define PITCH     (TILE + 2) // of rows in shared memory: spreads stores over banks, keeps double2 aligned
#define LANES     16         // threads that share rows

template <typename number> struct alignas(16) attention_shared {
    union {
        struct {
            number q[SLICE][PITCH], k[SLICE][PITCH];
        } scores;
        number v[HALF_TILE][PITCH];
    };
    number p[HALF_TILE][PITCH];
};

static __device__ __forceinline__ int lane_x() {
    return static_cast<int>(threadIdx.x) % LANES;
}
static __device__ __forceinline__ int lane_y() {
    return static_cast<int>(threadIdx.x) / LANES;
}
// Key or column number c (0 to 3) of this thread, in its tile.
static __device__ __forceinline__ int column_of(int c) {
    return c / 2 * HALF_TILE + lane_x() * 2 + c % 2;
}

// The work of one block: 64 rows of one head, and the columns of their results from column_first on. number:
// double or float.
template <typename number> struct attention_task {
    int64_t head, head_kv;             // batch included
    int64_t q_first, k_first, v_first; // offsets of row 0 and key 0 of the head
    int64_t row_index;                 // of the first row, counted in computed rows
    int64_t key_end, key_common;       // keys seen by at least one row; keys seen by all rows
    int64_t column_first;
    int64_t visible[4]; // number of keys that each of this thread's rows sees
    number factor;      // of the scores: scale, and the fp8 scales of Q and K
};

template <typename number>
static __device__ __forceinline__ attention_task<number> attention_task_at(const struct dev_attention &a,
                                                                           int64_t head, int64_t tile) {
    attention_task<number> task;
    const int64_t batch = head / a.heads, in_batch = head - batch * a.heads;
    const int64_t in_batch_kv = in_batch / (a.heads / a.heads_kv);
    task.head = head;
    task.head_kv = batch * a.heads_kv + in_batch_kv;
    task.q_first = dev_attention_offset(a.stride_q, batch, in_batch);
    task.k_first = dev_attention_offset(a.stride_k, batch, in_batch_kv);
    task.v_first = dev_attention_offset(a.stride_v, batch, in_batch_kv);
    task.row_index = tile * TILE;
    task.key_common = dev_attention_visible(&a, dev_attention_row(&a, task.row_index));
    task.key_end = dev_attention_visible(&a, dev_attention_row(&a, task.row_index + TILE - 1));
    task.column_first = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r)
        task.visible[r] = dev_attention_visible(&a, dev_attention_row(&a, task.row_index + lane_y() * 4 + r));
    task.factor = static_cast<number>(a.scale);
    if (a.q_scale) task.factor *= a.q_scale[task.head];
    if (a.k_scale) task.factor *= a.k_scale[task.head_kv];
    return task;
}

static __device__ __forceinline__ double multiply_add(double a, double b, double c) {
    return fma(a, b, c);
}
// Rounds twice, as the plain kernel does.
static __device__ __forceinline__ float multiply_add(float a, float b, float c) {
    return __fadd_rn(__fmul_rn(a, b), c);
}

static __device__ __forceinline__ double2 pair_at(const double *at) {
    return *reinterpret_cast<const double2 *>(at);
}
static __device__ __forceinline__ float2 pair_at(const float *at) {
    return *reinterpret_cast<const float2 *>(at);
}

// Reads the four numbers of this thread's rows, or of its keys or columns, from one row of shared memory.
template <typename number>
static __device__ __forceinline__ void load_rows(const number *shared, number ret[4]) {
    const auto a = pair_at(shared + lane_y() * 4), b = pair_at(shared + lane_y() * 4 + 2);
    ret[0] = a.x, ret[1] = a.y, ret[2] = b.x, ret[3] = b.y;
}

template <typename number>
static __device__ __forceinline__ void load_columns(const number *shared, number ret[4]) {
    const auto a = pair_at(shared + lane_x() * 2), b = pair_at(shared + HALF_TILE + lane_x() * 2);
    ret[0] = a.x, ret[1] = a.y, ret[2] = b.x, ret[3] = b.y;
}

// scores[r][c] = sum over the head dimension, upwards, of Q and K. Keys from key_end on are zeros. All
// threads; ends in step.
template <typename number>
static __device__ void tile_scores(const struct dev_attention &a, const attention_task<number> &task,
                                   int64_t key_first, attention_shared<number> &shared, number scores[4][4]) {
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int c = 0; c < 4; ++c) scores[r][c] = 0;
    // This thread loads 4 dimensions of one row of Q and of one key.
    const int line = static_cast<int>(threadIdx.x) / 4, dim_first = static_cast<int>(threadIdx.x) % 4 * 4;
    const int64_t key = key_first + line;
    const int64_t q_at = task.q_first + dev_attention_row(&a, task.row_index + line) * a.stride_q[2];
    const int64_t k_at = task.k_first + key * a.stride_k[2];
    for (int64_t slice = 0; slice < a.head_dim; slice += SLICE) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int64_t d = slice + dim_first + i;
            number q = 0, k = 0;
            if (d < a.head_dim) {
                q = dev_load_float(a.dtype_q, a.q, q_at + d);
                if (key < task.key_end) k = dev_load_float(a.dtype_kv, a.k, k_at + d);
            }
            shared.scores.q[dim_first + i][line] = q;
            shared.scores.k[dim_first + i][line] = k;
        }
        __syncthreads();
#pragma unroll 4
        for (int d = 0; d < SLICE; ++d) {
            number q[4], k[4];
            load_rows(shared.scores.q[d], q);
            load_columns(shared.scores.k[d], k);
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) scores[r][c] = multiply_add(q[r], k[c], scores[r][c]);
        }
        __syncthreads();
    }
}

// Stores half of P (0 or 1) to shared memory: the keys c = 2 half and 2 half + 1 of every thread.
template <typename number>
static __device__ __forceinline__ void share_p(attention_shared<number> &shared, int half,
                                               const number p[4][4]) {
#pragma unroll
    for (int c = 0; c < 2; ++c)
#pragma unroll
        for (int r = 0; r < 4; ++r)
            shared.p[lane_x() * 2 + c][lane_y() * 4 + r] = half ? p[r][2 + c] : p[r][c];
}

// result[r][c] += sum over the tile's keys, upwards, of P and the task's columns of V. All threads; ends in
// step.
template <typename number>
static __device__ void tile_values(const struct dev_attention &a, const attention_task<number> &task,
                                   int64_t key_first, attention_shared<number> &shared, const number p[4][4],
                                   number result[4][4]) {
    const int column = static_cast<int>(threadIdx.x) % TILE, key_line = static_cast<int>(threadIdx.x) / TILE;
    const bool is_common = key_first + TILE <= task.key_common; // the same for the whole block
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int64_t first = key_first + half * HALF_TILE;
        share_p(shared, half, p);
        for (int line = key_line; line < HALF_TILE; line += DEV_ATTENTION_THREADS / TILE) {
            const int64_t key = first + line, d = task.column_first + column;
            number v = 0;
            if (key < task.key_end && d < a.head_dim)
                v = dev_load_float(a.dtype_kv, a.v, task.v_first + key * a.stride_v[2] + d);
            shared.v[line][column] = v;
        }
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < HALF_TILE; ++j) {
            number weight[4], v[4];
            load_rows(shared.p[j], weight);
            load_columns(shared.v[j], v);
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                if (!is_common && first + j >= task.visible[r]) continue;
#pragma unroll
                for (int c = 0; c < 4; ++c) result[r][c] = multiply_add(weight[r], v[c], result[r][c]);
            }
        }
        __syncthreads();
    }
}

// Maximum and sum over the 16 threads that share rows, the same in each of them. The maximum skips NaN.
template <typename number> static __device__ __forceinline__ number lanes_max(number value) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        const number other = __shfl_xor_sync(0xffffffffu, value, distance, LANES);
        value = other > value ? other : value;
    }
    return value;
}

template <typename number> static __device__ __forceinline__ number lanes_sum(number value) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance, LANES);
    return value;
}

// ---- float64 ----

// State of this thread's rows; maximum and sum are the same in the 16 threads that share them.
struct oracle_rows {
    double max[4], sum[4], result[4][4];
};

// Turns scores into weights e^(score - maximum so far), and rescales the earlier sums to that maximum.
static __device__ __forceinline__ void oracle_weigh(const attention_task<double> &task, int64_t key_first,
                                                    struct oracle_rows &rows, double p[4][4]) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        double tile_max = -INFINITY;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            p[r][c] = key_first + column_of(c) < task.visible[r] ? p[r][c] * task.factor : -INFINITY;
            if (p[r][c] > tile_max) tile_max = p[r][c];
        }
        tile_max = lanes_max(tile_max);
        const double max = tile_max > rows.max[r] ? tile_max : rows.max[r];
        const double shift = max == -INFINITY ? 0 : max; // only -infinity so far: weights 0, not NaN
        double sum = 0;
#pragma unroll
        for (int c = 0; c < 4; ++c) sum += p[r][c] = exp(p[r][c] - shift);
        if (max != rows.max[r]) {
            const double rescale = exp(rows.max[r] - shift);
            rows.sum[r] *= rescale;
#pragma unroll
            for (int c = 0; c < 4; ++c) rows.result[r][c] *= rescale;
            rows.max[r] = max;
        }
        rows.sum[r] += lanes_sum(sum);
    }
}

// Of a row with an infinite result. It is rare, so what it needs is computed here and not carried along while
// keys are added up; the results are read back, so that they need not stay in registers.
static __device__ void oracle_mark_row(const struct dev_attention_oracle &args,
                                       const attention_task<double> &task, int64_t row, int64_t visible,
                                       double log_sum) {
    const struct dev_attention &a = args.problem;
    const int64_t q_at = task.q_first + row * a.stride_q[2];
    const double faintest =
        dev_attention_faintest(&a, q_at, task.k_first, task.v_first, visible, task.factor);
    double *out = args.out + (task.head * a.seq_q + row) * a.head_dim;
#pragma unroll 1
    for (int c = 0; c < 4; ++c) {
        const int64_t column = task.column_first + column_of(c);
        if (column >= a.head_dim) continue;
        out[column] = dev_attention_mark(out[column], faintest, log_sum, a.dtype_q, a.dtype_kv);
    }
}

static __device__ __forceinline__ void oracle_store(const struct dev_attention_oracle &args,
                                                    const attention_task<double> &task,
                                                    const struct oracle_rows &rows) {
    const struct dev_attention &a = args.problem;
    const double v_factor = a.v_scale ? a.v_scale[task.head_kv] : 1;
    const int64_t row_count = dev_attention_row_count(&a);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int64_t index = task.row_index + lane_y() * 4 + r;
        if (index >= row_count) break;
        const int64_t row = dev_attention_row(&a, index), dense = task.head * a.seq_q + row;
        const double log_sum = task.visible[r] ? rows.max[r] + log(rows.sum[r]) : -INFINITY;
        bool has_infinity = false;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            const int64_t column = task.column_first + column_of(c);
            if (column >= a.head_dim) continue;
            const double value = task.visible[r] ? rows.result[r][c] / rows.sum[r] * v_factor : 0;
            args.out[dense * a.head_dim + column] = value;
            has_infinity |= value == INFINITY;
        }
        if (has_infinity) oracle_mark_row(args, task, row, task.visible[r], log_sum);
        if (args.lse && task.column_first == 0 && lane_x() == 0) args.lse[dense] = log_sum;
    }
}

// Softmax and sum in one pass over the keys, with the usual rescaling. Columns beyond 64 are separate
// tasks, which compute the scores again: simple, and fast enough.
static __device__ void attention_oracle(const struct dev_attention_oracle &args) {
    __shared__ attention_shared<double> shared;
    const struct dev_attention &a = args.problem;
    const int64_t tiles = (dev_attention_row_count(&a) + TILE - 1) / TILE;
    const int64_t chunks = (a.head_dim + TILE - 1) / TILE;
    const int64_t count = a.batch * a.heads * tiles * chunks;
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        const int64_t tile = i / chunks;
        attention_task<double> task = attention_task_at<double>(a, tile / tiles, tile % tiles);
        task.column_first = i % chunks * TILE;
        struct oracle_rows rows;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            rows.max[r] = -INFINITY, rows.sum[r] = 0;
#pragma unroll
            for (int c = 0; c < 4; ++c) rows.result[r][c] = 0;
        }
        for (int64_t key = 0; key < task.key_end; key += TILE) {
            double p[4][4];
            tile_scores(a, task, key, shared, p);
            oracle_weigh(task, key, rows, p);
            tile_values(a, task, key, shared, p, rows.result);
        }
        oracle_store(args, task, rows);
    }
}

// ---- the plain kernel, in the problem's own precision ----

// State of this thread's rows over three passes (four with log-sum-exp): maximum of the scores, sum of the
// weights, P V. max and sum are the same in the 16 threads that share rows.
struct same_precision_rows {
    float max[4], sum[4]; // max: of the scores before they are rounded
};

static __device__ __forceinline__ float max_or_zero(float max) {
    return max == -INFINITY ? 0.0f : max;
}

// The maximum of the rounded scores (rounding keeps the order), to be subtracted from them.
static __device__ __forceinline__ float softmax_shift(int32_t dtype_q, float max) {
    return max_or_zero(dev_attention_round_score(dtype_q, max));
}

static __device__ __forceinline__ void
same_precision_scores(const struct dev_attention &a, const attention_task<float> &task, int64_t key_first,
                      attention_shared<float> &shared, float scores[4][4]) {
    tile_scores(a, task, key_first, shared, scores);
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int c = 0; c < 4; ++c) scores[r][c] *= task.factor;
}

// sums[r] += the tile's weights, key after key as the plain kernel adds them: one thread a row, which the
// others then read. Keys that a row does not see have weight zero here, which changes no sum.
static __device__ void add_in_order(attention_shared<float> &shared, const float p[4][4], float sums[4]) {
    __shared__ float row_sums[TILE];
    if (lane_x() == 0)
#pragma unroll
        for (int r = 0; r < 4; ++r) row_sums[lane_y() * 4 + r] = sums[r];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        share_p(shared, half, p);
        __syncthreads();
        if (threadIdx.x < TILE) {
            float sum = row_sums[threadIdx.x];
            for (int j = 0; j < HALF_TILE; ++j) sum += shared.p[j][threadIdx.x];
            row_sums[threadIdx.x] = sum;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) sums[r] = row_sums[lane_y() * 4 + r];
    __syncthreads();
}

static __device__ void same_precision_find_max(const struct dev_attention &a,
                                               const attention_task<float> &task,
                                               attention_shared<float> &shared,
                                               struct same_precision_rows &rows) {
#pragma unroll
    for (int r = 0; r < 4; ++r) rows.max[r] = -INFINITY;
    for (int64_t key = 0; key < task.key_end; key += TILE) {
        float scores[4][4];
        same_precision_scores(a, task, key, shared, scores);
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < 4; ++c)
                if (key + column_of(c) < task.visible[r] && scores[r][c] > rows.max[r])
                    rows.max[r] = scores[r][c];
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) rows.max[r] = lanes_max(rows.max[r]);
}

// Sums of the rows' weights: from rounded scores, as the softmax uses them, or from unrounded scores for
// log-sum-exp.
static __device__ void same_precision_sum(const struct dev_attention &a, const attention_task<float> &task,
                                          bool is_rounded, attention_shared<float> &shared,
                                          const struct same_precision_rows &rows, float sums[4]) {
    float shift[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        shift[r] = is_rounded ? softmax_shift(a.dtype_q, rows.max[r]) : max_or_zero(rows.max[r]);
        sums[r] = 0;
    }
    for (int64_t key = 0; key < task.key_end; key += TILE) {
        float p[4][4];
        same_precision_scores(a, task, key, shared, p);
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const float score = is_rounded ? dev_attention_round_score(a.dtype_q, p[r][c]) : p[r][c];
                p[r][c] = key + column_of(c) < task.visible[r] ? expf(score - shift[r]) : 0.0f;
            }
        add_in_order(shared, p, sums);
    }
}

static __device__ void same_precision_values(const struct dev_attention &a, const attention_task<float> &task,
                                             attention_shared<float> &shared,
                                             const struct same_precision_rows &rows, float result[4][4]) {
    const int32_t p_dtype = dev_attention_p_dtype(&a);
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int c = 0; c < 4; ++c) result[r][c] = 0;
    for (int64_t key = 0; key < task.key_end; key += TILE) {
        float p[4][4];
        same_precision_scores(a, task, key, shared, p);
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const float shift = softmax_shift(a.dtype_q, rows.max[r]);
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const float weight = expf(dev_attention_round_score(a.dtype_q, p[r][c]) - shift);
                p[r][c] = dev_round(p_dtype, p_dtype == ASSAY_FP8_E4M3 ? weight * DEV_ATTENTION_P_SCALE
                                                                       : weight / rows.sum[r]);
            }
        }
        tile_values(a, task, key, shared, p, result);
    }
}

static __device__ __forceinline__ void same_precision_store(const struct dev_attention_same_precision &args,
                                                            const attention_task<float> &task,
                                                            const struct same_precision_rows &rows,
                                                            const float result[4][4]) {
    const struct dev_attention &a = args.problem;
    const float v_factor = a.v_scale ? a.v_scale[task.head_kv] : 1.0f;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int64_t row = task.row_index + lane_y() * 4 + r;
        if (row >= a.seq_q) break;
        const int64_t dense = task.head * a.seq_q + row;
        float divisor = 1.0f;
        if (dev_attention_p_dtype(&a) == ASSAY_FP8_E4M3 && task.visible[r])
            divisor = rows.sum[r] * DEV_ATTENTION_P_SCALE;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            const int64_t column = task.column_first + column_of(c);
            if (column >= a.head_dim) continue;
            dev_store_float(args.dtype_out, args.out, dense * a.head_dim + column,
                            static_cast<double>(result[r][c] / divisor * v_factor));
        }
    }
}

static __device__ __forceinline__ void
same_precision_store_lse(const struct dev_attention_same_precision &args, const attention_task<float> &task,
                         const struct same_precision_rows &rows) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int64_t row = task.row_index + lane_y() * 4 + r;
        if (row < args.problem.seq_q && lane_x() == 0)
            args.lse[task.head * args.problem.seq_q + row] = max_or_zero(rows.max[r]) + logf(rows.sum[r]);
    }
}

static __device__ void attention_same_precision(const struct dev_attention_same_precision &args) {
    __shared__ attention_shared<float> shared;
    const struct dev_attention &a = args.problem;
    const int64_t tiles = (a.seq_q + TILE - 1) / TILE, count = a.batch * a.heads * tiles;
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        attention_task<float> task = attention_task_at<float>(a, i / tiles, i % tiles);
        struct same_precision_rows rows;
        same_precision_find_max(a, task, shared, rows);
        if (args.lse) {
            same_precision_sum(a, task, false, shared, rows, rows.sum);
            same_precision_store_lse(args, task, rows);
        }
        same_precision_sum(a, task, true, shared, rows, rows.sum);
        for (; task.column_first < a.head_dim; task.column_first += TILE) {
            float result[4][4];
            same_precision_values(a, task, shared, rows, result);
            same_precision_store(args, task, rows, result);
        }
    }
}

// ---- entries ----

ENTRY(attention_fill) {
    const uint64_t count = static_cast<uint64_t>(args.shape[0]) * static_cast<uint64_t>(args.shape[1]) *
                           static_cast<uint64_t>(args.shape[2]) * static_cast<uint64_t>(args.shape[3]);
    const uint64_t blocks = (count + DEV_RANDOM_WORDS - 1) / DEV_RANDOM_WORDS;
    for (uint64_t i = thread_first(); i < blocks; i += thread_count()) dev_attention_fill_block(&args, i);
}

ENTRY(attention_scales) {
    for (uint64_t i = thread_first(); i < args.count; i += thread_count())
        args.data[i] = dev_attention_head_scale(&args.inputs, i);
}

extern "C" __global__ void __launch_bounds__(DEV_ATTENTION_THREADS, 1)
    assay_attention_oracle(const __grid_constant__ struct dev_attention_oracle args) {
    attention_oracle(args);
}

extern "C" __global__ void __launch_bounds__(DEV_ATTENTION_THREADS, 2)
    assay_attention_same_precision(const __grid_constant__ struct dev_attention_same_precision args) {
    attention_same_precision(args);
}

#endif
