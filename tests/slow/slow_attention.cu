// SPDX-License-Identifier: Apache-2.0
//
// Attention in fp32 with five defects to switch on, each of which `assay gate --explain` has to name. It is
// no kernel to use: it computes unmasked problems with D = 64, rows in multiples of 64 and keys in multiples
// of 32, else it says UNSUPPORTED.
//
// Algorithm: FlashAttention-2 with FMA. A thread block of 256 threads has 64 query rows of one head; a thread
// has rows ty + 16 i (i < 4), of their scores keys tx + 16 j (j < 2), and of O four dimensions from 4 tx on
// (tx = thread % 16, ty = thread / 16). K and V come by cp.async into STAGES buffers. P goes through shared
// memory to the half-warp that wrote it.
//
// Defects, -DNAME=VALUE; the results stay right:
//   NEEDLESS_BARRIER=1  a barrier in every step of both products
//   UNCOALESCED=1       K is loaded by neighbouring threads from neighbouring rows, four bytes each
//   CONFLICTS=1         rows of K and V are 64 words apart in shared memory: one bank for all keys
//   MIN_BLOCKS=8        the launch bound leaves 32 registers: they spill
//   STAGES=1            nothing is loaded ahead
// The shared memory that a stage takes is the same with and without CONFLICTS: only STAGES changes it.
// Meant for a grid of about one block an SM (the suite `slow`), where other blocks hide nothing.
#include <assay/kernel.h>
#include <math.h>
#include <stdint.h>

#include "attention/attention_args.h"
#include "attention/attention_device.cuh"
#include "attention/attention_host.cuh"
#include "common/mma_sm80.cuh"
#include "common/thread_block.cuh"

#ifndef NEEDLESS_BARRIER
#define NEEDLESS_BARRIER 0
#endif
#ifndef UNCOALESCED
#define UNCOALESCED 0
#endif
#ifndef CONFLICTS
#define CONFLICTS 0
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#ifndef STAGES
#define STAGES 3
#endif

#define DIM        64
#define BLOCK_ROWS 64
#define BLOCK_KEYS 32
#define THREADS    256
#define ROWS       4 // of a thread
#define KEYS       2
#define STRIDE     68 // words from row to row: 16-byte reads of eight keys use all banks
#define KEY_STRIDE (CONFLICTS ? DIM : STRIDE)
#define P_STRIDE   48 // the two rows of a warp lie 16 banks apart
#define TILE_WORDS (BLOCK_KEYS * STRIDE)
#define Q_WORDS    (BLOCK_ROWS * STRIDE)
#define P_WORDS    (BLOCK_ROWS * P_STRIDE)

struct slow_problem {
    struct cuda_attention attention;
    uint32_t tiles_per_head;

    int read_data(const struct assay_tensors *tensors, struct assay_message *message) {
        return attention_data_read(tensors, &attention.data, message);
    }
};

struct slow_state {
    float o[ROWS][4], max[ROWS], sum[ROWS]; // sum: of this thread's keys
};

// A row's 16-byte chunk of four floats.
__device__ __forceinline__ void slow_read(float (&ret)[4], const float *from) {
    const float4 chunk = *reinterpret_cast<const float4 *>(from);
    ret[0] = chunk.x;
    ret[1] = chunk.y;
    ret[2] = chunk.z;
    ret[3] = chunk.w;
}

// Rows [first, first + rows) of a head into shared memory, a chunk a thread at a time.
__device__ static void slow_load(float *tile, const char *head, int64_t row_bytes, int64_t first, int rows,
                                 int stride) {
    for (int i = (int)threadIdx.x; i < rows * (DIM / 4); i += THREADS) {
        const int row = i / (DIM / 4), chunk = i % (DIM / 4);
        cp_async_16(smem_address(tile + row * stride + 4 * chunk),
                    head + (first + row) * row_bytes + 16 * chunk, true);
    }
}

