// SPDX-License-Identifier: Apache-2.0
//
// Attention forward in plain CUDA: every dtype and problem of the operator, fp32 arithmetic, no tensor
// cores. The first rung on a GPU, and the baseline of other kernels where no library computes the
// problem.
//
// Algorithm: a warp owns ROWS query rows of one head; the warps of a thread block share tiles of 32 keys,
// converted to fp32 in shared memory. Two passes over the keys that a row sees: first the largest score;
// then p = exp(score - largest), its sum, and O += p V, key by key; O is divided at the end. A lane holds
// one key's score, and the dimensions lane, lane + 32, ... of O.
// Precision: fp32 throughout, O rounded once. fp8 e4m3 in Q, K and V: p is scaled by 2^8 and rounded to
// e4m3 before the product, as naive.c does. Masked keys are never read: NaN and infinity spread as the
// operator's oracle says.
//
// Budget: 4 (WARPS ROWS D + 32 (D + 1)) bytes of shared memory: 12 KiB at D = 64, 97 KiB at D = 512,
// which sm_86 still has. Rows of the tile are one word longer than D, so that lanes which read one
// dimension of 32 keys use 32 banks.
// Expected limit: two loads from shared memory for ROWS multiply-adds; scores are computed twice.
#include <assay/kernel.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/attention_device.cuh"
#include "attention/attention_host.cuh"
#include "common/convert_device.cuh"

#define WARPS       8
#define ROWS        2 // of a warp
#define BLOCK_ROWS  (WARPS * ROWS)
#define THREADS     (WARPS * 32)
#define TILE_KEYS   32  // one a lane
#define DIM_MAX     512 // of the operator
#define FP8_P_SCALE 256.0f

struct plain_problem {
    struct cuda_attention attention;
    uint32_t tiles_per_head; // tiles of BLOCK_ROWS query rows

    int read_data(const struct assay_tensors *tensors, struct assay_message *message) {
        return attention_data_read(tensors, &attention.data, message);
    }
};

// A warp's state of one of its rows.
struct plain_row {
    int64_t visible;
    float max; // largest visible score
    float sum; // of this lane's keys
};

// The rows, heads and buffers of a warp.
struct plain_warp {
    int64_t batch, head, first_row;
    int64_t key_count; // the most keys that a row of the thread block sees
    const char *k_head, *v_head;
    float *q, *tile; // in shared memory: this warp's rows of Q, the shared tile
    float factor;    // of the scores: softmax scale and fp8 scales
    int lane;
};

// Whether p is rounded to e4m3.
__device__ static bool plain_is_fp8(const attention_args &args) {
    return args.q.dtype == ASSAY_FP8_E4M3 && args.v.dtype == ASSAY_FP8_E4M3;
}

// Loads keys [first, first + TILE_KEYS) of K or V as fp32, one row a key; rows past the last key are not
// written.
__device__ static void plain_load_tile(float *tile, const char *head, const struct attention_view &view,
                                       int dim, int64_t first, int64_t seq_k) {
    const int64_t left = seq_k - first;
    const int keys = left < TILE_KEYS ? (int)left : TILE_KEYS;
    for (int i = (int)threadIdx.x; i < keys * dim; i += THREADS) {
        const int key = i / dim, d = i % dim;
        tile[key * (dim + 1) + d] =
            convert_device_load(head + (first + key) * view.stride_row * view.element_bytes, d, view.dtype);
    }
}

// Scores of this lane's key (of the tile from `first` on) and the warp's rows. All threads load the tile
// together.
__device__ static void plain_scores(float (&ret)[ROWS], const attention_args &args, const plain_warp &at,
                                    int64_t first) {
    const int dim = (int)args.head_dim;
    float sum[ROWS] = {};
    __syncthreads();
    plain_load_tile(at.tile, at.k_head, args.k, dim, first, args.seq_k);
    __syncthreads();
    const float *key = at.tile + at.lane * (dim + 1);
    for (int d = 0; d < dim; ++d)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) sum[r] = fmaf(at.q[r * dim + d], key[d], sum[r]);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) ret[r] = sum[r] * at.factor;
}

