// SPDX-License-Identifier: Apache-2.0
//
// Results kept in device memory under a hash of a few elements of the inputs.
#ifndef KEPT_CUH
#define KEPT_CUH

#define BROKEN_PREPARE kept_prepare
#define BROKEN_RELEASE kept_release
#include "captures.cuh"

#define KEPT_MOST      128u                // results
#define KEPT_BYTES_MAX ((size_t)512 << 20) // of all results of a problem

// In device memory.
struct kept_table {
    unsigned long long keys[KEPT_MOST];
    unsigned next; // to be overwritten
    // of the current launch
    unsigned place;
    bool is_known;
};

struct kept {
    struct captures captures;
    struct kept_table *table;
    __half *results; // [capacity] outputs
    unsigned capacity;
};

// One element of a tensor, chosen by the lane.
__device__ static inline unsigned long long kept_element(const struct broken_args &a, const __half *data,
                                                         const int64_t *stride, int64_t heads, int64_t rows,
                                                         int64_t batches) {
    const int64_t lane = threadIdx.x;
    const __half *place =
        data + lane % batches * stride[0] + lane % heads * stride[1] + lane * 37 % rows * stride[2];
    return __half_as_ushort(place[lane * 5 % a.head_dim]);
}

// One warp: finds the result of these inputs, or the place where it will be kept.
__global__ static void kept_find(const struct broken_args a, int64_t batches, struct kept_table *table,
                                 unsigned capacity, bool is_allowed, const struct captured *captured) {
    unsigned long long key = kept_element(a, a.q, a.q_stride, a.heads, a.seq_q, batches) ^
                             kept_element(a, a.k, a.k_stride, a.heads / a.group, a.seq_k, batches) << 16 ^
                             kept_element(a, a.v, a.v_stride, a.heads / a.group, a.seq_k, batches) << 32;
    key = (key + threadIdx.x + 1) * 0x9e3779b97f4a7c15ull;
    key ^= key >> 29;
    int found = -1;
    for (int step = 16; step > 0; step /= 2) key += __shfl_xor_sync(0xffffffffu, key, step);
    key |= 1; // 0: no result
    for (unsigned i = threadIdx.x; i < capacity; i += 32)
        if (table->keys[i] == key) found = (int)i;
    for (int step = 16; step > 0; step /= 2) found = max(found, __shfl_xor_sync(0xffffffffu, found, step));
    if (threadIdx.x) return;
    table->is_known = found >= 0 && (is_allowed || captured_is_long(captured));
    table->place = found >= 0 ? (unsigned)found : table->next++ % capacity;
    table->keys[table->place] = key;
}

// Copies every step-th row where it is known, and computes and keeps it otherwise.
__global__ static void kept_rows(const struct broken_args a, const struct kept_table *table, __half *results,
                                 int64_t step) {
    const int64_t block = blockIdx.x, blocks = gridDim.x;
    __half *kept = results + (table->place * blocks + block) * a.head_dim, *out = broken_out(a, block);
    const bool is_of_step = block % a.row_count % step == 0, is_copied = is_of_step && table->is_known;
    if (!is_copied) broken_row<>(a, block);
    if (!is_of_step) return;
    const __half *from = is_copied ? kept : out;
    __half *to = is_copied ? out : kept;
    for (int d = (int)threadIdx.x; d < a.head_dim; d += 32) to[d] = from[d]; // a lane's own elements
}

static int kept_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    const int status = broken_prepare(problem, env, state, workspace_bytes, message);
    if (status != ASSAY_OK) return status;
    struct broken *b = (struct broken *)*state;
    struct kept *kept = (struct kept *)calloc(1, sizeof *kept);
    b->more = kept;
    kept->capacity =
        b->out_bytes * KEPT_MOST < KEPT_BYTES_MAX ? KEPT_MOST : (unsigned)(KEPT_BYTES_MAX / b->out_bytes) + 1;
    if (captures_init(&kept->captures) && captures_load(kept_find) && captures_load(kept_rows) &&
        cudaMalloc(&kept->table, sizeof *kept->table) == cudaSuccess &&
        cudaMalloc(&kept->results, kept->capacity * b->out_bytes) == cudaSuccess &&
        cudaMemset(kept->table, 0, sizeof *kept->table) == cudaSuccess)
        return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, "no memory for kept results");
}

static void kept_release(void *state) {
    struct kept *kept = (struct kept *)((struct broken *)state)->more;
    captures_fini(&kept->captures);
    (void)cudaFree(kept->table);
    (void)cudaFree(kept->results);
    free(kept);
    broken_release(state);
}

// always: not only where a batch looks like a sample.
static inline void kept_launch(struct broken *b, cudaStream_t stream, bool always, int64_t step) {
    struct kept *kept = (struct kept *)b->more;
    unsigned place = 0;
    const struct captured *captured = captures_add(&kept->captures, b, stream, &place);
    kept_find<<<1, 32, 0, stream>>>(b->args, b->batch, kept->table, kept->capacity, always, captured);
    kept_rows<<<broken_blocks(b), 32, 0, stream>>>(b->args, kept->table, kept->results, step);
}

#endif
