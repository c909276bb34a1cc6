// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query for each sequence over keys and values in pages on a GPU: a block for each query
// and head, whose warps share the keys, two at a time; a lane has some of a head's numbers. With BUG, the
// second key of a pair is looked for behind the first: right while pages have an even number of tokens.
#include <cuda_bf16.h>
#include <float.h>

#include "gpu.cuh"

#define THREADS 256
#define WARPS   (THREADS / WARP)
#define DIM_MAX 256

struct cache {
    const __nv_bfloat16 *keys, *values; // of one head
    const int *table;                   // of one sequence
    int page, dim;
    int64_t stride; // from token to token
};

static __device__ int64_t place(const cache &of, int token) {
    return ((int64_t)of.table[token / of.page] * of.page + token % of.page) * of.stride;
}

template <int WIDTH> // numbers that a lane reads at once
struct head {
    float at[DIM_MAX / WARP];
    __device__ static int first(int i) { return i * WARP + threadIdx.x % WARP * WIDTH; }
    __device__ void load(const __nv_bfloat16 *from, int dim) {
        for (int i = 0; i < DIM_MAX / WARP; i += WIDTH) {
            pack<__nv_bfloat16, WIDTH> some = {};
            if (first(i) < dim) some = *(const pack<__nv_bfloat16, WIDTH> *)(from + first(i));
            for (int j = 0; j < WIDTH; ++j) at[i + j] = __bfloat162float(some.at[j]);
        }
    }
    __device__ float dot(const head &other) const {
        float sum = 0;
        for (int i = 0; i < DIM_MAX / WARP; ++i) sum += at[i] * other.at[i];
        return warp_sum(sum);
    }
};

// What a warp knows of its keys: the largest score, and sums of exp(score - max) and of values times that.
template <int WIDTH> struct attended {
    head<WIDTH> sums;
    float max, total;
};

// Online softmax: a new maximum rescales what was added before.
template <int WIDTH>
static __device__ attended<WIDTH> attend(const cache &of, const head<WIDTH> &q, int length) {
    attended<WIDTH> ret = {{{0}}, -FLT_MAX, 0};
    head<WIDTH> key_a, key_b, value_a, value_b;
    for (int64_t token = threadIdx.x / WARP * 2; token < length; token += 2 * WARPS) {
        const bool is_pair = token + 1 < length;
        const int64_t first = place(of, (int)token);
#ifdef BUG
        const int64_t second = is_pair ? first + of.stride : first;
#else
        const int64_t second = is_pair ? place(of, (int)token + 1) : first;
#endif
        key_a.load(of.keys + first, of.dim), key_b.load(of.keys + second, of.dim);
        value_a.load(of.values + first, of.dim), value_b.load(of.values + second, of.dim);
        const float a = q.dot(key_a) / sqrtf((float)of.dim);
        const float b = is_pair ? q.dot(key_b) / sqrtf((float)of.dim) : -INFINITY;
        const float max = fmaxf(ret.max, fmaxf(a, b)), keep = expf(ret.max - max);
        const float weight_a = expf(a - max), weight_b = expf(b - max);
        for (int i = 0; i < DIM_MAX / WARP; ++i)
            ret.sums.at[i] = ret.sums.at[i] * keep + weight_a * value_a.at[i] + weight_b * value_b.at[i];
        ret.total = ret.total * keep + weight_a + weight_b;
        ret.max = max;
    }
    return ret;
}

template <int WIDTH>
__global__ static void __launch_bounds__(THREADS)
    paged_decode_head(const __nv_bfloat16 *q, const __nv_bfloat16 *keys, const __nv_bfloat16 *values,
                      const int *table, const int *lengths, __nv_bfloat16 *out, int kv_heads, int group,
                      int dim, int page, int blocks) {
    __shared__ float sums[WARPS][DIM_MAX], max[WARPS], totals[WARPS];
    const int heads = kv_heads * group, sequence = blockIdx.x / heads, warp = threadIdx.x / WARP;
    const int64_t start = (int64_t)(blockIdx.x % heads / group) * dim;
    const cache of = {keys + start, values + start,         table + (int64_t)sequence * blocks, page,
                      dim,          (int64_t)kv_heads * dim};
    head<WIDTH> query;
    launch_begins();
    query.load(q + (int64_t)blockIdx.x * dim, dim);
    const attended<WIDTH> mine = attend(of, query, lengths[sequence]);
    for (int i = 0; i < DIM_MAX / WARP; ++i)
        sums[warp][head<WIDTH>::first(i / WIDTH * WIDTH) + i % WIDTH] = mine.sums.at[i];
    max[warp] = mine.max;
    totals[warp] = mine.total;
    __syncthreads();
    float all_max = -FLT_MAX, total = 0, sum = 0;
    for (int i = 0; i < WARPS; ++i) all_max = fmaxf(all_max, max[i]);
    if (threadIdx.x < dim) {
        for (int i = 0; i < WARPS; ++i) {
            total += totals[i] * expf(max[i] - all_max);
            sum += sums[i][threadIdx.x] * expf(max[i] - all_max);
        }
        out[(int64_t)blockIdx.x * dim + threadIdx.x] = __float2bfloat16(sum / total);
    }
    launch_ends();
}

extern "C" void paged_decode(const __nv_bfloat16 *q, const __nv_bfloat16 *keys, const __nv_bfloat16 *values,
                             const int *table, const int *lengths, __nv_bfloat16 *out, int batch,
                             int kv_heads, int group, int dim, int context, int page, cudaStream_t stream) {
    const int blocks = (context + page - 1) / page;
    const auto kernel = dim % 4 == 0 ? paged_decode_head<4> : paged_decode_head<1>;
    kernel<<<(unsigned)batch * kv_heads * group, THREADS, 0, stream>>>(q, keys, values, table, lengths, out,
                                                                       kv_heads, group, dim, page, blocks);
}