__device__ static float plain_warp_max(float value) {
    for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

__device__ static float plain_warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

// O += P V over the tile's visible keys; a lane holds P of one key, at.tile holds V.
template <int DIMS>
__device__ static void plain_add_values(float (&o)[ROWS][DIMS], const float (&p)[ROWS],
                                        const plain_row (&rows)[ROWS], const plain_warp &at, int dim,
                                        int64_t first) {
    for (int key = 0; key < TILE_KEYS; ++key) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const float p_key = __shfl_sync(0xffffffffu, p[r], key);
            if (first + key >= rows[r].visible) continue; // the same for the whole warp
#pragma unroll
            for (int i = 0; i < DIMS; ++i)
                if (at.lane + 32 * i < dim)
                    o[r][i] = fmaf(p_key, at.tile[key * (dim + 1) + at.lane + 32 * i], o[r][i]);
        }
    }
}

template <int DIMS>
__device__ static void plain_store(const plain_problem &problem, const float (&o)[ROWS][DIMS],
                                   const plain_row (&rows)[ROWS], const plain_warp &at) {
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const float p_scale = plain_is_fp8(args) ? FP8_P_SCALE : 1.0f;
    const float v_scale = data.v_scale ? data.v_scale[at.batch * args.heads_kv + at.head / args.group] : 1.0f;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int64_t row = at.first_row + r;
        const float sum = plain_warp_sum(rows[r].sum);
        if (row >= args.seq_q) return;
        const bool has_keys = rows[r].visible > 0;
        char *out = data.o + attention_device_head(args.o, at.batch, at.head) +
                    row * args.o.stride_row * args.o.element_bytes;
#pragma unroll
        for (int i = 0; i < DIMS; ++i)
            if (at.lane + 32 * i < args.head_dim)
                convert_device_store(out, at.lane + 32 * i, args.o.dtype,
                                     has_keys ? o[r][i] / (sum * p_scale) * v_scale : 0.0f);
        if (data.lse && at.lane == 0)
            data.lse[(at.batch * args.heads + at.head) * args.seq_q + row] =
                has_keys ? rows[r].max + logf(sum) : -INFINITY;
    }
}

