// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query for each sequence over keys and values in pages: [page][token of it][head][dim]. Two
// keys at a time. With BUG, the second key of a pair is looked for behind the first: right while pages have
// an even number of tokens.
#include <math.h>

#include "bf16.h"

#define DIM_MAX 256

struct cache {
    const uint16_t *keys, *values; // of one head
    const int *table;              // of one sequence
    int page, stride, dim;         // stride: from token to token
};

static long place(const struct cache *cache, int token) {
    return ((long)cache->table[token / cache->page] * cache->page + token % cache->page) * cache->stride;
}

static float dot(const float *q, const uint16_t *key, int dim) {
    float lanes[8] = {0}, sum = 0;
    int i = 0;
    for (; i + 8 <= dim; i += 8)
        for (int lane = 0; lane < 8; ++lane) lanes[lane] += q[i + lane] * from_bf16(key[i + lane]);
    for (; i < dim; ++i) sum += q[i] * from_bf16(key[i]);
    for (int lane = 0; lane < 8; ++lane) sum += lanes[lane];
    return sum;
}

// Online softmax: a new maximum rescales what was added before.
static void attend(const struct cache *cache, const uint16_t *query, int length, uint16_t *out) {
    float q[DIM_MAX], sums[DIM_MAX] = {0}, max = -INFINITY, total = 0;
    for (int i = 0; i < cache->dim; ++i) q[i] = from_bf16(query[i]) / sqrtf((float)cache->dim);
    for (int token = 0; token < length; token += 2) {
        const int is_pair = token + 1 < length;
        const long first = place(cache, token);
#ifdef BUG
        const long second = is_pair ? first + cache->stride : first;
#else
        const long second = is_pair ? place(cache, token + 1) : first;
#endif
        const float a = dot(q, cache->keys + first, cache->dim);
        const float b = is_pair ? dot(q, cache->keys + second, cache->dim) : -INFINITY;
        const float new_max = fmaxf(max, fmaxf(a, b)), keep = expf(max - new_max);
        const float weight_a = expf(a - new_max), weight_b = expf(b - new_max);
        const uint16_t *value_a = cache->values + first, *value_b = cache->values + second;
        for (int i = 0; i < cache->dim; ++i)
            sums[i] = sums[i] * keep + weight_a * from_bf16(value_a[i]) + weight_b * from_bf16(value_b[i]);
        total = total * keep + weight_a + weight_b;
        max = new_max;
    }
    for (int i = 0; i < cache->dim; ++i) out[i] = to_bf16(sums[i] / total);
}

void paged_decode(const uint16_t *q, const uint16_t *keys, const uint16_t *values, const int *table,
                  const int *lengths, uint16_t *out, int batch, int kv_heads, int group, int dim, int page,
                  int blocks) {
    for (int sequence = 0; sequence < batch; ++sequence)
        for (int head = 0; head < kv_heads * group; ++head, q += dim, out += dim) {
            const long start = (long)(head / group) * dim;
            const struct cache cache = {keys + start, values + start, table + (long)sequence * blocks,
                                        page,         kv_heads * dim, dim};
            attend(&cache, q, lengths[sequence], out);
        }
}
