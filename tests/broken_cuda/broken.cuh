// SPDX-License-Identifier: Apache-2.0
//
// Common part of the broken CUDA kernels: a small, slow and correct attention forward in fp16, one warp a
// query row. Each .cu file next to this one is wrong in one known way, and expected.txt says what assay must
// find; trust.txt says it of those that attack the measurement.
#ifndef BROKEN_CUH
#define BROKEN_CUH

#include <assay/kernel.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>

#define BROKEN_DIM_MAX 128

// The rows of a head are [0, row_count); a kernel that leaves rows out lowers it.
struct broken_args {
    const __half *q, *k, *v;
    __half *o;
    int64_t q_stride[3], k_stride[3], v_stride[3], o_stride[3]; // batch, head, row
    int64_t heads, group, seq_q, seq_k, row_count;
    int head_dim, causal;
    float scale;
};

// The kernel's state.
struct broken {
    struct broken_args args; // of the current launch
    int64_t batch;
    int launches; // so far
    cudaStream_t own_stream;
    cudaEvent_t fork, join;
    void *own; // device memory
    size_t out_bytes;
    void *more; // what one file alone keeps
};

// Where a block's row lies in the output.
__device__ static inline __half *broken_out(const struct broken_args &a, int64_t block) {
    const int64_t row = block % a.row_count, head_index = block / a.row_count;
    return a.o + head_index / a.heads * a.o_stride[0] + head_index % a.heads * a.o_stride[1] +
           row * a.o_stride[2];
}

__device__ static inline float broken_exact(float x) {
    return x;
}

// The work of one block. round_p, round_v: what a weight of the softmax and a value lose.
template <float (*round_p)(float) = broken_exact, float (*round_v)(float) = broken_exact>
__device__ static void broken_row(const struct broken_args &a, int64_t block) {
    const int64_t row = block % a.row_count, head_index = block / a.row_count;
    const int64_t batch = head_index / a.heads, head = head_index % a.heads, head_kv = head / a.group;
    const int lane = (int)threadIdx.x;
    const __half *q = a.q + batch * a.q_stride[0] + head * a.q_stride[1] + row * a.q_stride[2];
    const __half *k = a.k + batch * a.k_stride[0] + head_kv * a.k_stride[1];
    const __half *v = a.v + batch * a.v_stride[0] + head_kv * a.v_stride[1];
    int64_t visible = a.causal == 1 ? row + 1 : a.causal == 2 ? row + 1 + a.seq_k - a.seq_q : a.seq_k;
    visible = visible < 0 ? 0 : visible > a.seq_k ? a.seq_k : visible;
    float o[BROKEN_DIM_MAX / 32] = {}, max = -INFINITY, sum = 0.0f;
    for (int64_t key = 0; key < visible; ++key) {
        float score = 0.0f;
        for (int d = lane; d < a.head_dim; d += 32)
            score += __half2float(q[d]) * __half2float(k[key * a.k_stride[2] + d]);
        for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
        score *= a.scale;
        const float new_max = fmaxf(max, score), rescale = expf(max - new_max), p = expf(score - new_max);
        max = new_max;
        sum = sum * rescale + p;
#pragma unroll
        for (int i = 0; i < BROKEN_DIM_MAX / 32; ++i)
            if (lane + 32 * i < a.head_dim)
                o[i] = o[i] * rescale +
                       round_p(p) * round_v(__half2float(v[key * a.v_stride[2] + lane + 32 * i]));
    }
    __half *out = broken_out(a, block);
#pragma unroll
    for (int i = 0; i < BROKEN_DIM_MAX / 32; ++i)
        if (lane + 32 * i < a.head_dim) out[lane + 32 * i] = __float2half_rn(visible ? o[i] / sum : 0.0f);
}

__global__ static void broken_rows(const struct broken_args a) {
    broken_row<>(a, blockIdx.x);
}

// Writes one fp16 value anywhere: the wrong part of most broken kernels, in addition to the correct work.
__global__ static void broken_poke(__half *place, float value) {
    *place = __float2half_rn(value);
}

// The number of blocks of a launch.
static inline unsigned broken_blocks(const struct broken *b) {
    return (unsigned)(b->batch * b->args.heads * b->args.row_count);
}

// The correct work, on any stream.
static inline void broken_right(const struct broken *b, cudaStream_t stream) {
    broken_rows<<<broken_blocks(b), 32, 0, stream>>>(b->args);
}

static inline int64_t broken_last_row(const struct broken *b) {
    const struct broken_args *a = &b->args;
    return (b->batch - 1) * a->o_stride[0] + (a->heads - 1) * a->o_stride[1] +
           (a->seq_q - 1) * a->o_stride[2];
}

// ASSAY_OK, or the error of the launches.
static inline int broken_end(struct assay_message *message) {
    const cudaError_t code = cudaGetLastError();
    return code == cudaSuccess ? ASSAY_OK : assay_say(message, ASSAY_FAILED, cudaGetErrorString(code));
}