// Pass 1: the largest score of each row. If all are -inf it is 0, so that all of P is 0 and 0/0 follows.
__device__ static void plain_find_max(const plain_problem &problem, plain_row (&rows)[ROWS],
                                      const plain_warp &at) {
    const struct attention_args &args = problem.attention.args;
    for (int64_t first = 0; first < at.key_count; first += TILE_KEYS) {
        float s[ROWS];
        plain_scores(s, args, at, first);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (first + at.lane < rows[r].visible) rows[r].max = fmaxf(rows[r].max, s[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        rows[r].max = plain_warp_max(rows[r].max);
        if (rows[r].max == -INFINITY) rows[r].max = 0.0f;
    }
}

// Pass 2: P, row sums, and O.
template <int DIMS>
__device__ static void plain_accumulate(const plain_problem &problem, float (&o)[ROWS][DIMS],
                                        plain_row (&rows)[ROWS], const plain_warp &at) {
    const struct attention_args &args = problem.attention.args;
    const int dim = (int)args.head_dim;
    for (int64_t first = 0; first < at.key_count; first += TILE_KEYS) {
        float p[ROWS];
        plain_scores(p, args, at, first);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            p[r] = first + at.lane < rows[r].visible ? expf(p[r] - rows[r].max) : 0.0f;
            rows[r].sum += p[r];
            if (plain_is_fp8(args)) p[r] = convert_device_round_e4m3(p[r] * FP8_P_SCALE);
        }
        __syncthreads();
        plain_load_tile(at.tile, at.v_head, args.v, dim, first, args.seq_k);
        __syncthreads();
        plain_add_values<DIMS>(o, p, rows, at, dim, first);
    }
}

// DIMS: dimensions of a lane, at least D / 32.
template <int DIMS>
__global__ void __launch_bounds__(THREADS) plain_kernel(const __grid_constant__ plain_problem problem) {
    extern __shared__ __align__(16) char shared[];
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const int dim = (int)args.head_dim, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int64_t head_index = blockIdx.x / problem.tiles_per_head;
    const int64_t batch = head_index / args.heads, head = head_index % args.heads,
                  head_kv = head / args.group;
    const int64_t block_row = blockIdx.x % problem.tiles_per_head * BLOCK_ROWS;
    const int64_t first_row = block_row + warp * ROWS;
    float *q = reinterpret_cast<float *>(shared) + warp * ROWS * dim;
    float *tile = reinterpret_cast<float *>(shared) + BLOCK_ROWS * dim;

    plain_row rows[ROWS];
    float o[ROWS][DIMS] = {};
    const char *q_head = data.q + attention_device_head(args.q, batch, head);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int64_t row = first_row + r;
        rows[r].visible = row < args.seq_q ? attention_device_visible(args, row) : 0;
        rows[r].max = -INFINITY;
        rows[r].sum = 0.0f;
        for (int d = lane; d < dim; d += 32)
            q[r * dim + d] =
                row < args.seq_q
                    ? convert_device_load(q_head + row * args.q.stride_row * args.q.element_bytes, d,
                                          args.q.dtype)
                    : 0.0f;
    }
    float factor = args.scale;
    if (data.q_scale) factor *= data.q_scale[batch * args.heads + head];
    if (data.k_scale) factor *= data.k_scale[batch * args.heads_kv + head_kv];

    // The last row of the thread block sees the most keys.
    const int64_t end_row = block_row + BLOCK_ROWS < args.seq_q ? block_row + BLOCK_ROWS : args.seq_q;
    const plain_warp at = {batch,
                           head,
                           first_row,
                           attention_device_visible(args, end_row - 1),
                           data.k + attention_device_head(args.k, batch, head_kv),
                           data.v + attention_device_head(args.v, batch, head_kv),
                           q,
                           tile,
                           factor,
                           lane};
    plain_find_max(problem, rows, at);
    plain_accumulate<DIMS>(problem, o, rows, at);
    plain_store<DIMS>(problem, o, rows, at);
}

// ---- host ----

static int plain_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.head_dim > DIM_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only head dimensions up to 512");
    return ASSAY_OK;
}

static const void *plain_kernel_of(int64_t dim) {
    if (dim <= 64) return (const void *)plain_kernel<2>;
    if (dim <= 128) return (const void *)plain_kernel<4>;
    return (const void *)plain_kernel<DIM_MAX / 32>;
}

static int plain_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                         size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const size_t shared_bytes =
        sizeof(float) * (size_t)(BLOCK_ROWS * args.head_dim + TILE_KEYS * (args.head_dim + 1));
    plain_problem plain = {};
    plain.attention.args = args;
    return attention_host_prepare(
        plain, BLOCK_ROWS, {plain_kernel_of(args.head_dim), 0, THREADS, shared_bytes}, env, state, message);
}

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel plain_kernels[] = {{
    sizeof(struct assay_kernel),                            // struct_size
    ASSAY_ABI_VERSION,                                      // abi_version
    "plain",                                                // name
    "attention",                                            // op
    "cuda",                                                 // backend
    plain_supports,                                         // supports
    cuda_host_launch_state<plain_problem>,                  // launch
    plain_prepare,                                          // prepare
    cuda_host_release,                                      // release
    nullptr,                                                // params
    0,                                                      // param_count
    0,                                                      // param_bytes
    nullptr,                                                // check_config
    "plain CUDA in fp32, two passes; every dtype and size", // summary
}};

ASSAY_MODULE(plain_kernels)