// The same word by word; lanes of a warp read one word of 32 rows.
__device__ static void slow_load_uncoalesced(float *tile, const char *head, int64_t row_bytes,
                                             int64_t first) {
    for (int i = (int)threadIdx.x; i < BLOCK_KEYS * DIM; i += THREADS) {
        const int row = i % BLOCK_KEYS, word = i / BLOCK_KEYS;
        tile[row * KEY_STRIDE + word] =
            __ldg(reinterpret_cast<const float *>(head + (first + row) * row_bytes) + word);
    }
}

__device__ __forceinline__ void slow_needless_barrier() {
#if NEEDLESS_BARRIER
    __syncthreads();
#endif
}

// Scores of this thread's rows and keys.
__device__ static void slow_scores(float (&s)[ROWS][KEYS], const float *q, const float *k, int tx, int ty) {
#pragma unroll 4
    for (int d = 0; d < DIM; d += 4) {
        float q_chunk[ROWS][4], k_chunk[KEYS][4];
        slow_needless_barrier();
#pragma unroll
        for (int i = 0; i < ROWS; ++i) slow_read(q_chunk[i], q + (ty + 16 * i) * STRIDE + d);
#pragma unroll
        for (int j = 0; j < KEYS; ++j) slow_read(k_chunk[j], k + (tx + 16 * j) * KEY_STRIDE + d);
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
            for (int j = 0; j < KEYS; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) s[i][j] = fmaf(q_chunk[i][e], k_chunk[j][e], s[i][j]);
    }
}

// Online softmax: the rows' maxima and sums, O rescaled, P written for the threads of the same rows.
__device__ static void slow_softmax(slow_state &state, float (&s)[ROWS][KEYS], float *p, float scale, int tx,
                                    int ty) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        float most = fmaxf(s[i][0], s[i][1]) * scale;
        for (int step = 8; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
        most = fmaxf(most, state.max[i]);
        const float shrink = expf(state.max[i] - most);
        state.max[i] = most;
        state.sum[i] *= shrink;
#pragma unroll
        for (int e = 0; e < 4; ++e) state.o[i][e] *= shrink;
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            const float weight = expf(s[i][j] * scale - most);
            state.sum[i] += weight;
            p[(ty + 16 * i) * P_STRIDE + tx + 16 * j] = weight;
        }
    }
}

// O += P V.
__device__ static void slow_add_values(slow_state &state, const float *p, const float *v, int tx, int ty) {
#pragma unroll 4
    for (int key = 0; key < BLOCK_KEYS; ++key) {
        float chunk[4];
        if (key % 4 == 0) slow_needless_barrier();
        slow_read(chunk, v + key * KEY_STRIDE + 4 * tx);
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
            const float weight = p[(ty + 16 * i) * P_STRIDE + key];
#pragma unroll
            for (int e = 0; e < 4; ++e) state.o[i][e] = fmaf(weight, chunk[e], state.o[i][e]);
        }
    }
}

__device__ static void slow_store(const slow_problem &problem, const slow_state &state, int64_t batch,
                                  int64_t head, int64_t first_row) {
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int64_t row = first_row + ty + 16 * i;
        float sum = state.sum[i];
        for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        float *out = reinterpret_cast<float *>(data.o + attention_device_row(args.o, batch, head, row));
#pragma unroll
        for (int e = 0; e < 4; ++e) out[4 * tx + e] = state.o[i][e] / sum;
        if (data.lse && tx == 0)
            data.lse[(batch * args.heads + head) * args.seq_q + row] = state.max[i] + logf(sum);
    }
}