static int broken_supports(const struct assay_problem *problem, struct assay_message *message) {
    const struct assay_tensor *q = assay_tensor_find(&problem->tensors, ASSAY_Q);
    const struct assay_tensor *k = assay_tensor_find(&problem->tensors, ASSAY_K);
    if (!q || !k || q->dtype != ASSAY_FP16 || k->dtype != ASSAY_FP16 || q->shape[3] > BROKEN_DIM_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "fp16 up to head_dim 128 only");
    if (assay_tensor_find(&problem->tensors, ASSAY_LSE))
        return assay_say(message, ASSAY_UNSUPPORTED, "no log-sum-exp");
    return ASSAY_OK;
}

static int broken_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                          size_t *workspace_bytes, struct assay_message *message) {
    (void)env, (void)workspace_bytes;
    struct broken *b = (struct broken *)calloc(1, sizeof *b);
    if (!b) return assay_say(message, ASSAY_FAILED, "out of memory");
    const struct assay_scalar *s = problem->scalars;
    const uint32_t n = problem->scalar_count;
    b->batch = (int64_t)assay_scalar_get(s, n, "batch", 1);
    b->args.heads = (int64_t)assay_scalar_get(s, n, "heads", 1);
    b->args.group = b->args.heads / (int64_t)assay_scalar_get(s, n, "heads_kv", 1);
    b->args.seq_q = b->args.row_count = (int64_t)assay_scalar_get(s, n, "seq_q", 1);
    b->args.seq_k = (int64_t)assay_scalar_get(s, n, "seq_k", 1);
    b->args.head_dim = (int)assay_scalar_get(s, n, "head_dim", 1);
    b->args.causal = (int)assay_scalar_get(s, n, "causal", 0);
    b->args.scale = (float)assay_scalar_get(s, n, "scale", 1);
    b->out_bytes = (size_t)(b->batch * b->args.heads * b->args.seq_q * b->args.head_dim) * sizeof(__half);
    if (cudaStreamCreateWithFlags(&b->own_stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaEventCreateWithFlags(&b->fork, cudaEventDisableTiming) != cudaSuccess ||
        cudaEventCreateWithFlags(&b->join, cudaEventDisableTiming) != cudaSuccess ||
        cudaMalloc(&b->own, b->out_bytes) != cudaSuccess) {
        free(b);
        return assay_say(message, ASSAY_FAILED, "the kernel's own stream, events or memory cannot be made");
    }
    *state = b;
    return ASSAY_OK;
}

static void broken_release(void *state) {
    struct broken *b = (struct broken *)state;
    (void)cudaStreamSynchronize(b->own_stream);
    (void)cudaFree(b->own);
    (void)cudaEventDestroy(b->fork);
    (void)cudaEventDestroy(b->join);
    (void)cudaStreamDestroy(b->own_stream);
    free(b);
}

static inline void broken_strides(const struct assay_tensor *tensor, int64_t *ret) {
    for (int i = 0; i < 3; ++i) ret[i] = tensor->stride[i];
}

static inline void broken_begin(struct broken *b, const struct assay_tensors *tensors) {
    const struct assay_tensor *q = assay_tensor_find(tensors, ASSAY_Q),
                              *k = assay_tensor_find(tensors, ASSAY_K),
                              *v = assay_tensor_find(tensors, ASSAY_V),
                              *o = assay_tensor_find(tensors, ASSAY_O);
    b->args.q = (const __half *)q->data, b->args.k = (const __half *)k->data;
    b->args.v = (const __half *)v->data, b->args.o = (__half *)o->data;
    broken_strides(q, b->args.q_stride);
    broken_strides(k, b->args.k_stride);
    broken_strides(v, b->args.v_stride);
    broken_strides(o, b->args.o_stride);
    ++b->launches;
}

// A file that keeps more than struct broken names its own functions, which call these.
#ifndef BROKEN_PREPARE
#define BROKEN_PREPARE broken_prepare
#define BROKEN_RELEASE broken_release
#endif

// Ends a file. body(b, stream, message): the launch, called after broken_begin.
// The initialiser follows the order of struct assay_kernel up to release, without params, check_config and
// summary.
#define BROKEN_KERNEL(body)                                                                                  \
    static int broken_launch(void *state, const struct assay_tensors *tensors, void *workspace,              \
                             void *stream, struct assay_message *message) {                                  \
        (void)workspace;                                                                                     \
        struct broken *b = (struct broken *)state;                                                           \
        broken_begin(b, tensors);                                                                            \
        return body(b, (cudaStream_t)stream, message);                                                       \
    }                                                                                                        \
    static const struct assay_kernel broken_kernels[] = {                                                    \
        {sizeof(struct assay_kernel), ASSAY_ABI_VERSION, "broken", "attention", "cuda", broken_supports,     \
         broken_launch, BROKEN_PREPARE, BROKEN_RELEASE, nullptr, 0, 0, nullptr, nullptr}};                   \
    ASSAY_MODULE(broken_kernels)

#endif