// K and V of block number `block` into its buffer; an empty group behind the last one.
__device__ static void slow_issue(float *tiles, const char *k_head, const char *v_head,
                                  const struct attention_args &args, int64_t block) {
    const int64_t first = block * BLOCK_KEYS, k_bytes = args.k.stride_row * 4,
                  v_bytes = args.v.stride_row * 4;
    float *k = tiles + block % STAGES * 2 * TILE_WORDS, *v = k + TILE_WORDS;
    if (first < args.seq_k) {
        if (UNCOALESCED)
            slow_load_uncoalesced(k, k_head, k_bytes, first);
        else
            slow_load(k, k_head, k_bytes, first, BLOCK_KEYS, KEY_STRIDE);
        slow_load(v, v_head, v_bytes, first, BLOCK_KEYS, KEY_STRIDE);
    }
    cp_async_commit_group();
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    slow_attention(const __grid_constant__ slow_problem problem) {
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    const uint32_t number = thread_block_number();
    const int64_t head_index = number / problem.tiles_per_head;
    const int64_t batch = head_index / args.heads, head = head_index % args.heads;
    const int64_t first_row = number % problem.tiles_per_head * (int64_t)BLOCK_ROWS;
    const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
    float *q = reinterpret_cast<float *>(thread_block_shared<16>()), *p = q + Q_WORDS, *tiles = p + P_WORDS;
    const char *k_head = data.k + attention_device_head(args.k, batch, head / args.group);
    const char *v_head = data.v + attention_device_head(args.v, batch, head / args.group);
    slow_state state = {};
#pragma unroll
    for (int i = 0; i < ROWS; ++i) state.max[i] = -INFINITY;

    // Q belongs to the first group.
    slow_load(q, data.q + attention_device_head(args.q, batch, head), args.q.stride_row * 4, first_row,
              BLOCK_ROWS, STRIDE);
    for (int stage = 0; stage < STAGES - 1; ++stage) slow_issue(tiles, k_head, v_head, args, stage);
    for (int64_t block = 0; block * BLOCK_KEYS < args.seq_k; ++block) {
        float s[ROWS][KEYS] = {};
        const float *k = tiles + block % STAGES * 2 * TILE_WORDS, *v = k + TILE_WORDS;
        if (STAGES == 1) slow_issue(tiles, k_head, v_head, args, block);
        cp_async_wait_group<(STAGES > 1 ? STAGES - 2 : 0)>();
        __syncthreads();
        // Everyone is done with the buffer of the block before.
        if (STAGES > 1) slow_issue(tiles, k_head, v_head, args, block + STAGES - 1);
        slow_scores(s, q, k, tx, ty);
        slow_softmax(state, s, p, args.scale, tx, ty);
        __syncwarp();
        slow_add_values(state, p, v, tx, ty);
        if (STAGES == 1)
            __syncthreads();
        else
            __syncwarp(); // P is written again
    }
    slow_store(problem, state, batch, head, first_row);
}

// ---- host ----

static int slow_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype != ASSAY_FP32 || args.head_dim != DIM || args.mask != ATTENTION_MASK_NONE ||
        args.seq_q % BLOCK_ROWS != 0 || args.seq_k % BLOCK_KEYS != 0)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "only fp32, D = 64, no mask, rows in multiples of 64, keys in multiples of 32");
    return ASSAY_OK;
}

static int slow_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    slow_problem slow = {};
    slow.attention.args = args;
    const size_t shared_bytes = sizeof(float) * (Q_WORDS + P_WORDS + STAGES * 2 * TILE_WORDS);
    return attention_host_prepare(slow, BLOCK_ROWS, {(const void *)slow_attention, 0, THREADS, shared_bytes},
                                  env, state, message);
}

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel slow_kernels[] = {{
    sizeof(struct assay_kernel),                   // struct_size
    ASSAY_ABI_VERSION,                             // abi_version
    "slow_attention",                              // name
    "attention",                                   // op
    "cuda",                                        // backend
    slow_supports,                                 // supports
    cuda_host_launch_state<slow_problem>,          // launch
    slow_prepare,                                  // prepare
    cuda_host_release,                             // release
    nullptr,                                       // params
    0,                                             // param_count
    0,                                             // param_bytes
    nullptr,                                       // check_config
    "fp32 attention with defects to be explained", // summary
}};

ASSAY_MODULE(slow_kernels)
